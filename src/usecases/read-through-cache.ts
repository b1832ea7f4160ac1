import type { Contact } from '../domain/contact.ts';
import {
  type FieldSelection,
  includesFields,
  readSelectedFields,
  type SelectedFields,
} from '../domain/contact-search.ts';
import { CrossbookError, ERROR_CODES } from '../domain/errors.ts';
import type { RequestLog } from '../domain/log.ts';
import { type ContactCache, LARGE_ENTRY } from '../domain/tenant.ts';
import type { ContactClient } from './open-contact-client.ts';

/** An answer older than this is not served even when the provider is down. */
const MAX_STALE_MS = 24 * 60 * 60 * 1000;

/** Asks the provider and keeps the answer, or serves the kept one where that was asked for. */
export async function readThroughCache(deps: CacheDeps, search: CachedSearch): Promise<Dated> {
  const kept = search.readFromCache ? await readKept(deps, search) : undefined;
  const age = kept ? deps.wall() - kept.fetchedAt.getTime() : Number.POSITIVE_INFINITY;
  // An entry of a time to come: a clock has stepped back since, and its age is not known.
  const isFresh = kept !== undefined && Math.abs(age) <= deps.cacheMaxAgeMs;
  if (search.readFromCache) deps.requestLog.record({ cache: isFresh ? 'hit' : 'miss' });
  if (isFresh) return kept;
  const stale = age <= MAX_STALE_MS ? kept : undefined;
  const fetchedAt = new Date(deps.wall());
  try {
    const found = await search.find();
    if (found.countFailure === undefined) keep(deps, search, { found, fetchedAt });
    else if (stale) throw found.countFailure;
    return { found, fetchedAt };
  } catch (error) {
    if (!stale || !isRemoteFailure(error)) throw error;
    deps.requestLog.record({ cache: 'stale' });
    return stale;
  }
}

/** Behind the answer: a search does not wait for its cache. */
function keep(
  deps: CacheDeps,
  { client, cacheKey, selection }: CachedSearch,
  { found, fetchedAt }: Dated,
): void {
  const entry = {
    connectionId: client.connection.id,
    fetchedAt,
    records: found.contacts.length,
    filterKey: cacheKey,
    payload: toPayload(found, readSelectedFields(selection)),
  };
  deps.runInBackground(deps.cache.write(entry));
}

/**
 * Made apart: what waits to be written must hold its contacts, and not the whole request that they were found in. The
 * list is its own, because the page lets go of the one that was found.
 */
function toPayload(found: SearchResult, fields: SelectedFields | undefined): () => string {
  const kept = [...found.contacts];
  return () => {
    // The source is known from the connection that the entry belongs to.
    const contacts = kept.map(({ source: _, ...contact }) => contact);
    return JSON.stringify({ ...found, contacts, fields: fields && [...fields] });
  };
}

/** What was kept of a search that looked at less than this one is no answer to it. */
async function readKept(
  deps: CacheDeps,
  { client, cacheKey, selection }: CachedSearch,
): Promise<Dated | undefined> {
  const { permit } = deps.requestLog;
  const takeTurn = () => permit.takeTurn();
  const entry = await deps.cache.read(client.connection.id, cacheKey(), takeTurn);
  if (!entry) return undefined;
  if (entry.payload.length > LARGE_ENTRY) await takeTurn();
  const { contacts, fields, ...page } = JSON.parse(entry.payload) as KeptContacts;
  if (!includesFields(fields, selection)) return undefined;
  const found = { ...page, contacts: contacts.map((contact) => ({ ...contact, source: client.source })) };
  return { found, fetchedAt: entry.fetchedAt };
}

function isRemoteFailure(error: unknown): boolean {
  return error instanceof CrossbookError && ERROR_CODES[error.code].status === 499;
}

/** What a search has found, before it is cut into a page. */
export interface SearchResult {
  /** A list of its own. */
  readonly contacts: Contact[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number | null;
  /** Such an answer is not kept: another search may be able to count. */
  readonly countFailure?: unknown;
}

interface KeptContacts extends SearchResult {
  /** Those that the search looked at; absent: all. */
  readonly fields?: readonly string[];
}

export interface Dated {
  readonly found: SearchResult;
  readonly fetchedAt: Date;
}

interface CachedSearch {
  readonly client: ContactClient;
  readonly selection: FieldSelection;
  readonly readFromCache: boolean;
  /** What has to be the same for one answer to serve another search. */
  cacheKey(): string;
  find(): Promise<SearchResult>;
}

export interface CacheDeps {
  readonly cache: ContactCache;
  readonly cacheMaxAgeMs: number;
  readonly requestLog: Pick<RequestLog, 'record' | 'permit'>;
  wall(): number;
  /** Lets work finish after the answer; what goes wrong with it is logged. */
  runInBackground(work: Promise<unknown>): void;
}
