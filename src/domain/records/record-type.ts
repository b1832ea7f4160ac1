import { type Of, words } from '../shape.ts';

/** The types of CRM records that the APIs know. */
export const recordType = words('RecordType', 'Type of a CRM record.', {
  CONTACT: 'A contact.',
});
export type RecordType = Of<typeof recordType>;
