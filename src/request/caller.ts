import { type Caller, DEMO_APPLICATION, isAdminKey, type PresentedKey } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { createTtlCache } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';
import { digest } from '../lib/digest.ts';
import type { HttpHeaders } from '../lib/http-message.ts';
import type { VerifiedToken } from './customer-token.ts';
import type { KeyLookups } from './key-lookups.ts';

/**
 * Authenticates a request. Undefined without credentials: introspection is allowed without a key, data is not.
 * Invalid credentials are rejected at once.
 */
export function createFindCaller(
  callers: ReturnType<typeof createCallerCache>,
  /** Finds the caller of a session of the console. Absent: there is no console. */
  findOperator?: (token: string, headers: CallerHeaders['headers']) => Promise<Caller>,
) {
  return ({ headers, address }: CallerHeaders): MaybePromise<Caller | undefined> => {
    const key = headers.get('x-api-key');
    const authorization = headers.get('authorization');
    if (key !== null && authorization !== null) {
      throw new CrossbookError('BAD_REQUEST', 'Send x-api-key or Authorization, not both.');
    }
    if (key === '') return refuse('The header x-api-key is empty.');
    if (key !== null) return requireCaller(callers.findCallerByKey(key, address), KEY_REFUSED);
    if (authorization === null) return undefined;
    const token = /^Bearer +([A-Za-z0-9._-]+)$/i.exec(authorization)?.[1];
    if (token?.startsWith('cbk_'))
      return refuse('This is an API key: send it in the header x-api-key.');
    if (token?.startsWith('cbc_') && findOperator) return findOperator(token, headers);
    if (!token)
      return refuse('The Authorization header must be: Bearer, a space, and a customer token.');
    return requireCaller(
      callers.findCallerByToken(token),
      'The customer token is invalid or has expired.',
    );
  };
}

const KEY_REFUSED = 'The API key is not valid: it may be mistyped or revoked.';

/** Avoids a promise where the caller is cached. */
function requireCaller(
  found: MaybePromise<Caller | undefined>,
  detail: string,
): MaybePromise<Caller> {
  if (found instanceof Promise) return found.then((caller) => caller ?? refuse(detail));
  return found ?? refuse(detail);
}

function refuse(detail: string): never {
  throw new CrossbookError('UNAUTHORIZED', detail);
}

interface CallerHeaders {
  readonly headers: Pick<HttpHeaders, 'get'>;
  /** The client's subnet. */
  readonly address?: string | undefined;
}

type MaybePromise<T> = T | Promise<T>;

/** The TTL of the caller cache: how long a revoked key or token may still be accepted. */
export const CALLER_MAX_AGE_MS = 5_000;
const MAX_CALLERS = 10_000;

/**
 * Maps keys and tokens to callers, with a cache of a few seconds, so that not every request queries the database.
 * Checks without the database come first: a key's format and MAC, a token's signature. Rejections are cached only for
 * credentials that we issued, so that invented ones cannot fill the cache. The demo's key is compared in memory and
 * never stored. Where the sandbox is off there is no demo key, and every key and token of the demo application is
 * rejected, even those that the database still holds.
 */
