import {
  type CrmAdapter,
  type CustomerAccount,
  EXACT,
  type Provider,
  type RateLimitStatus,
  type RecordAdapter,
} from '../../domain/provider.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { completeRecords } from '../complete-records.ts';
import { BURST_MS, readPause } from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { COMPANY_WRITES } from './company-writes.ts';
import { CONTACT_WRITES } from './contact-writes.ts';
import { CONTACT_OBJECT } from './contacts.ts';
import { dealWrites } from './deal-writes.ts';
import { DEAL_OBJECT } from './deals.ts';
import { listFields } from './fields.ts';
import { createLinkWriter } from './link-writes.ts';
import { findLinks } from './links.ts';
import { readList } from './lists.ts';
import { findByEmails, findByIds } from './lookups.ts';
import { authorization, isTokenInvalid, refresh } from './oauth.ts';
import { compareIds, type PipedriveObject } from './object.ts';
import { readOwners } from './owners.ts';
import { readPipelines } from './pipelines.ts';
import { createBulkReader } from './records.ts';
import { BY_INDEX, createWriter } from './writes.ts';

/** Lists have cursors that lead forward, and no total. */
const FORWARD = { isForwardOnly: true, isUncounted: true } as const;
/** One search each, of 20 tokens. */
const MAX_EMAILS = 50;

export const pipedrive: Provider = {
  name: 'pipedrive',
  category: 'crm',
  instanceHosts: [/^([a-z0-9-]+\.)+pipedrive\.com$/],
  instanceUrlHint: 'the URL of the company, such as https://acme.pipedrive.com',
  crm: {
    // The company's own domain, which comes with each token.
    origin: (instanceUrl) => (instanceUrl === null ? undefined : new URL(instanceUrl).origin),
    // Below the limits of the smallest plan: 80 calls, and 10 searches of any plan, in two seconds.
    budgets: {
      general: { calls: 70, intervalMs: BURST_MS, concurrency: 10 },
      search: { calls: 8, intervalMs: BURST_MS, concurrency: 4 },
      token: { concurrency: 1 },
    },
    readRateLimitStatus,
    readPause,
    needsRefresh: ({ status }) => status === 401,
    isTokenInvalid,
    refresh,
    lookupBudget: 'search',
    lookupBatch: MAX_EMAILS,
    records: {
      CONTACT: {
        ...FORWARD,
        filters: {
          email: EXACT,
          emails: { isExact: true, most: MAX_EMAILS },
          modifiedSince: EXACT,
          all: EXACT,
        },
        writes: { canUpsert: true, mostUpserts: MAX_EMAILS, ...BY_INDEX },
        associatedObjects: ['company', 'deal'],
        linkedTo: ['COMPANY', 'DEAL'],
      },
      COMPANY: {
        ...FORWARD,
        filters: { modifiedSince: EXACT, all: EXACT },
        writes: { canUpsert: false },
        associatedObjects: [],
        linkedTo: ['CONTACT', 'DEAL'],
      },
      DEAL: {
        ...FORWARD,
        filters: {
          pipelineId: EXACT,
          stageId: EXACT,
          status: EXACT,
          ownerId: EXACT,
          modifiedSince: EXACT,
          all: EXACT,
        },
        writes: { canUpsert: false },
        associatedObjects: [],
        linkedTo: ['CONTACT', 'COMPANY'],
      },
    },
    // Lists have no lag. Times of changes are rounded down to a second.
    searchLagMs: 2_000,
    compareIds,
    open: openCrm,
  },
  authorization,
};

/**
 * The burst limit, or the tokens of the day once few of them are left. Searches have a limit of their own: headers that
 * show a higher one are about other calls.
 */
function readRateLimitStatus(
  { headers }: ProviderResponse,
  budget: string,
): RateLimitStatus | undefined {
  const tokens = readCount(headers['x-daily-ratelimit-token-limit']);
  const left = readCount(headers['x-daily-ratelimit-token-remaining']);
  if (tokens && left !== undefined && left <= tokens / 10) {
    const each = budget === 'search' ? TOKENS_OF_A_SEARCH : TOKENS_OF_A_LIST;
    const [all, rest] = [tokens, left].map((count) => Math.floor(count / each));
    return { max: all ?? 0, remaining: rest ?? 0, intervalMs: DAY_MS };
  }
  const max = readCount(headers['x-ratelimit-limit']);
  const remaining = readCount(headers['x-ratelimit-remaining']);
  if (!max || remaining === undefined) return undefined;
  if (budget === 'search' && max > SEARCHES) return undefined;
  return { max, remaining, intervalMs: BURST_MS };
}

function readCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}

const TOKENS_OF_A_SEARCH = 20;
/** The most of all other calls: a write costs 5, and one record 1. */
const TOKENS_OF_A_LIST = 10;
/** In two seconds, whatever the plan. */
const SEARCHES = 10;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The records of one customer. */
function openCrm(account: CustomerAccount): CrmAdapter {
  return {
    records: {
      CONTACT: () => ({
        ...openRecords(account, CONTACT_OBJECT),
        openWriter: () => createWriter(account, CONTACT_OBJECT, CONTACT_WRITES),
        findByKey: (emails, selection) => findByEmails(account, emails, selection),
        async related(ids, object) {
          const to = object === 'deal' ? 'DEAL' : 'COMPANY';
          const found = await findLinks(account, 'CONTACT', { to, ids });
          return new Map(
            Array.from(found, ([id, links]) => [
              id,
              links.map(({ remoteId }) => ({ object, remoteId })),
            ]),
          );
        },
      }),
      COMPANY: () => ({
        ...openRecords(account, COMPANY_OBJECT),
        openWriter: () => createWriter(account, COMPANY_OBJECT, COMPANY_WRITES),
      }),
      DEAL: () => ({
        ...completeRecords(account, DEAL_OBJECT, openRecords(account, DEAL_OBJECT)),
        openWriter: () => createWriter(account, DEAL_OBJECT, dealWrites(account)),
      }),
    },
    pipelines: () => readPipelines(account),
    owners: () => readOwners(account),
    bulk: () => createBulkReader(account),
    links: () => createLinkWriter(account),
  };
}

function openRecords<Item extends CrmRecord>(
  account: CustomerAccount,
  object: PipedriveObject<Item>,
): RecordAdapter<Item> {
  return {
    readList: (filter, range, selection) => readList(account, object, { filter, range, selection }),
    count: async () => null,
    findByIds: (ids, selection) => findByIds(account, object, ids, selection),
    listFields: () => listFields(account, object),
    links: (requests) =>
      Promise.all(
        requests.map((request) =>
          findLinks(account, object.kind.type, request).catch((error: Error) => error),
        ),
      ),
  };
}
