import * as z from 'zod';
import type { CustomerAccount } from '../../domain/provider.ts';
import { MAX_OWNERS, type Owner } from '../../domain/records/owner.ts';
import {
  get,
  OWNERS_PATH,
  optionalText,
  parseResponse,
  toResults,
  wireId,
  wirePaging,
} from './call.ts';

/** The users of the portal, first those who can still work in it. */
export function readOwners(account: CustomerAccount): Promise<readonly Owner[]> {
  return account.remember('owners', async () => {
    const owners = await readAll(account, false);
    return [...owners, ...(await readAll(account, true))].slice(0, MAX_OWNERS);
  });
}

async function readAll(account: CustomerAccount, isArchived: boolean): Promise<Owner[]> {
  const owners: Owner[] = [];
  let after = '';
  do {
    const query = new URLSearchParams({ limit: String(PAGE), archived: String(isArchived) });
    if (after !== '') query.set('after', after);
    const page = parseResponse(
      (json) => {
        const results = toResults(json);
        return results && { results, paging: wireNext.safeParse(json).data?.paging };
      },
      await get(account, `${OWNERS_PATH}?${query}`),
    );
    for (const one of page.results) {
      const owner = wireOwner.safeParse(one).data;
      if (owner) owners.push(toOwner(owner, !isArchived));
    }
    const next = page.paging?.next?.after ?? '';
    // A page that leads to itself would be endless.
    after = next === after ? '' : next;
  } while (after !== '' && owners.length < MAX_OWNERS);
  return owners;
}

function toOwner({ id, email, firstName, lastName }: z.infer<typeof wireOwner>, isActive: boolean) {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return { id, name: name || null, email: email || null, isActive };
}

const PAGE = 500;

const wireNext = z.object({ paging: wirePaging });

const wireOwner = z.object({
  id: wireId,
  email: optionalText,
  firstName: optionalText,
  lastName: optionalText,
});
