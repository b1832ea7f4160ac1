import { randomUUID } from 'node:crypto';
import type { ConnectLink, ConnectLinkStore } from '../../src/domain/connect-link.ts';
import { DEFAULT_ACCESS } from '../../src/domain/record-access.ts';

/** One application's links, in memory. None is ever started. */
export function createFakeConnectLinks(
  applicationId: string,
  customers: { has(customerId: string): boolean },
): ConnectLinkStore {
  const links = new Map<string, ConnectLink>();
  return {
    async create(link) {
      if (!customers.has(link.customerId)) return undefined;
      const made: ConnectLink = {
        purpose: 'CONNECT',
        mapFields: false,
        ...DEFAULT_ACCESS,
        ...link,
        id: randomUUID(),
        applicationId,
        status: 'PENDING',
        failure: null,
        providerName: link.providerName ?? null,
        connectionId: link.connectionId ?? null,
        createdAt: new Date('2025-01-01T00:00:00.000Z'),
      };
      links.set(made.id, made);
      return made;
    },
    find: async (id) => links.get(id),
    async cancel(id) {
      const link = links.get(id);
      if (link?.status === 'PENDING') links.set(id, { ...link, status: 'CANCELED' });
      return links.get(id);
    },
    async confirm(id) {
      const link = links.get(id);
      return link && { outcome: 'refused', link };
    },
  };
}
