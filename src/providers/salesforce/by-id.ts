import type { Contact } from '../../domain/contact.ts';
import type { Want } from '../../domain/want.ts';
import { ID } from './fields.ts';
import type { ContactReader } from './reader.ts';
import { isIn } from './soql.ts';
import { splitList } from './split-list.ts';

/** Some 2,500 ids in a call. What does not look like a contact's id is never sent: one such would fail them all. */
export async function findByIds(
  reader: ContactReader,
  ids: readonly string[],
  want: Want,
): Promise<ReadonlyMap<string, Contact>> {
  const found = new Map<string, Contact>();
  const askedByKey = new Map<string, string[]>();
  for (const id of ids.filter(isContactId)) {
    const known = askedByKey.get(toKey(id));
    if (known === undefined) askedByKey.set(toKey(id), [id]);
    else known.push(id);
  }
  if (askedByKey.size === 0) return found;
  const conditions = splitList([...askedByKey.keys()]).map((part) => isIn(ID, part));
  for (const rows of await reader.read({ conditions, want })) {
    for (const row of rows) {
      const id = row['Id'];
      if (typeof id !== 'string') continue;
      for (const asked of askedByKey.get(toKey(id)) ?? []) {
        // Of an id in its long form all of it has to be right, or two ids would stand for one contact.
        if (id.startsWith(asked)) found.set(asked, reader.toContact(row, want));
      }
    }
  }
  return found;
}

/** The order that Salesforce sorts ids in: by code unit, the checksum at the end not looked at. */
export function compareIds(a: string, b: string): number {
  const [first, second] = [toKey(a), toKey(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function isContactId(id: string): boolean {
  return /^003[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?$/.test(id);
}

/** The part that both forms of an id share. Sent alone it also spares us wrong checksums, which are an error. */
function toKey(id: string): string {
  return id.slice(0, 15);
}
