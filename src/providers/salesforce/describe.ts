import { isRecord } from '../../lib/parse-json.ts';
import { API, type Call } from './call.ts';
import { isSuccess, type Part, readParts } from './composite.ts';
import { type QueryResult, type Resource, toPath, toQueryResult } from './query.ts';
import type { Soql } from './soql.ts';

/**
 * The contact's fields as far as the connected user may see them, in lower case, and the first pages of queries, in one call.
 * Either is undefined where Salesforce refuses that part of the call.
 */
export async function describeAndQuery(
  call: Call,
  queries: readonly Soql[],
  resource: Resource,
): Promise<Described> {
  const paths = queries.map((query) => toPath(query, resource));
  const [description, ...answers] = await readParts(call, paths, [DESCRIBE]);
  const results = answers.map((part) => understood(part, toQueryResult));
  return {
    fields: description && understood(description, toFieldNames),
    results: results.every((result) => result !== undefined) ? results : undefined,
  };
}

function understood<T>(part: Part, understand: (json: unknown) => T | undefined): T | undefined {
  return isSuccess(part) ? understand(part.body) : undefined;
}

function toFieldNames(json: unknown): ReadonlySet<string> | undefined {
  const fields = isRecord(json) ? json['fields'] : undefined;
  if (!Array.isArray(fields)) return undefined;
  const names = fields.map((field) => (isRecord(field) ? field['name'] : undefined));
  return new Set(names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()));
}

const DESCRIBE = `${API}/sobjects/Contact/describe`;

interface Described {
  readonly fields: ReadonlySet<string> | undefined;
  readonly results: readonly QueryResult[] | undefined;
}
