import type { ContactPort, Provider, RateLimitStatus } from '../../domain/provider.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { API_ORIGIN, API_VERSION } from './call.ts';
import { BATCH, compareIds, findAssociations, findByEmails, findByIds } from './contacts-by-key.ts';
import { authorization, isTokenRefused, LOGIN_HOSTS, refresh } from './oauth.ts';
import { countByDomain, readByDomain } from './search.ts';

export const hubspot: Provider = {
  name: 'hubspot',
  category: 'crm',
  // Where people see their contacts; the API is elsewhere and the same for all.
  instanceHosts: LOGIN_HOSTS,
  contacts: {
    origin: () => API_ORIGIN,
    apiVersion: API_VERSION,
    // Below what HubSpot documents, because the windows are HubSpot's own and roll: 5 searches a second for the whole
    // account (all of its applications together), 100 other calls in 10 seconds on the smallest plan.
    budgets: {
      search: { calls: 4, intervalMs: 1_000, concurrency: 4 },
      general: { calls: 90, intervalMs: 10_000, concurrency: 10 },
      token: { concurrency: 1 },
    },
    readRateLimitStatus,
    isTokenExpired: ({ status }) => status === 401,
    isTokenRefused,
    refresh,
    lookupBudget: 'general',
    lookupBatch: BATCH,
    associatedObjects: ['company', 'deal', 'ticket'],
    open: (account): ContactPort => ({
      findByEmails: (emails, selection) => findByEmails(account, emails, selection),
      readByDomain: (domain, run, selection) => readByDomain(account, { domain, run, selection }),
      countByDomain: (domain) => countByDomain(account, domain),
      findByIds: (ids, selection) => findByIds(account, ids, selection),
      findAssociations: (ids, to) => findAssociations(account, ids, to),
    }),
    compareIds,
  },
  authorization,
};

/** Larger plans say so in their headers. Searches carry none of them. */
function readRateLimitStatus({ headers }: ProviderResponse): RateLimitStatus | undefined {
  const max = readCount(headers['x-hubspot-ratelimit-max']);
  const remaining = readCount(headers['x-hubspot-ratelimit-remaining']);
  const intervalMs = readCount(headers['x-hubspot-ratelimit-interval-milliseconds']);
  if (!max || !intervalMs || remaining === undefined) return undefined;
  return { max, remaining, intervalMs };
}

function readCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}
