import type { SyncConfiguration, SyncDestination, SyncStore } from '../../src/domain/sync.ts';

const UPDATED_AT = new Date('2025-01-01T00:00:00.000Z');

/** The sync settings of one application, in memory. No connection has syncs. */
export function createFakeSyncs(): SyncStore {
  let destination: SyncDestination | undefined;
  const configurations = new Map<string, SyncConfiguration>();
  return {
    findDestination: async () => destination,
    async setDestination({ host, port, database, user, schema, caCertificate }) {
      const hasCaCertificate = caCertificate !== null;
      const postgres = { host, port, database, user, schema, hasCaCertificate };
      destination = { postgres, updatedAt: UPDATED_AT };
      return destination;
    },
    async deleteDestination() {
      const isDeleted = destination !== undefined;
      destination = undefined;
      return isDeleted;
    },
    listConfigurations: async () => [...configurations.values()],
    async setConfiguration(provider, configuration) {
      const stored = { ...configuration, provider, updatedAt: UPDATED_AT };
      configurations.set(provider, stored);
      return stored;
    },
    listSyncs: async (ids) => ids.map(() => []),
    changeSyncs: async () => 0,
  };
}
