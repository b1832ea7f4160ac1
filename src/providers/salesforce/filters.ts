import {
  type ListFilter,
  type OwnFieldFilter,
  withoutCountryCode,
} from '../../domain/contact-filter.ts';
import { EMAIL } from './contacts.ts';
import {
  allOf,
  booleanLiteral,
  type Condition,
  compare,
  contains,
  endsWith,
  type FieldName,
  fieldName,
  hasDigits,
  hasWordPrefix,
  includes,
  isFieldName,
  numberLiteral,
  timeLiteral,
} from './soql.ts';

/**
 * How Salesforce searches by each condition: any of these matches. Hits are verified, so they may match too much, and
 * never too little.
 */
export function toQuery(filter: ListFilter): FilterQuery {
  switch (filter.by) {
    case 'all':
      return { anyOf: [{ fields: [], condition: undefined }], isExact: true };
    case 'emailDomain':
      return exact(EMAIL, endsWith(EMAIL, `@${filter.domain}`));
    case 'modifiedSince':
      // Modifications by automation update only SystemModstamp, which is also indexed.
      return exact(
        MODIFIED,
        allOf([
          compare(MODIFIED, '>=', timeLiteral(filter.since)),
          compare(MODIFIED, '<=', timeLiteral(filter.until)),
        ]),
      );
    case 'namePrefix':
      return {
        anyOf: NAMES.map((name) => ({
          fields: [name],
          condition: hasWordPrefix(name, filter.prefix),
        })),
        isExact: true,
      };
    case 'customField':
      return toOwnFieldQuery(filter);
  }
}

const MODIFIED = fieldName('SystemModstamp');
const NAMES = [fieldName('FirstName'), fieldName('LastName')];

/** The literal depends on the type of the CRM's field, or, if that is not known, of the own field. */
function toOwnFieldQuery({ field, value, sourceType }: OwnFieldFilter): FilterQuery {
  const { type, source } = field;
  if (!isFieldName(source)) return NOTHING;
  const text = String(value);
  const time = Date.parse(text);
  // SOQL takes no other dates.
  const isTimed = sourceType === 'DATE' || sourceType === 'DATETIME' || type.startsWith('DATE');
  if (isTimed && !(time >= MIN_TIME && time < MAX_TIME)) return NOTHING;
  switch (sourceType ?? type) {
    case 'NUMBER':
      return Number.isFinite(Number(value))
        ? exact(source, compare(source, '=', numberLiteral(Number(value))))
        : NOTHING;
    case 'BOOLEAN':
      return exact(source, compare(source, '=', booleanLiteral(text.toLowerCase() === 'true')));
    case 'DATE':
      return exact(source, compare(source, '=', timeLiteral(time, true)));
    case 'DATETIME':
      return exact(
        source,
        type === 'DATE'
          ? allOf([
              compare(source, '>=', timeLiteral(time)),
              compare(source, '<', timeLiteral(time + DAY_MS)),
            ])
          : compare(source, '=', timeLiteral(time)),
      );
    case 'CHOICES':
      // A text has all choices, separated by semicolons.
      return type === 'CHOICES' && !text.includes(';')
        ? exact(source, includes(source, text))
        : exact(source, compare(source, '=', text));
    case 'REFERENCE':
      // Any other text is an error.
      return RECORD_ID.test(text) ? exact(source, compare(source, '=', text)) : NOTHING;
    default:
      return type === 'CHOICES'
        ? { ...exact(source, contains(source, text)), isExact: false }
        : exact(source, compare(source, '=', text));
  }
}

function exact(field: FieldName, condition: Condition | undefined): FilterQuery {
  return { anyOf: [{ fields: [field], condition }], isExact: true };
}

/**
 * The numbers that end with these digits, whatever stands between them. Salesforce reads the whole table for it, so it
 * is for numbers that the search index does not find, such as one that is stored with its country code.
 */
export function toPhoneScan(digits: string): FilterQuery {
  return {
    anyOf: PHONES.map((name) => ({ fields: [name], condition: hasDigits(name, digits) })),
    isExact: false,
  };
}

const PHONES = ['Phone', 'MobilePhone', 'HomePhone', 'OtherPhone'].map(fieldName);

/** The numbers to look for: as given, with the leading zeros of another notation, and without a country code. */
export function toPhoneNumbers(digits: string): readonly string[] {
  const shorter = withoutCountryCode(digits);
  const national = [digits, ...shorter].map((number) => `0${number}`);
  const american = digits.length === 10 ? [`1${digits}`] : [];
  return [...new Set([digits, ...shorter, ...national, ...american, `00${digits}`])];
}

const MIN_TIME = Date.UTC(1700, 0);
const MAX_TIME = Date.UTC(4000, 0);
const DAY_MS = 24 * 60 * 60 * 1_000;
const RECORD_ID = /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/;
const NOTHING: FilterQuery = { anyOf: [], isExact: true };

export interface FilterQuery {
  /** Alternatives, each with the fields that it is about: one that is about a hidden field is left out. */
  readonly anyOf: readonly {
    readonly fields: readonly FieldName[];
    readonly condition: Condition | undefined;
  }[];
  /** Whether only contacts that match pass: then Salesforce's count is right. */
  readonly isExact: boolean;
}
