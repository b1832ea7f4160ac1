import type { HubSpot } from './hubspot.ts';
import { toContact } from './to-contact.ts';

/** One page of whole contacts, in the order of their ids: what every contender has to find, whoever then shapes it. */
export async function findPage(hubspot: HubSpot, emails: readonly string[]) {
  const records = await hubspot.readContacts(emails);
  const nodes = records.map(toContact).sort((a, b) => Number(a['remoteId']) - Number(b['remoteId']));
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
