import { type Caller, DEMO_APPLICATION, isAdminKey } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { createTtlCache } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';
import { digest } from '../lib/digest.ts';
import type { KeyLookups, PresentedKey } from './key-lookups.ts';

/**
 * Who calls? Undefined where nothing was presented: the schema may be asked about without a key, data may not. What is
 * presented and wrong is refused at once.
 */
export function createFindCaller(callers: Deps) {
  return ({ headers, address }: CallerHeaders): MaybePromise<Caller | undefined> => {
    const key = headers.get('x-api-key');
    const authorization = headers.get('authorization');
    if (key !== null && authorization !== null) {
      throw new CrossbookError('BAD_REQUEST', 'Send x-api-key or Authorization, not both.');
    }
    if (key !== null)
      return requireCaller(callers.findCallerByKey(key, address), 'The API key is not valid.');
    if (authorization === null) return undefined;
    const token = /^Bearer +([A-Za-z0-9._-]+)$/i.exec(authorization)?.[1];
    if (!token) return refuse('The Authorization header must be: Bearer, a space, and a customer token.');
    return requireCaller(callers.findCallerByToken(token), 'The customer token is not valid, or no longer.');
  };
}

/** What is known at once is answered at once: nothing waits for a promise. */
function requireCaller(found: MaybePromise<Caller | undefined>, detail: string): MaybePromise<Caller> {
  if (found instanceof Promise) return found.then((caller) => caller ?? refuse(detail));
  return found ?? refuse(detail);
}

function refuse(detail: string): never {
  throw new CrossbookError('UNAUTHORIZED', detail);
}

interface HeaderReader {
  get(name: string): string | null;
}

interface CallerHeaders {
  readonly headers: HeaderReader;
  /** Where it comes from. */
  readonly address?: string | undefined;
}

type MaybePromise<T> = T | Promise<T>;

interface Deps {
  findCallerByKey(key: string, address: string | undefined): MaybePromise<Caller | undefined>;
  findCallerByToken(token: string): MaybePromise<Caller | undefined>;
}

/** How long a key or token that was revoked may still be accepted. */
export const CALLER_MAX_AGE_MS = 5_000;
const MAX_CALLERS = 10_000;

/**
 * Who a key or token belongs to, remembered for a few seconds, so that the database is not asked for each request. What
 * can be told without the database comes first: a key's form and MAC, a token's signature. Only what we made ourselves is
 * remembered as refused, so that invented credentials fill no cache.
 */
export function createCallerCache({
  parseKey,
  lookups,
  verifyToken,
  clock,
}: CallerCacheOptions): CallerCache {
  const bounds = { maxAgeMs: CALLER_MAX_AGE_MS, maxEntries: MAX_CALLERS, now: clock.now };
  const keys = createTtlCache<Found>(bounds);
  const tokens = createTtlCache<Found>(bounds);
  const proven = createRecentSet(MAX_CALLERS);

  return {
    findCallerByKey(key, address) {
      const fingerprint = digest(key);
      return read(keys, fingerprint, async () => {
        const presented = parseKey(key);
        if (!presented) return undefined;
        const isTrusted = presented.isGenuine || proven.has(fingerprint);
        const caller = await lookups.find({ key: presented, isTrusted, address });
        if (caller) proven.add(fingerprint);
        return caller || presented.isGenuine ? { caller, expiresAt: Number.POSITIVE_INFINITY } : undefined;
      });
    },
    findCallerByToken: (token) => read(tokens, digest(token), () => verifyToken(token)),
  };

  /** What is remembered comes at once: nothing waits for a promise. */
  function read(cache: typeof keys, fingerprint: string, load: () => Promise<Found | undefined>) {
    const found = cache.find(fingerprint, load);
    return found instanceof Promise ? found.then(toCaller) : toCaller(found);
  }

  function toCaller(found: Found | undefined): Caller | undefined {
    // A token says its end as a time of day, which every process reads from its own clock.
    return found && clock.wall() < found.expiresAt ? found.caller : undefined;
  }
}

/** The newest entries, in the order in which they were added. */
function createRecentSet(maxEntries: number): Pick<Set<string>, 'has'> & { add(entry: string): void } {
  const entries = new Set<string>();
  return {
    has: (entry) => entries.has(entry),
    add(entry) {
      entries.add(entry);
      for (const oldest of entries) {
        if (entries.size <= maxEntries) break;
        entries.delete(oldest);
      }
    },
  };
}

interface CallerCache {
  findCallerByKey(key: string, address: string | undefined): Promise<Caller | undefined> | Caller | undefined;
  findCallerByToken(token: string): Promise<Caller | undefined> | Caller | undefined;
}

interface CallerCacheOptions {
  /** Undefined where a text cannot be a key of this installation. */
  parseKey(key: string): PresentedKey | undefined;
  readonly lookups: KeyLookups;
  /** Undefined for what we did not sign. */
  verifyToken(token: string): Promise<Found | undefined>;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
}

interface Found {
  /** Undefined: made here, and valid no longer. */
  readonly caller: Caller | undefined;
  readonly expiresAt: number;
}

/**
 * The demo application's key is compared here and stored nowhere; undefined where the sandbox is off. Then nothing of that
 * application counts: no key of it that a database still holds, and no token that was issued for its customers.
 */
export function withDemoCallers(callers: CallerCache, demoKey: string | undefined): CallerCache {
  if (demoKey === undefined) {
    return {
      findCallerByKey: (key, address) => withoutDemo(callers.findCallerByKey(key, address)),
      findCallerByToken: (token) => withoutDemo(callers.findCallerByToken(token)),
    };
  }
  const expected = digest(demoKey);
  const demo: Caller = { application: DEMO_APPLICATION, credentialId: 'demo' };
  return {
    findCallerByKey: (key, address) =>
      digest(key) === expected ? demo : callers.findCallerByKey(key, address),
    findCallerByToken: callers.findCallerByToken,
  };
}

function withoutDemo(found: ReturnType<CallerCache['findCallerByKey']>): typeof found {
  return found instanceof Promise ? found.then(unlessDemo) : unlessDemo(found);
}

function unlessDemo(caller: Caller | undefined): Caller | undefined {
  return caller?.application.id === DEMO_APPLICATION.id ? undefined : caller;
}

/** Lets the operator pass. Throws UNAUTHORIZED otherwise; what was wrong counts as a failed authentication of its address. */
export function createAdminCheck({ hash, failures }: AdminCheckOptions): AdminCheck {
  return ({ headers, address = 'unknown' }) => {
    const key = headers.get('x-admin-key');
    if (key === null) throw refused('Say who you are: with the header x-admin-key.');
    if (isAdminKey(key, hash)) return;
    failures.count(address);
    throw refused('The admin key is not valid.');
  };
}

function refused(detail: string): CrossbookError {
  return new CrossbookError('UNAUTHORIZED', detail);
}

type AdminCheck = (arrival: {
  readonly headers: HeaderReader;
  readonly address?: string | undefined;
}) => void;

interface AdminCheckOptions {
  /** Of the key: SHA-256, in hexadecimal digits. */
  readonly hash: string;
  readonly failures: { count(address: string): void };
}
