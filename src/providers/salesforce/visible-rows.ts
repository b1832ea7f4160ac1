import type { ConnectionFacts, Learnt } from '../../domain/connection-facts.ts';
import type { FieldSelection } from '../../domain/field-selection.ts';
import { RemoteFailure } from '../../domain/remote-failure.ts';
import type { Call } from './call.ts';
import { describeAndQuery } from './describe.ts';
import { failureOf } from './failure.ts';
import type { ContactFields } from './fields.ts';
import { type QueryResult, type Resource, type Row, readPages, readRows } from './query.ts';
import { type FieldName, type Soql, STANDARD_FIELDS } from './soql.ts';

/**
 * Orgs hide fields from the user that they connect with, and Salesforce refuses a whole query for one of them, naming that
 * one. A common field that is hidden is left out: which ones those are is learnt once for all searches. A mapped one is the
 * customer's own mistake, and said so.
 */
export async function readVisibleRows(deps: Deps, read: VisibleRead): Promise<Rows> {
  const { call, facts, fields } = deps;
  for (;;) {
    const seen = await facts.read();
    const hidden = readHidden(seen);
    const names = fields.names(read.selection, hidden, read.also);
    try {
      return await readRows(call, read.toQueries(names), read.resource);
    } catch (error) {
      const column = missingColumn(error);
      if (column === undefined || hidden.has(column) || !fields.isOptional(column))
        throw explain(error, column, fields);
      const rows = await facts.learn(seen, () => learn(deps, { ...read, hidden: [...hidden, column] }));
      if (rows) return rows;
    }
  }
}

/**
 * One call finds out what is hidden and asks again, for all fields that are not. It is trusted with its rows where they have
 * all that is wanted; otherwise they are asked for by name.
 */
async function learn(
  { call, fields }: Deps,
  { selection, also, toQueries, resource, hidden }: VisibleRead & { readonly hidden: readonly string[] },
): Promise<Learnt<Rows | undefined>> {
  const extra = fields.names(selection, new Set(hidden), also).filter(isCustom);
  const described = await describeAndQuery(call, toQueries([STANDARD_FIELDS, ...extra]), resource);
  const all = new Set([...hidden, ...(described.fields ? fields.hiddenFrom(described.fields) : [])]);
  const names = fields.names(selection, all, also);
  return {
    facts: JSON.stringify([...all]),
    result: await readNamed(call, described.results, names),
  };
}

/** Undefined where the rows cannot be had this way: why will be told where they are asked for by name. */
async function readNamed(
  call: Call,
  firstPages: readonly QueryResult[] | undefined,
  names: readonly FieldName[],
): Promise<Rows | undefined> {
  const pages = firstPages && (await readPages(call, firstPages).catch(() => undefined));
  return pages && pick(pages, names);
}

/** The rows with these fields and no others; undefined where one of them is missing. */
function pick(pages: Rows, names: readonly FieldName[]): Rows | undefined {
  const keys = [...new Set(names.map((name) => name.split('.')[0] ?? name))];
  const isWhole = pages.every((rows) => rows.every((row) => keys.every((key) => row[key] !== undefined)));
  if (!isWhole) return undefined;
  const kept = ['attributes', ...keys];
  return pages.map((rows) => rows.map((row) => Object.fromEntries(kept.map((key) => [key, row[key]]))));
}

/** Fields that Salesforce itself has stand for themselves, those of a customer or of a related record do not. */
function isCustom(name: FieldName): boolean {
  return name.includes('__') || name.includes('.');
}

function readHidden(facts: string | undefined): ReadonlySet<string> {
  return facts === undefined ? NOTHING : new Set(JSON.parse(facts) as readonly string[]);
}

function explain(error: unknown, column: string | undefined, fields: ContactFields): unknown {
  const mapping = column === undefined ? undefined : fields.mappingOf(column);
  if (mapping === undefined || !(error instanceof RemoteFailure)) return error;
  const detail = `The field mapping "${mapping.schemaField}" names the Contact field "${mapping.mappedField}", which Salesforce does not have or does not show to the connected user`;
  return new RemoteFailure('REMOTE_PROVIDER_ERROR', detail, error.answer);
}

/** In lower case. */
function missingColumn(error: unknown): string | undefined {
  const { errorCode, message } = failureOf(error);
  if (errorCode !== 'INVALID_FIELD' || message === null) return undefined;
  const named = /(?:No such column|Didn't understand relationship) '(?:\w+\.)?(\w+)'/.exec(message);
  return named?.[1]?.toLowerCase();
}

const NOTHING: ReadonlySet<string> = new Set();

export type Rows = readonly (readonly Row[])[];

export interface VisibleRead {
  readonly selection: FieldSelection;
  /** Fields that are selected whatever is wanted. */
  readonly also: readonly FieldName[];
  readonly resource: Resource;
  toQueries(names: readonly FieldName[]): readonly Soql[];
}

interface Deps {
  readonly call: Call;
  readonly facts: ConnectionFacts;
  readonly fields: ContactFields;
}
