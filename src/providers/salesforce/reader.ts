import { findFieldMappings, type Learnt } from '../../domain/connection.ts';
import { type ListFilter, NotFilterableError } from '../../domain/contact-filter.ts';
import { type FieldSelection, toContactOrigin } from '../../domain/contact-search.ts';
import { isContactObject, type ProviderField } from '../../domain/own-fields.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import { isRecord } from '../../lib/json.ts';
import { API, createCall, failureOf } from './call.ts';
import {
  HIDEABLE_FIELDS,
  isStandardField,
  selectFields,
  selectOptionalFields,
  toContact,
  type Wanted,
} from './contacts.ts';
import { toProviderFields } from './fields.ts';
import { type FilterQuery, toQuery } from './filters.ts';
import {
  isSuccess,
  type Pages,
  type Part,
  type Row,
  readCount,
  readIds,
  readPages,
  readParts,
  readRows,
  toPath,
  understandPart,
} from './query.ts';
import {
  allOf,
  anyOf,
  type Condition,
  count,
  type FieldName,
  type Select,
  type Sosl,
  STANDARD_FIELDS,
  select,
} from './soql.ts';

/** Reads contacts by conditions: the shared part of the three ways to find them. */
export function createReader({ send, connection, openFacts }: CustomerAccount) {
  const facts = openFacts();
  const call = createCall(send);
  const mappings = findFieldMappings(connection, isContactObject);
  const source = toContactOrigin(connection);

  return {
    /** The rows of all conditions, in pages. */
    read,
    readMatching,
    countMatching,
    readQuery,
    search: (query: Sosl) => readIds(call, query),
    toContact: (row: Row, selection: FieldSelection) => toContact(row, source, selection),
    /** The fields of a read, without those that are known to be hidden. */
    namesOf: async (ask: Wanted) => selectFields(ask, mappings, readHidden(await facts.read())),
    listFields,
  };

  /**
   * Reads rows. Orgs may hide fields from the connected user, and Salesforce rejects a whole query for one hidden or
   * missing field, which it names. Such fields are omitted, and learnt once for all searches.
   */
  async function read(ask: ReadAsk): Promise<Pages> {
    for (;;) {
      const seen = await facts.read();
      const hidden = readHidden(seen);
      reportHidden(ask.selection, hidden);
      try {
        const paths = toPaths(ask, selectFields(ask, mappings, hidden), hidden);
        return paths.length === 0 ? [] : await readRows(call, paths);
      } catch (error) {
        const missing = findMissing(error, selectOptionalFields(ask.selection, mappings));
        const learnt = missing.filter((name) => !hidden.has(name));
        if (learnt.length === 0) throw error;
        const rows = await facts.learn(seen, () => learn(ask, [...hidden, ...learnt]));
        if (rows) {
          reportHidden(ask.selection, new Set(learnt));
          return rows;
        }
      }
    }
  }

  /** The rows that a filter matches. A filter by hidden fields only matches none. */
  async function readMatching({ filter, ...ask }: MatchingAsk): Promise<readonly Row[]> {
    return withOwnField(filter, (query) => readQuery(query, ask));
  }

  /** The same for a query that is not of a list. */
  async function readQuery(
    query: FilterQuery,
    { beyond, ...ask }: Omit<MatchingAsk, 'filter'>,
  ): Promise<readonly Row[]> {
    const conditions = (hidden: ReadonlySet<string>) => {
      const where = toWhere(query, hidden);
      return where === 'nothing' ? [] : [allOf([where, beyond])];
    };
    return (await read({ ...ask, conditions })).flat();
  }

  /** Null if the condition matches more than the filter. */
  async function countMatching(filter: ListFilter): Promise<number | null> {
    return withOwnField(filter, async (query) => {
      if (!query.isExact) return null;
      const where = toWhere(query, readHidden(await facts.read()));
      return where === 'nothing' ? 0 : readCount(call, count(where));
    });
  }

  /**
   * The fields of the describe. Hidden fields are learnt again, so that a refresh finds those that have become visible.
   */
  async function listFields(): Promise<readonly ProviderField[]> {
    const seen = await facts.read();
    const describe = () => call({ path: DESCRIBE }, toProviderFields);
    const listed = await facts.learn(seen, async () => {
      const fields = await describe();
      const visible = new Set(fields.map(({ name }) => name.toLowerCase()));
      const hidden = [...HIDEABLE_FIELDS].filter((name) => !visible.has(name));
      return { facts: JSON.stringify(hidden), result: fields };
    });
    return listed ?? describe();
  }

  /**
   * Learns the hidden fields and repeats the query for all visible ones in one call. Its rows are used where they
   * have all selected fields; otherwise these are requested by name.
   */
  async function learn(
    ask: ReadAsk,
    hidden: readonly string[],
  ): Promise<Learnt<Pages | undefined>> {
    const unread = new Set(hidden);
    const extra = selectFields(ask, mappings, unread).filter(isCustom);
    const paths = toPaths(ask, [STANDARD_FIELDS, ...extra], unread);
    const [description, ...parts] = await readParts(call, paths, [DESCRIBE]);
    const visible =
      description && isSuccess(description) ? toFieldNames(description.body) : undefined;
    const optional = selectOptionalFields(ask.selection, mappings)
      .filter((name) => !name.includes('.'))
      .map((name) => name.toLowerCase());
    const unseen = visible
      ? [...HIDEABLE_FIELDS, ...optional].filter((name) => !visible.has(name))
      : [];
    const all = new Set([...hidden, ...unseen]);
    return {
      facts: JSON.stringify([...all]),
      result: await readNamed(parts, selectFields(ask, mappings, all)),
    };
  }

  /** Undefined if this fails: the query by name reports the reason. */
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
  hidden: ReadonlySet<string>,
): readonly string[] {
  const resource = includesDeleted ? 'queryAll' : 'query';
  const wanted = typeof conditions === 'function' ? conditions(hidden) : conditions;
  return wanted.map((where) => toPath(select({ fields, where, order, limit }), resource));
}

