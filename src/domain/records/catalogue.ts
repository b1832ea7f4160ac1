import { COMPANY } from './company.ts';
import { WRITABLE_COMPANIES } from './company-changes.ts';
import { CONTACT } from './contact.ts';
import { WRITABLE_CONTACTS } from './contact-changes.ts';
import { DEAL } from './deal.ts';
import { WRITABLE_DEALS } from './deal-changes.ts';
import type { CrmRecord, RecordKind } from './record.ts';
import type { RecordType } from './record-type.ts';
import type { WritableKind } from './writable.ts';

/** All types of records. */
export const RECORDS = { CONTACT, COMPANY, DEAL } as const satisfies Readonly<
  Record<RecordType, RecordKind<CrmRecord>>
>;

/** What can be written of the types that can be written. */
export const WRITABLE_RECORDS: readonly WritableKind[] = [
  WRITABLE_CONTACTS,
  WRITABLE_COMPANIES,
  WRITABLE_DEALS,
];
