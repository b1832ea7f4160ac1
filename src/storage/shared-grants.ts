import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Transaction } from './complete-connect-link.ts';
import { connections, credentials } from './schema.ts';

/**
 * Does another connection of the installation live on the same grant: same provider, account, user and OAuth client? Asked
 * when the credentials of the one in question are gone already. Removals of the same grant come here one after the other, else each of two
 * would leave it to the other. Where the account is unknown, nobody can say that it is not shared.
 */
export async function isGrantShared(tx: Transaction, grant: SharedGrant): Promise<boolean> {
  const { providerName, accountId, accountUserId, oauthClientId } = grant;
  if (accountId === null) return true;
  const name = JSON.stringify(['grant', providerName, accountId, accountUserId, oauthClientId]);
  // It ends with the transaction, so that it may be taken behind a pooler.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  const others = await tx
    .select({ id: connections.id })
    .from(connections)
    .innerJoin(credentials, eq(credentials.connectionId, connections.id))
    .where(
      and(
        eq(connections.providerName, providerName),
        eq(connections.accountId, accountId),
        sql`${connections.accountUserId} is not distinct from ${accountUserId}`,
        eq(credentials.oauthClientId, oauthClientId),
        isNotNull(credentials.sealed),
      ),
    )
    .limit(1);
  return others.length > 0;
}

interface SharedGrant
  extends Pick<typeof connections.$inferSelect, 'providerName' | 'accountId' | 'accountUserId'> {
  readonly oauthClientId: string;
}
