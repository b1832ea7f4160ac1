import { isRfc3339 } from '../../lib/text.ts';
import { withLacking } from '../../provider-texts.ts';
import type { CustomFieldValue, SourcedField } from '../custom-field.ts';
import { readCustomFieldValue } from '../custom-field-values.ts';
import type { ProviderFieldType } from '../custom-fields.ts';
import { normalizeEmailInput } from '../email.ts';
import { CrossbookError } from '../errors.ts';
import {
  boolean,
  type Field,
  type Fields,
  field,
  moment,
  type Of,
  patch,
  type Shape,
  shape,
  string,
} from '../shape.ts';
import type { DealStatus } from './pipeline.ts';
import type { CrmRecord, RecordKind } from './record.ts';

/**
 * Everything that the product knows of one condition: its input, from which the fields of GraphQL, REST and MCP are
 * derived, its check, its cost, who may use it, and how a record is verified. How a CRM searches by it is in the
 * adapters, which also verify keys, such as emails.
 */
export interface Condition<Value, Filter extends RecordFilter, Item extends CrmRecord> {
  /** The condition's field in each API. */
  readonly input: Field<Value>;
  /** Checks a given value, and returns its canonical form: equal searches have equal filters. */
  read(value: Value): Filter;
  /** How many records a given value names, for the query cost. Absent: the condition lists records. */
  countLookUps?(value: Value): number;
  /** Lists records that the caller does not know yet: a customer token needs `canList`, and nothing is cached. */
  readonly isListing?: true;
  /** The fields that hits are verified by, besides those that adapters always read: the id and the keys. */
  readonly verifiedFields?: readonly string[];
  /** Whether a hit is one: CRMs match more than was asked for, and search indexes lag. */
  matches?(record: Item, filter: ListFilterOf<Filter>): boolean;
}

/** Conditions of one filter that can be combined, as one filter for adapters. */
export interface Combination<Item extends CrmRecord> {
  readonly inputs: Fields;
  /** Checks the given values, of which there is at least one. */
  read(input: AnyInput): Named<'where'>;
  /** The fields that hits are verified by. */
  verifiedFields(filter: Named<'where'>): readonly string[];
  matches(record: Item, filter: Named<'where'>): boolean;
}

/**
 * A type of record and its filter: exactly one of these conditions, or any of those that can be combined. A new condition
 * is one entry, and its translation in each adapter.
 */
export function declareFilter<Item extends CrmRecord, Inputs extends AnyInputs>(
  record: RecordKind<Item>,
  { name, example }: { readonly name: string; readonly example: string },
  conditions: ConditionsOf<Inputs, Item>,
  combination?: Combination<Item>,
): SearchedKind<Item, InputOf<Inputs>> {
  const combined = Object.keys(combination?.inputs ?? {});
  const names = [...Object.keys(conditions), ...combined];
  const byName = conditions as Readonly<Record<string, AnyCondition>>;
  const listNames = (input: object) =>
    names.filter(
      (one) => (input as AnyInput)[one] !== undefined && (input as AnyInput)[one] !== null,
    );
  const inputs = names.map((one) => {
    const input = byName[one]?.input ?? combination?.inputs[one];
    return [
      one,
      input && { ...input, description: withLacking(input.description, record.type, one) },
    ];
  });
  const orCombined = combination ? `, or any of ${combined.join(', ')}` : '';
  const filters: FilterKind<Item, InputOf<Inputs>> = {
    input: patch(
      name,
      combination
        ? `Search condition: exactly one of the fields${orCombined.replace(/\w+(?=,|$)/g, '`$&`')}.`
        : 'Search condition: exactly one of the fields.',
      {},
      Object.fromEntries(inputs),
    ) as never,
    isCombinable: combination !== undefined,
    read(input) {
      const found = listNames(input);
      const [one = ''] = found;
      const condition = byName[one];
      if (condition && found.length === 1) return condition.read((input as AnyInput)[one]);
      if (combination && found.length > 0 && found.every((name) => combined.includes(name)))
        return combination.read(input as AnyInput);
      const has = condition || found.length === 0 ? found.length || 'none' : found.join(', ');
      throw new CrossbookError(
        'BAD_REQUEST',
        `The filter must have exactly one condition, such as ${example}${orCombined}, and has ${has}.`,
      );
    },
    countLookUps: (input) =>
      Math.max(
        0,
        ...listNames(input).map(
          (one) => byName[one]?.countLookUps?.((input as AnyInput)[one]) ?? 0,
        ),
      ),
    isListing: ({ by }) => by === 'where' || byName[by]?.isListing === true,
    verifiedFields: (filter) =>
      (filter.by === 'where'
        ? combination?.verifiedFields(filter)
        : byName[filter.by]?.verifiedFields) ?? [],
    matches: (record, filter) =>
      (filter.by === 'where'
        ? combination?.matches(record, filter)
        : byName[filter.by]?.matches?.(record, filter)) ?? false,
  };
  return { record, filters };
}

