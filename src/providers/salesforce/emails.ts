import type { Contact } from '../../domain/contact.ts';
import { normaliseEmail } from '../../domain/email.ts';
import type { FieldSelection } from '../../domain/field-selection.ts';
import { EMAIL } from './fields.ts';
import type { Row } from './query.ts';
import type { ContactReader } from './reader.ts';
import { isIn } from './soql.ts';
import { splitList } from './split-list.ts';

/** As few calls as can be. Several contacts may share an email: each email gets all of its own. */
export async function findByEmails(
  reader: ContactReader,
  emails: readonly string[],
  selection: FieldSelection,
): Promise<Map<string, readonly Contact[]>> {
  if (emails.length === 0) return new Map();
  const conditions = splitList(emails).map((part) => isIn(EMAIL, part));
  const read = await reader.read({ conditions, selection, order: 'ascending' });
  const found = new Map<string, Contact[]>(emails.map((email) => [email, []]));
  for (const rows of read) {
    for (const row of rows) {
      // Salesforce compares in the locale of its user: what it takes for equal is looked at again.
      found.get(emailOf(row))?.push(reader.toContact(row, selection));
    }
  }
  return found;
}

/** As emails are compared; empty where the row has none. */
export function emailOf(row: Row): string {
  const email = row['Email'];
  return typeof email === 'string' ? normaliseEmail(email) : '';
}
