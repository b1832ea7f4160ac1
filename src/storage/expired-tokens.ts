import { isExpired } from '../domain/connection.ts';
import type { CredentialStore } from '../domain/tenant.ts';
import { isUnavailable } from './engine/failures.ts';
import type { StoreDeps } from './store-deps.ts';
import { inBatches } from './sweeps.ts';

/**
 * Marks the connections whose access token has expired and cannot be refreshed. A search would notice it by itself;
 * most providers cannot be searched.
 */
export function createExpirySweep({ engine, now, openCredentials }: Deps) {
  return () =>
    inBatches(BATCH, async () => {
      const due = await engine.query<DueRow>(FIND_DUE, [now().toISOString(), BATCH]);
      for (const row of due) await visit(row);
      return due.length;
    });

  async function visit({ applicationId, connectionId, expiresAt }: DueRow): Promise<void> {
    const credentials = openCredentials(applicationId);
    const stored = await credentials.read(connectionId).catch((error) => {
      // Credentials that cannot be decrypted are reported elsewhere, and must not keep others from being visited.
      if (isUnavailable(error)) throw error;
      return undefined;
    });
    if (stored && !stored.isRefused && isExpired(stored.credentials, now().getTime()))
      await credentials.markRefused(connectionId, stored.generation, 'token_expired');
    await engine.query(FORGET_EXPIRY, [applicationId, connectionId, expiresAt]);
  }
}

const BATCH = 200;

const FIND_DUE = {
  name: 'find_expired_credentials',
  text: `
select application_id as "applicationId", connection_id as "connectionId", expires_at::text as "expiresAt"
from crossbook.credentials where expires_at <= $1::timestamptz order by expires_at limit $2::int`,
};

/** Newer credentials have another expiry. */
const FORGET_EXPIRY = {
  name: 'forget_expiry_of_credentials',
  text: `
update crossbook.credentials set expires_at = null
where application_id = $1::uuid and connection_id = $2::uuid and expires_at = $3::timestamptz`,
};

interface Deps extends Pick<StoreDeps, 'engine' | 'now'> {
  openCredentials(applicationId: string): Pick<CredentialStore, 'read' | 'markRefused'>;
}

interface DueRow {
  readonly applicationId: string;
  readonly connectionId: string;
  readonly expiresAt: string;
}