/** What the product knows of the filter of a type of record. */
export interface FilterKind<Item extends CrmRecord, Input> {
  /** The input of a search in all APIs, which GraphQL and REST name. */
  readonly input: Shape<Input>;
  /** Whether some conditions can be given together. */
  readonly isCombinable: boolean;
  /** Checks a filter: exactly one condition, with a valid value. */
  read(input: Input): RecordFilter;
  /** How many records a filter names: 0 if it lists them. Unchecked, because costs are estimated first. */
  countLookUps(input: object): number;
  /** Whether a filter lists records that the caller does not know yet. */
  isListing(filter: Pick<RecordFilter, 'by'>): boolean;
  /** The fields to read so that hits can be verified. */
  verifiedFields(filter: RecordFilter | ListFilter): readonly string[];
  /** Whether a record matches, as far as it can be seen. Adapters return no others. */
  matches(record: Item, filter: ListFilter): boolean;
}

/** A type of record with its filter. */
export interface SearchedKind<Item extends CrmRecord, Input> {
  readonly record: RecordKind<Item>;
  readonly filters: FilterKind<Item, Input>;
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
    read(value) {
      if (!isRfc3339(value))
        throw unprocessable(
          'The filter’s time of modification is not an RFC 3339 time, such as 2026-01-31T00:00:00Z.',
        );
      return { by: 'modifiedSince', since: Math.max(0, toMilliseconds(value)) };
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
    read(value) {
      if (value) return { by: 'all' };
      throw unprocessable(
        'The filter’s "all" can only be true. To filter, omit it and use another condition.',
      );
    },
    isListing: true,
    matches: () => true,
  };
}

/** A domain name in its canonical form; undefined for any other text. */
export function readDomain(value: string): string | undefined {
  const domain = normalizeEmailInput(value);
  return domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain) ? domain : undefined;
}

const MAX_DOMAIN_LENGTH = 253;
const DOMAIN =
  /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/**
 * A list of keys in their canonical form, unique and sorted: neither their order nor how they are written changes the
 * result of a search, its cursors and its cache entries. Throws for too many, and for an invalid one, which it names.
 */
export function readKeys(
  value: readonly string[],
  { noun, nouns, kind, max, read }: KeyList,
): readonly string[] {
  if (value.length > max)
    throw new CrossbookError(
      'BAD_REQUEST',
      `The filter takes at most ${max} ${nouns}, but has ${value.length}.`,
    );
  const keys = new Set<string>();
  for (const [index, text] of value.entries()) {
    const key = read(text);
    if (key === undefined) {
      const which =
        value.length === 1
          ? `The filter’s ${noun}`
          : `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${index + 1} of the filter`;
      throw unprocessable(`${which} is not ${kind}.`);
    }
    keys.add(key);
  }
  return [...keys].sort();
}

