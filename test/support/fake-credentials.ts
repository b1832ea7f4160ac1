import type { Credentials } from '../../src/domain/connection.ts';
import type { CredentialStore, StoredCredentials } from '../../src/domain/tenant.ts';

/** One connection's credentials in memory, with the contract of the real store. */
export function createFakeCredentials(
  initial: Credentials | undefined,
  instanceUrl: string | null = null,
) {
  let stored: StoredCredentials | undefined;
  const calls = { reads: 0, asks: 0, refreshes: 0, refused: [] as number[] };
  if (initial) put(initial);

  const store: CredentialStore = {
    async read() {
      calls.reads++;
      return stored;
    },
    async refreshOnce(_id, seen, refresh) {
      calls.asks++;
      if (!stored || stored.generation > seen) return stored;
      calls.refreshes++;
      const refreshed = await refresh(stored);
      put(refreshed.credentials, refreshed.instanceUrl);
      return stored;
    },
    async markRefused(_id, seen) {
      calls.refused.push(seen);
      if (stored?.generation === seen) stored = { ...stored, isRefused: true };
    },
    markTried: async () => undefined,
  };
  return { store, calls, put, remove, stored: () => stored };

  function put(credentials: Credentials, movedTo?: string): void {
    stored = {
      credentials,
      generation: (stored?.generation ?? 0) + 1,
      instanceUrl: movedTo ?? stored?.instanceUrl ?? instanceUrl,
      isRefused: false,
      oauthClientId: null,
    };
  }

  function remove(): void {
    stored = undefined;
  }
}
