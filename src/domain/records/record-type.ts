import { withNotes } from '../../provider-texts.ts';
import {
  boolean,
  field,
  int,
  listOf,
  nullable,
  type Of,
  shape,
  string,
  words,
  wordsOf,
} from '../shape.ts';

/** The types of CRM records that the APIs know. */
export const recordType = words('RecordType', 'Type of a CRM record.', {
  CONTACT: 'A contact.',
  COMPANY: withNotes('A company.', 'company'),
  DEAL: withNotes('A deal.', 'deal'),
});
export type RecordType = Of<typeof recordType>;
export const RECORD_TYPES: readonly RecordType[] = wordsOf(recordType);

/** A value for each type of record. */
export function mapRecords<Made>(
  make: (record: RecordType) => Made,
): Readonly<Record<RecordType, Made>> {
  return Object.fromEntries(RECORD_TYPES.map((record) => [record, make(record)])) as Record<
    RecordType,
    Made
  >;
}

const filterCapability = shape(
  'FilterCapability',
  'A condition by which records can be searched.',
  {
    name: field(string, 'Name of the condition in the filter.', { example: 'emailDomain' }),
    isExact: field(
      boolean,
      'Whether the CRM compares as the filter says. Otherwise the CRM finds more, of which Crossbook returns what matches, and `totalCount` may be null.',
    ),
    maxValues: nullable(
      int,
      'Most values of a condition that is a list. Null: as many as the filter takes.',
      { example: 50 },
    ),
  },
);

/** What can be done with the records of one type, so that a user interface can hide the rest. */
export const capability = shape(
  'RecordCapability',
  'What can be done with records of one type. Everything else is `NOT_IMPLEMENTED`.',
  {
    record: field(recordType, 'Type of the records.'),
    filters: field(listOf(filterCapability), 'Conditions by which they can be searched.', {
      items: 8,
    }),
    canList: field(boolean, 'Whether all of them can be listed.'),
    canPageBackward: field(
      boolean,
      'Whether lists can be read backward too, with `last` and `before`. Searches by email always can.',
    ),
    canCount: field(
      boolean,
      'Whether the CRM counts lists. Otherwise `totalCount` is null unless one page has everything.',
    ),
    canWrite: field(boolean, 'Whether they can be created and changed.'),
    canUpsert: field(
      boolean,
      'Whether they can be created or changed by a key of yours, such as an email address.',
    ),
    isUpsertConsistent: field(
      boolean,
      'Whether an upsert finds every record that exists. Otherwise the CRM searches an index that may be late: a record that was written a moment ago can be missed, and each result that creates one has a warning.',
    ),
    maxUpserts: nullable(
      int,
      'Most records of an upsert, if the CRM takes fewer than other writes have.',
      { example: 50 },
    ),
  },
);
export type Capability = Of<typeof capability>;