interface KeyList {
  readonly noun: string;
  readonly nouns: string;
  /** What each has to be: `an email address`. */
  readonly kind: string;
  readonly max: number;
  /** The canonical form; undefined for any other text. */
  read(text: string): string | undefined;
}

/** The beginning of a word in one of the names of a record, which are its fields with these names. */
export function namePrefix<Item extends CrmRecord>(
  description: string,
  names: readonly (keyof Item & string)[],
): Condition<string, Named<'namePrefix'>, Item> {
  return {
    input: field(string, description, { example: 'jo' }),
    read(value) {
      // Normalized whole: a text that is cut first would find more than was asked for.
      const prefix = value.length > MAX_INPUT_LENGTH ? '' : normalizeName(value).trimStart();
      if (prefix.length >= 2 && prefix.length <= MAX_NAME_LENGTH && !/\p{Cc}|\p{Cs}/u.test(prefix))
        return { by: 'namePrefix', prefix };
      throw unprocessable(
        `The filter’s name prefix must have at least 2 and at most ${MAX_NAME_LENGTH} characters, and no control characters.`,
      );
    },
    isListing: true,
    verifiedFields: names,
    matches: (record, { prefix }) =>
      names.some((name) => hasWordPrefix(normalizeName(String(record[name] ?? '')), prefix)),
  };
}

/** Spaces and accents of their own take more characters than the name that they are part of. */
const MAX_INPUT_LENGTH = 400;
const MAX_NAME_LENGTH = 100;

/** Whether a name, or a word in it, begins so. */
function hasWordPrefix(name: string, prefix: string): boolean {
  for (let at = name.indexOf(prefix); at >= 0; at = name.indexOf(prefix, at + 1))
    if (at === 0 || WORD_DIVIDERS.includes(name.charAt(at - 1))) return true;
  return false;
}

/** Names are compared without case, and with single spaces. */
function normalizeName(name: string): string {
  return name.normalize('NFC').toLowerCase().replace(SPACES, ' ');
}

const SPACES = /[ \u00a0\u3000]+/g;

/** A word of a name begins after one of these. Adapters search by the same list. */
export const WORD_DIVIDERS: readonly string[] = [
  ' ',
  '\u00a0',
  '\u3000',
  '-',
  '\u2010',
  '\u2011',
  "'",
  '\u2019',
];

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
  | { readonly by: 'domains'; readonly domains: readonly string[] }
  | { readonly by: 'where'; readonly where: DealConditions }
  /** Milliseconds since 1970. */
  | { readonly by: 'modifiedSince'; readonly since: number }
  | { readonly by: 'customField'; readonly name: string; readonly equals: string }
  | { readonly by: 'all' };

export interface LookUpByEmails {
  readonly by: 'emails';
  readonly emails: readonly string[];
}

/** What a deal has to be, all of it. Days are inclusive. */
export interface DealConditions {
  readonly pipelineId?: string;
  readonly stageId?: string;
  readonly status?: DealStatus;
  readonly ownerId?: string;
  readonly closeDate?: { readonly from?: string; readonly to?: string };
}

export type PhoneFilter = Named<'phone'>;

/** A filter by which a CRM's records are listed, as adapters get it. */
export type ListFilter =
  | PhoneFilter
  | Named<'emailDomain'>
  | Named<'namePrefix'>
  | Named<'domains'>
  | Named<'where'>
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
type InputOf<Inputs extends AnyInputs> = {
  readonly [Name in keyof Inputs]?: Inputs[Name] | null | undefined;
};
type AnyInput = Readonly<Record<string, unknown>>;

/** A condition, whatever its filter. */
interface ConditionOf<Value, Item extends CrmRecord>
  extends Omit<Condition<Value, RecordFilter, Item>, 'matches'> {
  matches?(record: Item, filter: never): boolean;
}

interface AnyCondition extends Omit<ConditionOf<unknown, CrmRecord>, 'matches'> {
  matches?(record: CrmRecord, filter: ListFilter): boolean;
}
