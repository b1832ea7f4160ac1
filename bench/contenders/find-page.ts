import type { HubSpot } from './hubspot.ts';
import { toContact } from './to-contact.ts';

/** One page of complete contacts, ordered by id: the data that every contender must find and then map. */
export async function findPage(hubspot: HubSpot, emails: readonly string[]) {
  const records = await hubspot.readContacts(emails);
  const nodes = records
    .map(toContact)
    .sort((a, b) => Number(a['remoteId']) - Number(b['remoteId']));
  return {
    nodes,
    pageInfo: {
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: nodes[0]?.['id'] ?? null,
      endCursor: nodes.at(-1)?.['id'] ?? null,
    },
    totalCount: nodes.length,
    fetchedAt: new Date().toISOString(),
  };
}
