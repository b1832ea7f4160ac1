import type { CustomerAccount } from '../../domain/provider.ts';
import { MAX_OWNERS, type Owner } from '../../domain/records/owner.ts';
import { toText } from '../../lib/text.ts';
import { createCall } from './call.ts';
import { type Row, readRows, toPath } from './query.ts';
import { compare, fieldName, select, USER } from './soql.ts';

/** The users of the org, without those of its portals and sites, who own nothing. */
export function readOwners(account: CustomerAccount): Promise<readonly Owner[]> {
  return account.remember('owners', async () => {
    const query = select({
      fields: ['Id', 'Name', 'Email', 'IsActive'].map(fieldName),
      from: USER,
      where: compare(fieldName('UserType'), '=', 'Standard'),
      order: 'ascending',
      limit: MAX_OWNERS,
    });
    const rows = (await readRows(createCall(account.send), [toPath(query, 'query')])).flat();
    return rows.flatMap(toOwner);
  });
}

function toOwner(row: Row): Owner[] {
  const id = toText(row['Id']);
  if (id === null) return [];
  const { Name: name, Email: email, IsActive: isActive } = row;
  return [{ id, name: toText(name), email: toText(email), isActive: isActive === true }];
}
