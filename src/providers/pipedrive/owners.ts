import type { CustomerAccount } from '../../domain/provider.ts';
import { MAX_OWNERS, type Owner } from '../../domain/records/owner.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import { get, parseResponse, V1 } from './call.ts';

/** The users of the company, in one call. */
export function readOwners(account: CustomerAccount): Promise<readonly Owner[]> {
  return account.remember('owners', async () => {
    const users = parseResponse(
      (json) => (isRecord(json) && Array.isArray(json['data']) ? json['data'] : undefined),
      await get(account, `${V1}/users`),
    );
    const owners = users.slice(0, MAX_OWNERS).flatMap(toOwner);
    return owners.sort((one, other) => Number(other.isActive) - Number(one.isActive));
  });
}

function toOwner(user: unknown): Owner[] {
  const id = isRecord(user) ? toText(user['id']) : null;
  if (!isRecord(user) || id === null) return [];
  const { name, email, active_flag: isActive } = user;
  return [{ id, name: toText(name), email: toText(email), isActive: isActive === true }];
}