export function createCallerCache({
  parseKey,
  lookups,
  verifyToken,
  clock,
  demoKey,
}: CallerCacheOptions) {
  const bounds = { maxAgeMs: CALLER_MAX_AGE_MS, maxEntries: MAX_CALLERS, now: clock.now };
  const keys = createTtlCache<VerifiedToken>(bounds);
  const tokens = createTtlCache<VerifiedToken>(bounds);
  const proven = createRecentSet(MAX_CALLERS);
  const demoFingerprint = demoKey === undefined ? undefined : digest(demoKey);

  return {
    findCallerByKey(key: string, address: string | undefined): MaybePromise<Caller | undefined> {
      const fingerprint = digest(key);
      if (fingerprint === demoFingerprint) return DEMO_CALLER;
      return read(keys, fingerprint, async () => {
        const presented = parseKey(key);
        if (!presented) return undefined;
        const isTrusted = presented.isGenuine || proven.has(fingerprint);
        const caller = await lookups.find({ key: presented, isTrusted, address });
        if (caller) proven.add(fingerprint);
        return caller || presented.isGenuine
          ? { caller, expiresAt: Number.POSITIVE_INFINITY }
          : undefined;
      });
    },
    findCallerByToken: (token: string): MaybePromise<Caller | undefined> =>
      read(tokens, digest(token), () => verifyToken(token)),
  };

  /** Returns a cached value without a promise. */
  function read(
    cache: typeof keys,
    fingerprint: string,
    load: () => Promise<VerifiedToken | undefined>,
  ) {
    const found = cache.find(fingerprint, load);
    return found instanceof Promise ? found.then(toCaller) : toCaller(found);
  }

  function toCaller(found: VerifiedToken | undefined): Caller | undefined {
    // Tokens expire by wall-clock time, so each process compares with its own wall clock.
    const caller = found && clock.wall() < found.expiresAt ? found.caller : undefined;
    return demoKey === undefined && caller?.application.id === DEMO_APPLICATION.id
      ? undefined
      : caller;
  }
}

const DEMO_CALLER: Caller = { application: DEMO_APPLICATION, credentialId: 'demo' };

/** A bounded set of the newest entries, in order of insertion. */
function createRecentSet(
  maxEntries: number,
): Pick<Set<string>, 'has'> & { add(entry: string): void } {
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

interface CallerCacheOptions {
  /** Undefined if a string cannot be a key of this installation. */
  parseKey(key: string): PresentedKey | undefined;
  readonly lookups: Pick<KeyLookups, 'find'>;
  /** Undefined for tokens with an invalid signature. */
  verifyToken(token: string): Promise<VerifiedToken | undefined>;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  /** Undefined if the sandbox is off. */
  readonly demoKey?: string | undefined;
}

/**
 * Authenticates the operator. Throws UNAUTHORIZED otherwise; a wrong key counts as a failed authentication of its
 * address.
 */
export function createAdminCheck({ hash, failures }: AdminCheckOptions) {
  return ({ headers, address = 'unknown' }: CallerHeaders): undefined => {
    const key = headers.get('x-admin-key');
    if (key === null) refuse('The header x-admin-key is missing.');
    if (isAdminKey(key, hash)) return undefined;
    failures.count(address);
    refuse('The admin key is not valid.');
  };
}

interface AdminCheckOptions {
  /** The SHA-256 of the key in hexadecimal digits. */
  readonly hash: string;
  readonly failures: { count(address: string): void };
}

/** The web origins of all applications, cached for a few seconds, and loaded only while browsers call. */
export function createOriginCache({ list, always = [], now }: OriginCacheOptions) {
  const cache = createTtlCache<OriginsOfApplications>({
    maxAgeMs: CALLER_MAX_AGE_MS,
    maxEntries: 1,
    now,
  });
  /** A cached map is returned without a promise. */
  return (): MaybePromise<OriginsOfApplications> => {
    const found = cache.find('all', async () => toOriginMap([...always, ...(await list())]));
    return found instanceof Promise ? found.then((origins) => origins ?? NONE) : (found ?? NONE);
  };
}

function toOriginMap(all: readonly NamedOrigins[]): OriginsOfApplications {
  const found = new Map<string, Set<string>>();
  for (const { applicationId, origins } of all) {
    for (const origin of origins) {
      found.set(origin, (found.get(origin) ?? new Set()).add(applicationId));
    }
  }
  return found;
}

const NONE: OriginsOfApplications = new Map();

/** Origin → ids of the applications that list it. */
type OriginsOfApplications = ReadonlyMap<string, ReadonlySet<string>>;

interface NamedOrigins {
  readonly applicationId: string;
  readonly origins: readonly string[];
}

interface OriginCacheOptions {
  list(): Promise<readonly NamedOrigins[]>;
  /** Origins in addition to the stored ones. */
  readonly always?: readonly NamedOrigins[] | undefined;
  now(): number;
}
