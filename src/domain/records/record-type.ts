import { boolean, field, listOf, type Of, shape, string, words } from '../shape.ts';

/** The types of CRM records that the APIs know. */
export const recordType = words('RecordType', 'Type of a CRM record.', {
  CONTACT: 'A contact.',
  COMPANY: 'A company: an account in Salesforce.',
});
export type RecordType = Of<typeof recordType>;

/** Of which records an application can declare custom fields. */
export const CUSTOM_FIELD_RECORDS: readonly RecordType[] = ['CONTACT'];

const filterCapability = shape(
  'FilterCapability',
  'A condition by which records can be searched.',
  {
    name: field(string, 'Name of the condition in the filter.', { example: 'emailDomain' }),
    isExact: field(
      boolean,
      'Whether the CRM compares as the filter says. Otherwise the CRM finds more, of which Crossbook returns what matches, and `totalCount` may be null.',
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
    canWrite: field(boolean, 'Whether they can be created and changed.'),
    canUpsert: field(
      boolean,
      'Whether they can be created or changed by a key of yours, such as an email address.',
    ),
  },
);
export type Capability = Of<typeof capability>;
