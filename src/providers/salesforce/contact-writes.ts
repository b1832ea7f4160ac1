import { normalizeEmail, readEmail } from '../../domain/email.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import type { ContactChangeField } from '../../domain/records/contact-changes.ts';
import { toProblem } from '../../domain/records/field-writes.ts';
import type { ChangeTable } from '../../domain/records/writable.ts';
import { MAX_EXISTING_IDS, type WriteProblem } from '../../domain/records/write.ts';
import type { PlannedWrite } from '../../domain/writing.ts';
import { toText } from '../../lib/text.ts';
import { createCall } from './call.ts';
import { EMAIL } from './contacts.ts';
import { ID } from './object.ts';
import { isInList, readRows, toPath } from './query.ts';
import { allOf, booleanLiteral, compare, fieldName, type ObjectName, select } from './soql.ts';
import type { DeclaredWrites } from './writes.ts';

const FIELDS: ChangeTable<ContactChangeField> = {
  accountId: { to: 'AccountId' },
  ownerId: { to: 'OwnerId' },
  firstName: { to: 'FirstName' },
  lastName: { to: 'LastName' },
  addresses: { addresses: { mailing: addressOf('Mailing'), other: addressOf('Other') } },
  emailAddresses: {
    type: 'emailAddressType',
    value: 'emailAddress',
    entries: { primary: 'Email' },
  },
  // HomePhone and AssistantPhone are read as others, too. One list entry cannot say which is meant.
  phoneNumbers: {
    type: 'phoneNumberType',
    value: 'phoneNumber',
    entries: { primary: 'Phone', mobile: 'MobilePhone', fax: 'Fax', other: 'OtherPhone' },
  },
  lifecycleStage: { readOnly: 'does not exist in Salesforce, where only leads have a status.' },
};

export function addressOf(kind: string) {
  return {
    street: `${kind}Street`,
    city: `${kind}City`,
    state: `${kind}State`,
    postalCode: `${kind}PostalCode`,
    country: `${kind}Country`,
  };
}

export function contactWrites(account: CustomerAccount): DeclaredWrites {
  return {
    fields: FIELDS,
    keyField: 'Email',
    findSimilar: (writes) => warnOfLeads(account, writes),
  };
}

/** Leads are people as well: a new contact with the same address will be a duplicate. */
async function warnOfLeads(
  { send }: CustomerAccount,
  writes: readonly PlannedWrite[],
): Promise<ReadonlyMap<number, WriteProblem>> {
  const emails = new Map<number, string>();
  for (const { index, verb, values } of writes) {
    const email = readEmail(toText(values.get('Email')) ?? '');
    if (verb === 'create' && email !== undefined) emails.set(index, email);
  }
  const isOpen = compare(fieldName('IsConverted'), '=', booleanLiteral(false));
  const paths = isInList(EMAIL, new Set(emails.values())).map((where) =>
    toPath(
      select({ fields: [ID, EMAIL], from: LEAD, where: allOf([where, isOpen]), limit: 2_000 }),
      'query',
    ),
  );
  if (paths.length === 0) return new Map();
  const found = new Map<string, string[]>();
  try {
    for (const row of (await readRows(createCall(send), paths)).flat()) {
      const [email, id] = [normalizeEmail(toText(row['Email']) ?? ''), toText(row['Id'])];
      if (id !== null) found.set(email, [...(found.get(email) ?? []), id]);
    }
  } catch {
    // The connected user may see no leads.
    return new Map();
  }
  const message = 'A lead in Salesforce has this email address.';
  const warnings = new Map<number, WriteProblem>();
  for (const [index, email] of emails) {
    const existingRemoteIds = found.get(email)?.slice(0, MAX_EXISTING_IDS);
    if (existingRemoteIds)
      warnings.set(index, toProblem('ALREADY_EXISTS', message, null, { existingRemoteIds }));
  }
  return warnings;
}

const LEAD = 'Lead' as ObjectName;
