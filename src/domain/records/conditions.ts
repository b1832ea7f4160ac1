import { isRfc3339 } from '../../lib/text.ts';
import type { CustomFieldValue, SourcedField } from '../custom-field.ts';
import { readCustomFieldValue } from '../custom-field-values.ts';
import type { ProviderFieldType } from '../custom-fields.ts';
import { CrossbookError } from '../errors.ts';
import {
  boolean,
  type Field,
  field,
  moment,
  type Of,
  patch,
  type Shape,
  shape,
  string,
} from '../shape.ts';
import type { CrmRecord, RecordKind } from './record.ts';

/**
 * Everything that the product knows of one condition: its input, from which the fields of GraphQL, REST and MCP are
 * derived, its check, its cost, who may use it, and how a record is verified. How a CRM searches by it is in the
 * adapters, which also verify keys, such as emails.
 */
export interface Condition<Given, Filter extends RecordFilter, Item extends CrmRecord> {
  /** The condition's field in each API. */
  readonly input: Field<Given>;
  /** Checks a given value, and returns its canonical form: equal searches have equal filters. */
  read(given: Given): Filter;
  /** How many records a given value names, for the query cost. Absent: the condition lists records. */
  countLookUps?(given: Given): number;
  /** Lists records that the caller does not know yet: a customer token needs `canList`, and nothing is cached. */
  readonly isListing?: true;
  /** The fields that hits are verified by, besides those that adapters always read: the id and the keys. */
  readonly verifiedFields?: readonly string[];
  /** Whether a hit is one: CRMs match more than was asked for, and search indexes lag. */
  matches?(record: Item, filter: ListFilterOf<Filter>): boolean;
}

/**
 * A type of record and its filter: exactly one of these conditions. A new condition is one entry, and its translation in
 * each adapter.
 */
export function declareFilter<Item extends CrmRecord, Inputs extends AnyInputs>(
  record: RecordKind<Item>,
  { name, example }: { readonly name: string; readonly example: string },
  conditions: ConditionsOf<Inputs, Item>,
): SearchedKind<Item, GivenOf<Inputs>> {
  const names = Object.keys(conditions);
  const byName = conditions as Readonly<Record<string, AnyCondition>>;
  const listGiven = (given: object) =>
    names.filter(
      (one) => (given as AnyGiven)[one] !== undefined && (given as AnyGiven)[one] !== null,
    );
  const inputs = names.map((one) => [one, byName[one]?.input]);
  const filters: FilterKind<Item, GivenOf<Inputs>> = {
    input: patch(
      name,
      'Search condition: exactly one of the fields.',
      {},
      Object.fromEntries(inputs),
    ) as never,
    read(given) {
      const found = listGiven(given);
      const [one = ''] = found;
      const condition = byName[one];
      if (condition && found.length === 1) return condition.read((given as AnyGiven)[one]);
      throw new CrossbookError(
        'BAD_REQUEST',
        `The filter must have exactly one condition, such as ${example}, and has ${found.length || 'none'}.`,
      );
    },
    countLookUps: (given) =>
      Math.max(
        0,
        ...listGiven(given).map(
          (one) => byName[one]?.countLookUps?.((given as AnyGiven)[one]) ?? 0,
        ),
      ),
    isListing: ({ by }) => byName[by]?.isListing === true,
    verifiedFields: ({ by }) => byName[by]?.verifiedFields ?? [],
    matches: (record, filter) => byName[filter.by]?.matches?.(record, filter) ?? false,
  };
  return { record, filters };
}

/** What the product knows of the filter of a type of record. */
export interface FilterKind<Item extends CrmRecord, Given> {
  /** The input of a search in all APIs, which GraphQL and REST name. */
  readonly input: Shape<Given>;
  /** Checks a filter: exactly one condition, with a valid value. */
  read(given: Given): RecordFilter;
  /** How many records a filter names: 0 if it lists them. Unchecked, because costs are estimated first. */
  countLookUps(given: object): number;
  /** Whether a filter lists records that the caller does not know yet. */
  isListing(filter: Pick<RecordFilter, 'by'>): boolean;
  /** The fields to read so that hits can be verified. */
  verifiedFields(filter: Pick<RecordFilter, 'by'>): readonly string[];
  /** Whether a record matches, as far as it can be seen. Adapters return no others. */
  matches(record: Item, filter: ListFilter): boolean;
}

/** A type of record with its filter. */
export interface SearchedKind<Item extends CrmRecord, Given> {
  readonly record: RecordKind<Item>;
  readonly filters: FilterKind<Item, Given>;
}

/** A unique key of a filter for cursors and the cache. No email or domain starts with a space. */
export function filterCacheKey(filter: RecordFilter): string {
  if (filter.by === 'emails') return filter.emails.join('\n');
  return filter.by === 'emailDomain' ? `@${filter.domain}` : ` ${JSON.stringify(filter)}`;
}

export function modifiedSince(nouns: string): Condition<string, Named<'modifiedSince'>, CrmRecord> {
  return {
    input: field(
      moment,
      `Finds ${nouns} modified at or after this time. Each page says up to which time; pass that time to the next search, and every change is seen at least once. Deleted ${nouns} are not found.`,
    ),
    read(given) {
      if (!isRfc3339(given))
        throw unprocessable(
          'The filter’s time of modification is not an RFC 3339 time, such as 2026-01-31T00:00:00Z.',
        );
      return { by: 'modifiedSince', since: Math.max(0, toMilliseconds(given)) };
    },
    isListing: true,
    verifiedFields: ['lastModifiedAt'],
    // One that was modified after the period is found again by the next search.
    matches: ({ lastModifiedAt }, { since }) =>
      lastModifiedAt !== null && Date.parse(lastModifiedAt) >= since,
  };
}

