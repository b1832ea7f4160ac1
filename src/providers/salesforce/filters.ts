import {
  type CustomFieldFilter,
  type DealConditions,
  type ListFilter,
  WORD_DIVIDERS,
} from '../../domain/records/conditions.ts';
import { MIN_SHARED_DIGITS } from '../../domain/records/contact-filter.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import { EMAIL } from './contacts.ts';
import { isRecordId, type SalesforceObject } from './object.ts';
import { PIPELINE } from './pipelines.ts';
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
export function toQuery(filter: ListFilter, object: SearchedObject): FilterQuery {
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
        anyOf: object.nameFields.map((name) => ({
          fields: [name],
          condition: hasWordPrefix(name, filter.prefix, WORD_DIVIDERS),
        })),
        requires: 'all',
        // A space stands for any number of them.
        isExact: !filter.prefix.includes(' '),
      };
    case 'domains':
      return {
        anyOf: filter.domains.map((domain) => ({
          fields: [WEBSITE],
          condition: contains(WEBSITE, domain),
        })),
        requires: 'all',
        isExact: false,
      };
    case 'where':
      return toDealQuery(filter.where);
    case 'customField':
      // A field that the connected user does not see is null in every contact.
      return { ...toCustomFieldQuery(filter), requires: 'none' };
  }
}

const MODIFIED = fieldName('SystemModstamp');

const WEBSITE = fieldName('Website');

/** All opportunities are in one pipeline. */
function toDealQuery({
  pipelineId = PIPELINE.id,
  stageId,
  status,
  ownerId,
  closeDate: { from, to } = {},
}: DealConditions): FilterQuery {
  // Any other text is an error.
  const isPossible = pipelineId === PIPELINE.id && (ownerId === undefined || isRecordId(ownerId));
  if (!isPossible) return NOTHING;
  const conditions = [
    stageId === undefined ? undefined : compare(STAGE, '=', stageId),
    ...toStatusConditions(status),
    ownerId === undefined ? undefined : compare(OWNER, '=', ownerId),
    from === undefined ? undefined : compare(CLOSE, '>=', timeLiteral(Date.parse(from), true)),
    to === undefined ? undefined : compare(CLOSE, '<=', timeLiteral(Date.parse(to), true)),
  ];
  const fields = [
    ...(stageId === undefined ? [] : [STAGE]),
    ...(status === undefined ? [] : [WON, CLOSED]),
    ...(ownerId === undefined ? [] : [OWNER]),
    ...(from === undefined && to === undefined ? [] : [CLOSE]),
  ];
  return { anyOf: [{ fields, condition: allOf(conditions) }], requires: 'all', isExact: true };
}

function toStatusConditions(status: DealConditions['status']): readonly Condition[] {
  switch (status) {
    case undefined:
      return [];
    case 'won':
      return [compare(WON, '=', booleanLiteral(true))];
    case 'lost':
      return [compare(CLOSED, '=', booleanLiteral(true)), compare(WON, '=', booleanLiteral(false))];
    case 'open':
      return [compare(CLOSED, '=', booleanLiteral(false))];
  }
}

const [STAGE, OWNER, CLOSE] = ['StageName', 'OwnerId', 'CloseDate'].map(fieldName) as [
  FieldName,
  FieldName,
  FieldName,
];
const [WON, CLOSED] = ['IsWon', 'IsClosed'].map(fieldName) as [FieldName, FieldName];

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
      return isRecordId(text) ? exact(source, compare(source, '=', text)) : NOTHING;
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
const NOTHING: FilterQuery = { anyOf: [], requires: 'none', isExact: true };

type SearchedObject = Pick<SalesforceObject<CrmRecord>, 'nameFields'>;

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
