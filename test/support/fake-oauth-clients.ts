import type { OAuthClientStore, StoredOAuthClient } from '../../src/domain/oauth.ts';
import type { ProviderName } from '../../src/domain/provider-names.ts';
import type { OAuthClient } from '../../src/domain/token-refresh.ts';

/** One application's OAuth clients in memory. */
export function createFakeOAuthClients(): OAuthClientStore {
  const kept = new Map<ProviderName, StoredOAuthClient & OAuthClient>();
  return {
    find: async (provider) => kept.get(provider),
    list: async () => [...kept.values()].map(toShown),
    async set(providerName, client) {
      const createdAt = kept.get(providerName)?.createdAt ?? NOW;
      const stored = { ...client, providerName, createdAt, updatedAt: NOW };
      kept.set(providerName, stored);
      return toShown(stored);
    },
    delete: async (provider) => kept.delete(provider),
  };
}

function toShown({
  providerName,
  clientId,
  createdAt,
  updatedAt,
}: StoredOAuthClient): StoredOAuthClient {
  return { providerName, clientId, createdAt, updatedAt };
}

const NOW = new Date('2026-11-20T00:00:00.000Z');