/** A filter's condition, without the alternatives that are about hidden fields. */
function toWhere({ anyOf: all }: FilterQuery, hidden: ReadonlySet<string>) {
  const [first, ...others] = all.filter(({ fields }) =>
    fields.every((name) => !hidden.has(name.toLowerCase())),
  );
  if (first?.condition === undefined) return first ? undefined : ('nothing' as const);
  const conditions = others.flatMap(({ condition }) => condition ?? []);
  return conditions.length === 0 ? first.condition : anyOf([first.condition, ...conditions]);
}

/** Throws the use case's error if Salesforce cannot filter by an own field. */
async function withOwnField<Found>(
  filter: ListFilter,
  work: (query: FilterQuery) => Promise<Found>,
): Promise<Found> {
  try {
    return await work(toQuery(filter));
  } catch (error) {
    if (filter.by !== 'customField' || !isAboutFilter(error)) throw error;
    throw new NotFilterableError(filter.field);
  }
}

/** The field cannot be filtered, or is of another type than its list of fields said. */
function isAboutFilter(error: unknown): boolean {
  const { errorCode, message } = failureOf(error);
  if (errorCode === 'INVALID_QUERY_FILTER_OPERATOR') return true;
  return (
    errorCode === 'INVALID_FIELD' && /can ?not be filtered|filter criterion/i.test(message ?? '')
  );
}

/** The rows reduced to these fields; undefined if one is missing. */
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

/** Tells the search which own fields cannot be read. Hidden names are in lower case. */
function reportHidden({ ownFields }: FieldSelection, hidden: ReadonlySet<string>): void {
  if (!ownFields || hidden.size === 0) return;
  for (const field of ownFields.fields) {
    if (!hidden.has(field.source.toLowerCase())) continue;
    ownFields.onProblem(field, isStandardField(field.source) ? 'HIDDEN' : 'MISSING');
  }
}

/** The fields of a query that the error says are missing, in lower case; `optional` are those that an org may lack. */
function findMissing(error: unknown, optional: readonly FieldName[]): readonly string[] {
  const { errorCode, message } = failureOf(error);
  if (errorCode !== 'INVALID_FIELD' || message === null) return [];
  const [, column, object] = NO_COLUMN.exec(message) ?? [];
  const [, relationship] = NO_RELATIONSHIP.exec(message) ?? [];
  const named = (column ?? relationship)?.toLowerCase();
  if (named === undefined) return [];
  const isOwn = column !== undefined && (object ?? 'contact').toLowerCase() === 'contact';
  const names = optional.map((name) => name.toLowerCase());
  if (isOwn && (HIDEABLE_FIELDS.has(named) || names.includes(named))) return [named];
  const place = column === undefined ? 0 : 1;
  return names.filter((name) => name.includes('.') && name.split('.')[place] === named);
}

const NO_COLUMN = /No such column '(?:\w+\.)?(\w+)'(?: on (?:entity|sobject of type) '?(\w+))?/;
const NO_RELATIONSHIP = /Didn't understand relationship '(?:\w+\.)?(\w+)'/;

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
  /** By the hidden fields, in lower case. Undefined in a list: all contacts. */
  readonly conditions:
    | readonly Condition[]
    | ((hidden: ReadonlySet<string>) => readonly (Condition | undefined)[]);
}

interface MatchingAsk extends Omit<ReadAsk, 'conditions'> {
  readonly filter: ListFilter;
  /** The range of ids. */
  readonly beyond?: Condition | undefined;
}
