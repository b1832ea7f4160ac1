import { type FieldMapping, findFieldMappings, type Learnt } from '../../domain/connection.ts';
import { type FieldSelection, toContactOrigin } from '../../domain/contact-search.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import { RemoteFailure } from '../../domain/remote.ts';
import { isRecord } from '../../lib/json.ts';
import { API, createCall, failureOf } from './call.ts';
import { HIDEABLE_FIELDS, selectFields, toContact, type Wanted } from './contacts.ts';
import {
  isSuccess,
  type Pages,
  type Part,
  type Row,
  readCount,
  readPages,
  readParts,
  readRows,
  toPath,
  understandPart,
} from './query.ts';
import {
  type Condition,
  count,
  type FieldName,
  type Select,
  STANDARD_FIELDS,
  select,
} from './soql.ts';

/** Reads contacts by conditions: the shared part of the three ways to find them. */
export function createReader({ send, connection, openFacts }: CustomerAccount) {
  const facts = openFacts();
  const call = createCall(send);
  const mappings = findFieldMappings(connection, (object) => object.toLowerCase() === 'contact');
  const source = toContactOrigin(connection);

  return {
    /** The rows of all conditions, in pages. */
    read,
    count: (condition: Condition) => readCount(call, count(condition)),
    toContact: (row: Row, selection: FieldSelection) => toContact(row, source, selection),
  };

  /**
   * Reads rows. Orgs may hide fields from the connected user, and Salesforce rejects a whole query for one hidden
   * field, which it names. Hidden common fields are omitted, and learnt once for all searches. A hidden mapped field
   * is reported as the customer's error.
   */
  async function read(ask: ReadAsk): Promise<Pages> {
    for (;;) {
      const seen = await facts.read();
      const hidden = readHidden(seen);
      try {
        return await readRows(call, toPaths(ask, selectFields(ask, mappings, hidden)));
      } catch (error) {
        const column = missingColumn(error);
        if (column === undefined || hidden.has(column) || !HIDEABLE_FIELDS.has(column))
          throw explain(error, column, mappings);
        const rows = await facts.learn(seen, () => learn(ask, [...hidden, column]));
        if (rows) return rows;
      }
    }
  }

  /**
   * Learns the hidden fields and repeats the query for all visible ones in one call. Its rows are used where they
   * have all selected fields; otherwise these are requested by name.
   */
  async function learn(
    ask: ReadAsk,
    hidden: readonly string[],
  ): Promise<Learnt<Pages | undefined>> {
    const extra = selectFields(ask, mappings, new Set(hidden)).filter(isCustom);
    const paths = toPaths(ask, [STANDARD_FIELDS, ...extra]);
    const [description, ...parts] = await readParts(call, paths, [DESCRIBE]);
    const visible =
      description && isSuccess(description) ? toFieldNames(description.body) : undefined;
    const unseen = visible ? [...HIDEABLE_FIELDS].filter((name) => !visible.has(name)) : [];
    const all = new Set([...hidden, ...unseen]);
    return {
      facts: JSON.stringify([...all]),
      result: await readNamed(parts, selectFields(ask, mappings, all)),
    };
  }

  /** Undefined where this fails: the query by name reports the reason. */
  async function readNamed(
    parts: readonly Part[],
    names: readonly FieldName[],
  ): Promise<Pages | undefined> {
    try {
      return pick(await readPages(call, parts.map(understandPart)), names);
    } catch {
      return undefined;
    }
  }
}

function toPaths(
  { conditions, order, limit, includesDeleted }: ReadAsk,
  fields: readonly FieldName[],
): readonly string[] {
  const resource = includesDeleted ? 'queryAll' : 'query';
  return conditions.map((where) => toPath(select({ fields, where, order, limit }), resource));
}

/** The rows reduced to these fields; undefined where one is missing. */
function pick(pages: Pages, names: readonly FieldName[]): Pages | undefined {
  const keys = [...new Set(names.map((name) => name.split('.')[0] ?? name))];
  const isWhole = pages.every((rows) =>
    rows.every((row) => keys.every((key) => row[key] !== undefined)),
  );
  if (!isWhole) return undefined;
  const kept = ['attributes', ...keys];
  return pages.map((rows) =>
    rows.map((row) => Object.fromEntries(kept.map((key) => [key, row[key]]))),
  );
}

/** Custom fields and fields of related records must be named: FIELDS(STANDARD) does not include them. */
function isCustom(name: FieldName): boolean {
  return name.includes('__') || name.includes('.');
}

function readHidden(facts: string | undefined): ReadonlySet<string> {
  return facts === undefined ? NOTHING : new Set(JSON.parse(facts) as readonly string[]);
}

/** Adds the mapping that requested the missing column to the error. */
function explain(
  error: unknown,
  column: string | undefined,
  mappings: readonly FieldMapping[],
): unknown {
  const mapping = mappings.find(({ mappedField }) =>
    mappedField
      .toLowerCase()
      .split('.')
      .some((part) => part === column),
  );
  if (mapping === undefined || !(error instanceof RemoteFailure)) return error;
  return new RemoteFailure(
    'REMOTE_PROVIDER_ERROR',
    `The field mapping "${mapping.schemaField}" names the Contact field "${mapping.mappedField}", which Salesforce does not have or does not show to the connected user`,
    error.answer,
  );
}

/** The missing column in lower case. */
function missingColumn(error: unknown): string | undefined {
  const { errorCode, message } = failureOf(error);
  if (errorCode !== 'INVALID_FIELD' || message === null) return undefined;
  const named = /(?:No such column|Didn't understand relationship) '(?:\w+\.)?(\w+)'/.exec(message);
  return named?.[1]?.toLowerCase();
}

const NOTHING: ReadonlySet<string> = new Set();

/** The contact fields that the connected user can see, in lower case. */
function toFieldNames(json: unknown): ReadonlySet<string> | undefined {
  const fields = isRecord(json) ? json['fields'] : undefined;
  if (!Array.isArray(fields)) return undefined;
  const names = fields.map((field) => (isRecord(field) ? field['name'] : undefined));
  return new Set(
    names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()),
  );
}

const DESCRIBE = `${API}/sobjects/Contact/describe`;

export type ContactReader = ReturnType<typeof createReader>;

interface ReadAsk extends Wanted, Pick<Select, 'order' | 'limit'> {
  readonly conditions: readonly Condition[];
}