const customFieldFilter = shape(
  'CustomFieldFilter',
  'Condition on one of your application’s custom fields.',
  {
    name: field(string, 'Name of the custom field.', { example: 'favoriteColor' }),
    equals: field(
      string,
      'Value of the custom field, at most 255 characters: a number as `42`, a boolean as `true`, a date as `2026-01-31`. Texts are compared case-insensitively; of several choices, one has to be equal.',
      { example: 'violet' },
    ),
  },
);

export const customField: Condition<
  Of<typeof customFieldFilter>,
  Named<'customField'>,
  CrmRecord
> = {
  input: field(
    customFieldFilter,
    'Custom field of your application and its value. A field by which the CRM cannot filter is `UNPROCESSABLE_ENTITY`.',
  ),
  read({ name, equals }) {
    if (equals.length > MAX_EQUALS_LENGTH)
      throw unprocessable(
        `The filter’s custom field has a value of more than ${MAX_EQUALS_LENGTH} characters.`,
      );
    if (equals.trim() === '') throw unprocessable('The filter’s custom field has an empty value.');
    return { by: 'customField', name, equals };
  },
  isListing: true,
  matches: ({ customFields = {} }, { field: { name, type }, value }) => {
    const found = customFields[name] ?? null;
    if (type === 'TEXT') return fold(found) === fold(value);
    return Array.isArray(found) ? found.includes(value) : found === value;
  },
};

export function all(nouns: string): Condition<boolean, Named<'all'>, CrmRecord> {
  return {
    input: field(boolean, `All ${nouns}: only \`true\` is accepted.`),
    read(given) {
      if (given) return { by: 'all' };
      throw unprocessable(
        'The filter’s "all" can only be true. To filter, omit it and use another condition.',
      );
    },
    isListing: true,
    matches: () => true,
  };
}

/** The value of a custom field that a filter gives as text. */
export function readFilterValue(type: SourcedField['type'], equals: string): FilterValue {
  const value = readCustomFieldValue(type === 'CHOICES' ? 'CHOICE' : type, equals);
  if (value !== undefined && value !== null && typeof value !== 'object') return value;
  throw unprocessable(`The filter’s custom field has a value that is not a valid ${type}.`);
}

/** The error for a filter that the account cannot answer, because of one of the CRM's fields. */
export class NotFilterableError extends CrossbookError {
  /** Without a name: the field is not the source of a custom field. */
  constructor({ name, source }: { readonly name?: string; readonly source: string }) {
    super(
      'UNPROCESSABLE_ENTITY',
      name === undefined
        ? `This account cannot be searched by the filter: the CRM’s field ${source} is hidden from the connected user, or the CRM cannot filter by it.`
        : `The CRM cannot filter by the custom field "${name}", which is read from ${source}.`,
    );
  }
}

function fold(value: CustomFieldValue): CustomFieldValue {
  return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

/** Rounded up: a record's time has no more than milliseconds, and one before the given time is no hit. */
function toMilliseconds(time: string): number {
  return Date.parse(time) + (/\.\d{3}\d*[1-9]/.test(time) ? 1 : 0);
}

export function unprocessable(detail: string): CrossbookError {
  return new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

const MAX_EQUALS_LENGTH = 255;

/** Checked and canonical. Emails are normalized, unique and sorted. */
export type RecordFilter =
  | LookUpByEmails
  | { readonly by: 'phone'; readonly text: string; readonly digits: string }
  | { readonly by: 'emailDomain'; readonly domain: string }
  | { readonly by: 'namePrefix'; readonly prefix: string }
  /** Milliseconds since 1970. */
  | { readonly by: 'modifiedSince'; readonly since: number }
  | { readonly by: 'customField'; readonly name: string; readonly equals: string }
  | { readonly by: 'all' };

export interface LookUpByEmails {
  readonly by: 'emails';
  readonly emails: readonly string[];
}

export type PhoneFilter = Named<'phone'>;

/** A filter by which a CRM's records are listed, as adapters get it. */
export type ListFilter =
  | PhoneFilter
  | Named<'emailDomain'>
  | Named<'namePrefix'>
  | ModifiedFilter
  | CustomFieldFilter
  | Named<'all'>;

/** Both ends belong to the period. */
export type ModifiedFilter = Named<'modifiedSince'> & { readonly until: number };

export interface CustomFieldFilter {
  readonly by: 'customField';
  readonly field: SourcedField;
  readonly value: FilterValue;
  /** The type of the CRM's field. Undefined: not known, as for fields of related records. */
  readonly sourceType: ProviderFieldType | undefined;
}

export type FilterValue = string | number | boolean;

export type Named<By extends RecordFilter['by']> = Extract<RecordFilter, { readonly by: By }>;
type ListFilterOf<Filter extends RecordFilter> = Extract<ListFilter, { readonly by: Filter['by'] }>;

/** The given values by the names of the conditions. */
type AnyInputs = Readonly<Record<string, unknown>>;
type ConditionsOf<Inputs extends AnyInputs, Item extends CrmRecord> = {
  readonly [Name in keyof Inputs]: ConditionOf<Inputs[Name], Item>;
};
type GivenOf<Inputs extends AnyInputs> = {
  readonly [Name in keyof Inputs]?: Inputs[Name] | null | undefined;
};
type AnyGiven = Readonly<Record<string, unknown>>;

/** A condition, whatever its filter. */
interface ConditionOf<Given, Item extends CrmRecord>
  extends Omit<Condition<Given, RecordFilter, Item>, 'matches'> {
  matches?(record: Item, filter: never): boolean;
}

interface AnyCondition extends Omit<ConditionOf<unknown, CrmRecord>, 'matches'> {
  matches?(record: CrmRecord, filter: ListFilter): boolean;
}
