import { providerName } from '../provider-names.ts';
import {
  boolean,
  codes,
  date,
  field,
  id,
  int,
  listOf,
  nullable,
  type Of,
  shape,
  string,
  uuid,
  words,
} from '../shape.ts';
import { writtenLink } from './link.ts';

export const writeOutcome = words('WriteOutcome', 'What became of one record of a write.', {
  CREATED: 'The record or link was created. In a dry run: it would be.',
  UPDATED: 'The record was changed, or the link was changed or removed. In a dry run: it would be.',
  UNCHANGED:
    'The CRM has all of the given values already, the link, or none to remove. Nothing was sent.',
  REFUSED: 'Nothing was written. `problems` says why.',
  UNKNOWN:
    'The CRM did not respond, or the process ended after sending the record, so it is not known whether the record was written. A later read of the record settles the outcome where it can.',
});
export type WriteOutcome = Of<typeof writeOutcome>;

export const writeProblemCode = codes('WriteProblemCode', 'Kind of a problem with one record.', {
  REQUIRED: 'A required field is missing, or would be cleared.',
  INVALID_VALUE: 'The value has a form that the field does not take.',
  NOT_AN_OPTION: 'The value is not one of the field’s options.',
  TOO_LONG: 'The value is longer than the field takes.',
  READ_ONLY: 'The field cannot be written.',
  UNKNOWN_FIELD: 'The CRM has no such field, or does not show it to the connected user.',
  ALREADY_EXISTS: 'Another record has the same unique value.',
  AMBIGUOUS_MATCH: 'Several records match. `existingRemoteIds` has their ids.',
  DUPLICATE_RULE: 'A duplicate rule of the CRM objects. `existingRemoteIds` has the matches.',
  CUSTOMER_RULE: 'A rule of the customer’s CRM objects. `remoteMessage` has its text.',
  CONFLICT: 'The record was changed after `ifUnmodifiedSince`, or is given twice.',
  NOT_FOUND: 'There is no record to change.',
  BUSY: 'The CRM did not take the record for the moment. Nothing was written.',
  MISSING_SCOPE: 'The connection lacks a permission for this write.',
  OTHER: 'Any other problem. `remoteCode` and `remoteMessage` have what the CRM says.',
});
export type WriteProblemCode = Of<typeof writeProblemCode>;

export const writeProblem = shape('WriteProblem', 'A problem with one record of a write.', {
  code: field(writeProblemCode, 'Kind of the problem.'),
  message: field(string, 'What is wrong, and what to do.', {
    example: 'The field lastName has at most 80 characters.',
  }),
  field: nullable(
    listOf(string),
    'Path of the value in the record of the input, such as `["changes", "lastName"]`. Null if the problem is about the whole record.',
    { items: 2, example: ['changes', 'last_name'] },
  ),
  remoteCode: nullable(string, 'Code of the CRM, if it has refused the record.', {
    example: 'STRING_TOO_LONG',
  }),
  remoteMessage: nullable(
    string,
    'Text of the CRM, at most 500 characters, without the given values. It is not to be trusted.',
  ),
  existingRemoteIds: field(
    listOf(id),
    'Ids, in the CRM, of the records that are in the way, at most 10.',
    { items: 1, leftOutOfRest: true },
  ),
  isRetryable: field(
    boolean,
    'Whether the same record may succeed later. Repeated with the same idempotency key, the write sends it again.',
  ),
});
export type WriteProblem = Of<typeof writeProblem>;

/** What became of one record or link. */
export const writeResultFields = {
  index: field(int, 'Place of the record in the input, from 0.'),
  outcome: field(writeOutcome, 'What became of the record.'),
  remoteId: nullable(id, 'Id of the record in the CRM, if it is known.', { example: '101' }),
  changedFields: field(
    listOf(string),
    'Names of the given fields whose values differ from those that the record had, such as `firstName` or `customFields.favoriteColor`.',
    { items: 3, leftOutOfRest: true },
  ),
  problems: field(listOf(writeProblem), 'Why the record was refused.', {
    items: 1,
    leftOutOfRest: true,
  }),
  warnings: field(
    listOf(writeProblem),
    'What the CRM accepted and did not apply, or what else is to be known of a record that was not refused.',
    { items: 1, leftOutOfRest: true },
  ),
};

/** What became of one record, whatever its type. */
export const writeResult = shape(
  'WriteResult',
  'What became of one record of a write.',
  writeResultFields,
);
export type WriteResult = Of<typeof writeResult>;

/** The result of a type of record has its own name, so that an API can add the record to it. */
export function resultOf(name: string, noun: string) {
  return shape(`${name}WriteResult`, `What became of one ${noun} of a write.`, writeResultFields);
}

export const write = shape('Write', 'A write that was sent to a CRM.', {
  id: field(uuid, 'Id of the write.'),
  isReplayed: field(
    boolean,
    'Whether the results are those of an earlier call with the same idempotency key.',
  ),
  isComplete: field(
    boolean,
    'Whether all outcomes are final. Otherwise some are `UNKNOWN`, and are settled where a read of the CRM decides: see the event `write.completed`.',
  ),
  createdAt: field(date, 'Time of the write.'),
});
export type Write = Of<typeof write>;

export const writtenRecord = shape('WrittenRecord', 'One record of a write.', {
  ...writeResultFields,
  fields: field(listOf(string), 'Names of the given fields, without values.', { items: 3 }),
  link: nullable(writtenLink, 'The linked records, of a write of links.'),
});
export type WrittenRecord = Of<typeof writtenRecord>;

/** One entry of the audit: who has written what, without values. */
export const writeRecord = shape(
  'WriteRecord',
  'A write as it is kept for 90 days: who has written which records, without values of fields.',
  {
    id: field(uuid, 'Id of the write.'),
    customerId: field(id, 'Your own id of the customer.', { example: 'customer-1' }),
    provider: field(providerName, 'CRM that was written to.', { restName: 'provider_name' }),
    operation: field(string, 'Name of the operation.', { example: 'upsertContacts' }),
    credentialId: field(string, 'Public id of the API key or customer token of the caller.'),
    isComplete: field(boolean, 'Whether all outcomes are final.'),
    createdAt: field(date, 'Time of the write.'),
    completedAt: nullable(date, 'Time at which the last outcome was known. Null until then.'),
    results: field(listOf(writtenRecord), 'The records, in the order of the input.', { items: 10 }),
  },
);
export type WriteRecord = Of<typeof writeRecord>;

/** The most records of one call. */
export const MAX_WRITES = 100;
export const MAX_IDEMPOTENCY_KEY = 200;
export const KEYS_KEPT_MS = 7 * 24 * 60 * 60_000;
export const WRITES_KEPT_MS = 90 * 24 * 60 * 60_000;
/** Of a text of a CRM, and of its list of matches. */
export const MAX_REMOTE_MESSAGE = 500;
export const MAX_EXISTING_IDS = 10;
