import type { ContactAccess, ContactPort, Provider, RateLimitStatus } from '../../domain/provider.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { createCall } from './call.ts';
import { compareIds, countByDomain, findByEmails, findByIds, readByDomain } from './find-contacts.ts';
import { INSTANCE_HOSTS, instanceOrigin } from './instance.ts';
import { authorization, isTokenExpired, refresh } from './oauth.ts';
import { createReader } from './reader.ts';

export const salesforce: Provider = {
  name: 'salesforce',
  category: 'crm',
  instanceHosts: INSTANCE_HOSTS,
  contacts: {
    origin: instanceOrigin,
    budgets: {
      // The org takes 25 long calls at once, from everyone who is connected to it: we are not alone. How many a day
      // is in every answer.
      api: { concurrency: 10 },
      token: { concurrency: 1 },
    },
    readRateLimitStatus,
    isTokenExpired,
    // What asks for another session says that this one is over.
    isTokenRefused: isTokenExpired,
    // The org's id, which stands in every URL.
    publicPrefix: /^00D[0-9A-Za-z]{12}!/,
    refresh,
    lookupBudget: 'api',
    lookupBatch: 100,
    associatedObjects: [],
    open: openContacts,
    compareIds,
  },
  authorization,
};

/** One customer's contacts in one Salesforce org. */
export function openContacts({ send, connection, facts }: Options): ContactPort {
  const reader = createReader({ call: createCall(send), connection, facts });
  return {
    findByEmails: (emails, selection) => findByEmails(reader, emails, selection),
    readByDomain: (domain, run, selection) => readByDomain(reader, { domain, run, selection }),
    countByDomain: (domain) => countByDomain(reader, domain),
    findByIds: (ids, selection) => findByIds(reader, ids, selection),
  };
}

/**
 * `Sforce-Limit-Info: api-usage=18/5000`, with `; per-app-api-usage=17/250(appName=x)` or `; api-bursts=1/750` behind
 * it. Of the org's limit and the app's own the tighter one holds.
 */
export function readRateLimitStatus({ headers }: ProviderResponse): RateLimitStatus | undefined {
  const info = headers['sforce-limit-info'];
  if (info === undefined) return undefined;
  const limits = Array.from(info.matchAll(USAGE), ([, used, max]) => toAllowance(Number(used), Number(max)));
  const tightest = limits.reduce<RateLimitStatus | undefined>(
    (least, one) => (least === undefined || one.remaining < least.remaining ? one : least),
    undefined,
  );
  // An org over its daily limit goes on as long as it has bursts left: nothing is known of how long.
  return tightest?.remaining === 0 && hasBursts(info) ? undefined : tightest;
}

function toAllowance(used: number, max: number): RateLimitStatus {
  return { remaining: Math.max(0, max - used), max, intervalMs: DAY_MS };
}

function hasBursts(info: string): boolean {
  const [, used, max] = /api-bursts=(\d{1,9})\/(\d{1,9})/.exec(info) ?? [];
  return Number(used) < Number(max);
}

/** Both `api-usage` and `per-app-api-usage`. */
const USAGE = /api-usage=(\d{1,12})\/(\d{1,12})/g;
const DAY_MS = 24 * 60 * 60 * 1_000;

type Options = Parameters<ContactAccess['open']>[0];
