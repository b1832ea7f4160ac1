import type { CustomFieldFilter, ListFilter } from '../../domain/records/conditions.ts';
import { MIN_SHARED_DIGITS, WORD_DIVIDERS } from '../../domain/records/contact-filter.ts';
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
      return { anyOf: [{ fields: [], condition: undefined }], requires: 'all', isExact: true };
    case 'phone':
      return toPhoneQuery(filter.digits);
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
          condition: hasWordPrefix(name, filter.prefix, WORD_DIVIDERS),
        })),
        requires: 'all',
        // A space stands for any number of them.
        isExact: !filter.prefix.includes(' '),
      };
    case 'customField':
      // A field that the connected user does not see is null in every contact.
      return { ...toCustomFieldQuery(filter), requires: 'none' };
  }
}

const MODIFIED = fieldName('SystemModstamp');
const NAMES = [fieldName('FirstName'), fieldName('LastName')];

/** The literal depends on the type of the CRM's field, or, if that is not known, of the custom field. */
function toCustomFieldQuery({ field, value, sourceType }: CustomFieldFilter): FilterQuery {
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
  return { anyOf: [{ fields: [field], condition }], requires: 'all', isExact: true };
}

/**
 * Numbers that are the same share their last digits, whatever stands between these in a field. Salesforce reads the
 * whole table for it: its search index has whole numbers only, and may be incomplete.
 */
function toPhoneQuery(digits: string): FilterQuery {
  const ending = digits.slice(-MIN_SHARED_DIGITS);
  return {
    anyOf: PHONES.map((name) => ({ fields: [name], condition: hasDigits(name, ending) })),
    // Numbers that the connected user does not see are no numbers of the contact.
    requires: 'any',
    isExact: false,
  };
}

const PHONES = ['Phone', 'MobilePhone', 'HomePhone', 'OtherPhone', 'AssistantPhone'].map(fieldName);

const MIN_TIME = Date.UTC(1700, 0);
const MAX_TIME = Date.UTC(4000, 0);
const DAY_MS = 24 * 60 * 60 * 1_000;
const RECORD_ID = /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/;
const NOTHING: FilterQuery = { anyOf: [], requires: 'none', isExact: true };

export interface FilterQuery {
  /** Alternatives, each with the fields that it is about. */
  readonly anyOf: readonly {
    readonly fields: readonly FieldName[];
    readonly condition: Condition | undefined;
  }[];
  /** How many of the fields the connected user has to see, or the filter cannot be answered. */
  readonly requires: 'all' | 'any' | 'none';
  /** Whether only contacts that match pass: then Salesforce's count is right. */
  readonly isExact: boolean;
}
