import { findFieldMappings, type Learnt } from '../../domain/connection.ts';
import type { SourcedField } from '../../domain/custom-field.ts';
import { isObjectOf } from '../../domain/custom-fields.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import { type ListFilter, NotFilterableError } from '../../domain/records/conditions.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import { type FieldSelection, toRecordOrigin } from '../../domain/records/record-search.ts';
import type { DescribedField } from '../../domain/writing.ts';
import { isRecord } from '../../lib/json.ts';
import { API, createCall, failureOf } from './call.ts';
import { toProviderFields } from './fields.ts';
import { type FilterQuery, toQuery } from './filters.ts';
import {
  type AnyObject,
  hideableFieldsOf,
  isStandardField,
  type SalesforceObject,
  selectFields,
  selectOptionalFields,
  type Wanted,
} from './object.ts';
import {
  isInList,
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
  CONTACT,
  type Condition,
  count,
  type FieldName,
  type Select,
  type Sosl,
  STANDARD_FIELDS,
  select,
} from './soql.ts';

/** Reads records of a type by conditions: the shared part of the ways to find them. */
export function createReader<Item extends CrmRecord>(
  { send, connection, openFacts }: CustomerAccount,
  object: SalesforceObject<Item>,
) {
  const facts = openFacts();
  const call = createCall(send);
  const mappings = findFieldMappings(connection, (name) =>
    isObjectOf(object.kind.type, object.name, name),
  );
  const describe = `${API}/sobjects/${object.name}/describe`;
  const hideable = hideableFieldsOf(object);
  const source = toRecordOrigin(connection, object.kind);

  return {
    /** The rows of all conditions, in pages. */
    read,
    readByKey,
    readMatching,
    countMatching,
    ...(object.complete && { complete: object.complete }),
    search: (query: Sosl) => readIds(call, query),
    toRecord: (row: Row, selection: FieldSelection) => object.toRecord(row, source, selection),
    /** The fields of a read, without those that are known to be hidden. */
    namesOf: async (ask: Wanted) =>
      selectFields(object, ask, mappings, readHidden(object, await facts.read())),
    listFields,
  };

  /**
   * Reads rows. Orgs may hide fields from the connected user, and Salesforce rejects a whole query for one hidden or
   * missing field, which it names. Such fields are omitted, and learnt once for all searches.
   */
  async function read(ask: ReadAsk): Promise<Pages> {
    for (;;) {
      const seen = await facts.read();
      const hidden = readHidden(object, seen);
      reportHidden(object, ask.selection, hidden);
      try {
        const paths = toPaths(object, ask, selectFields(object, ask, mappings, hidden), hidden);
        return paths.length === 0 ? [] : await readRows(call, paths);
      } catch (error) {
        const missing = findMissing(object, error, selectOptionalFields(ask.selection, mappings));
        const learnt = missing.filter((name) => !hidden.has(name));
        if (learnt.length === 0) throw error;
        const rows = await facts.learn(seen, () => learn(seen, ask, [...hidden, ...learnt]));
        if (rows) {
          reportHidden(object, ask.selection, new Set(learnt));
          return rows;
        }
      }
    }
  }

  /** The rows that have one of these values in a field. */
  async function readByKey(
    field: FieldName,
    values: readonly string[],
    ask: Omit<ReadAsk, 'conditions'>,
  ): Promise<Pages> {
    const conditions = isInList(field, values);
    return askByFields([field], () =>
      read({
        ...ask,
        conditions(hidden) {
          refuseHidden([field], hidden);
          return conditions;
        },
      }),
    );
  }

  /** The rows that a filter matches. */
  async function readMatching({ filter, beyond, ...ask }: MatchingAsk): Promise<readonly Row[]> {
    const query = toQuery(filter, object);
    const conditions = (hidden: ReadonlySet<string>) => {
      const where = toWhere(query, hidden);
      return where === 'nothing' ? [] : [allOf([where, beyond])];
    };
    return (await askByFilter(filter, query, () => read({ ...ask, conditions }))).flat();
  }

  /** Null if the condition matches more than the filter. */
  async function countMatching(filter: ListFilter): Promise<number | null> {
    const query = toQuery(filter, object);
    if (!query.isExact) return null;
    return askByFilter(filter, query, async () => {
      const where = toWhere(query, readHidden(object, await facts.read()));
      return where === 'nothing' ? 0 : readCount(call, count(object.name, where));
    });
  }

  /**
   * The fields of the describe. Hidden fields are learnt again, so that a refresh finds those that have become visible.
   */
  async function listFields(): Promise<readonly DescribedField[]> {
    const seen = await facts.read();
    const list = () => call({ path: describe, isDescription: true }, toProviderFields);
    const listed = await facts.learn(seen, async () => {
      const fields = await list();
      const visible = new Set(fields.map(({ name }) => name.toLowerCase()));
      const hidden = [...hideable].filter((name) => !visible.has(name));
      return { facts: writeHidden(object, seen, hidden), result: fields };
    });
    return listed ?? list();
  }

  /**
   * Learns the hidden fields and repeats the query for all visible ones in one call. Its rows are used where they
   * have all selected fields; otherwise these are requested by name.
   */
  async function learn(
    seen: string | undefined,
    ask: ReadAsk,
    hidden: readonly string[],
  ): Promise<Learnt<Pages | undefined>> {
    const unread = new Set(hidden);
    const extra = selectFields(object, ask, mappings, unread).filter(isCustom);
    const paths = toPaths(object, ask, [STANDARD_FIELDS, ...extra], unread);
    const [description, ...parts] = await readParts(call, paths, [describe]);
    const visible =
      description && isSuccess(description) ? toFieldNames(description.body) : undefined;
    const optional = selectOptionalFields(ask.selection, mappings)
      .filter((name) => !name.includes('.'))
      .map((name) => name.toLowerCase());
    const unseen = visible ? [...hideable, ...optional].filter((name) => !visible.has(name)) : [];
    const all = new Set([...hidden, ...unseen]);
    return {
      facts: writeHidden(object, seen, all),
      result: await readNamed(parts, selectFields(object, ask, mappings, all)),
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
  { name: from }: AnyObject,
  { conditions, order, limit, includesDeleted }: ReadAsk,
  fields: readonly FieldName[],
  hidden: ReadonlySet<string>,
): readonly string[] {
  const resource = includesDeleted ? 'queryAll' : 'query';
  const wanted = typeof conditions === 'function' ? conditions(hidden) : conditions;
  return wanted.map((where) => toPath(select({ fields, from, where, order, limit }), resource));
}

/** A filter's condition, without the alternatives that are about hidden fields. Throws if it requires one of these. */
function toWhere({ anyOf: all, requires }: FilterQuery, hidden: ReadonlySet<string>) {
  const isVisible = (name: FieldName) => !hidden.has(name.toLowerCase());
  const visible = all.filter(({ fields }) => fields.every(isVisible));
  if (requires === 'all' || (requires === 'any' && visible.length === 0))
    refuseHidden(
      all.flatMap(({ fields }) => fields),
      hidden,
    );
  const [first, ...others] = visible;
  if (first?.condition === undefined) return first ? undefined : ('nothing' as const);
  const conditions = others.flatMap(({ condition }) => condition ?? []);
  return conditions.length === 0 ? first.condition : anyOf([first.condition, ...conditions]);
}

/** Throws the use case's error if Salesforce cannot filter by a field. */
async function askByFilter<Found>(
  filter: ListFilter,
  { anyOf: all }: FilterQuery,
  work: () => Promise<Found>,
): Promise<Found> {
  const fields = all.flatMap((alternative) => alternative.fields);
  return askByFields(fields, work, filter.by === 'customField' ? filter.field : undefined);
}

async function askByFields<Found>(
  fields: readonly FieldName[],
  work: () => Promise<Found>,
  customField?: SourcedField,
): Promise<Found> {
  try {
    return await work();
  } catch (error) {
    const refused =
      findRefused(error, fields) ?? (customField ? undefined : findHidden(error, fields));
    if (refused === undefined) throw error;
    throw new NotFilterableError(customField ?? { source: refused });
  }
}

/** The field that cannot be filtered, as an encrypted one, or that is of another type than its list of fields said. */
function findRefused(error: unknown, fields: readonly FieldName[]): FieldName | undefined {
  const { errorCode, message } = failureOf(error);
  const isRefused =
    errorCode === 'INVALID_QUERY_FILTER_OPERATOR' ||
    (errorCode === 'INVALID_FIELD' && /can ?not be filtered|filter criterion/i.test(message ?? ''));
  if (!isRefused) return undefined;
  const named = /field '(?:\w+\.)*(\w+)'/i.exec(message ?? '')?.[1]?.toLowerCase();
  return fields.find((name) => name.toLowerCase() === named) ?? fields[0];
}

/** A count does not learn which fields are hidden. */
function findHidden(error: unknown, fields: readonly FieldName[]): FieldName | undefined {
  const { errorCode, message } = failureOf(error);
  const [, hidden] = (errorCode === 'INVALID_FIELD' && NO_COLUMN.exec(message ?? '')) || [];
  return fields.find((name) => name.toLowerCase() === hidden?.toLowerCase());
}

function refuseHidden(fields: readonly FieldName[], hidden: ReadonlySet<string>): void {
  const refused = fields.find((name) => hidden.has(name.toLowerCase()));
  if (refused !== undefined) throw new NotFilterableError({ source: refused });
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

/**
 * The facts of a connection are the hidden fields of all objects: those of contacts by their names, others as
 * `Account:name`.
 */
function readHidden(object: AnyObject, facts: string | undefined): ReadonlySet<string> {
  if (facts === undefined) return NOTHING;
  const prefix = prefixOf(object);
  return new Set(
    readFacts(facts)
      .filter((fact) => isOf(fact, prefix))
      .map((fact) => fact.slice(prefix.length)),
  );
}

function writeHidden(object: AnyObject, facts: string | undefined, hidden: Iterable<string>) {
  const prefix = prefixOf(object);
  const others = readFacts(facts).filter((fact) => !isOf(fact, prefix));
  return JSON.stringify([...others, ...Array.from(hidden, (name) => prefix + name)]);
}

function readFacts(facts = '[]'): readonly string[] {
  return JSON.parse(facts) as readonly string[];
}

function prefixOf({ name }: AnyObject): string {
  return name === CONTACT ? '' : `${name}:`;
}

function isOf(fact: string, prefix: string): boolean {
  return prefix === '' ? !fact.includes(':') : fact.startsWith(prefix);
}

/** Tells the search which custom fields cannot be read. Hidden names are in lower case. */
function reportHidden(
  object: AnyObject,
  { customFields }: FieldSelection,
  hidden: ReadonlySet<string>,
): void {
  if (!customFields || hidden.size === 0) return;
  for (const field of customFields.fields) {
    if (!hidden.has(field.source.toLowerCase())) continue;
    customFields.onProblem(field, isStandardField(object, field.source) ? 'HIDDEN' : 'MISSING');
  }
}

/** The fields of a query that the error says are missing, in lower case; `optional` are those that an org may lack. */
function findMissing(
  object: AnyObject,
  error: unknown,
  optional: readonly FieldName[],
): readonly string[] {
  const { errorCode, message } = failureOf(error);
  if (errorCode !== 'INVALID_FIELD' || message === null) return [];
  const [, column, entity] = NO_COLUMN.exec(message) ?? [];
  const itself = object.name.toLowerCase();
  const [, relationship] = NO_RELATIONSHIP.exec(message) ?? [];
  const named = (column ?? relationship)?.toLowerCase();
  if (named === undefined) return [];
  const isOwn = column !== undefined && (entity ?? itself).toLowerCase() === itself;
  const names = optional.map((name) => name.toLowerCase());
  if (isOwn && (hideableFieldsOf(object).has(named) || names.includes(named))) return [named];
  const place = column === undefined ? 0 : 1;
  return names.filter((name) => name.includes('.') && name.split('.')[place] === named);
}

const NO_COLUMN = /No such column '(?:\w+\.)?(\w+)'(?: on (?:entity|sobject of type) '?(\w+))?/;
const NO_RELATIONSHIP = /Didn't understand relationship '(?:\w+\.)?(\w+)'/;

const NOTHING: ReadonlySet<string> = new Set();

/** The fields that the connected user can see, in lower case. */
function toFieldNames(json: unknown): ReadonlySet<string> | undefined {
  const fields = isRecord(json) ? json['fields'] : undefined;
  if (!Array.isArray(fields)) return undefined;
  const names = fields.map((field) => (isRecord(field) ? field['name'] : undefined));
  return new Set(
    names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()),
  );
}

export type RecordReader<Item extends CrmRecord> = ReturnType<typeof createReader<Item>>;

interface ReadAsk extends Wanted, Pick<Select, 'order' | 'limit'> {
  /** By the hidden fields, in lower case. Undefined in a list: all records. */
  readonly conditions:
    | readonly Condition[]
    | ((hidden: ReadonlySet<string>) => readonly (Condition | undefined)[]);
}

interface MatchingAsk extends Omit<ReadAsk, 'conditions'> {
  readonly filter: ListFilter;
  /** The range of ids. */
  readonly beyond?: Condition | undefined;
}
