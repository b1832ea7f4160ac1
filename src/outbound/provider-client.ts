import type { RequestWork } from '../admission/work.ts';
import type { Connection } from '../domain/connection.ts';
import type { FieldSelection } from '../domain/contact-search.ts';
import { AbandonedError, CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';
import { RemoteFailure } from '../domain/remote.ts';
import type { ContactCache } from '../domain/tenant.ts';
import { createConnectionTokens } from './access-token/token-endpoint.ts';
import { createFactsCache } from './facts-cache.ts';
import { createLookupBatcher, type SharedCall } from './lookup-batcher.ts';
import type { OutboundDeps } from './outbound.ts';
import { createConnectionBreaker } from './resilience/circuit-breaker.ts';
import { createDistributedRateLimiter } from './resilience/distributed-rate-limiter.ts';
import { createRateLimiter, type RateLimiter } from './resilience/rate-limiter.ts';
import { type CallSource, createSend } from './send.ts';

/**
 * The client of one connection, with its own access tokens, circuit breaker, rate limiters and look-up batcher. In
 * order from `open`: the operation is counted as waiting, look-ups by email are batched, the provider's adapter makes
 * the calls, and `send` sends them. Keeps only the ids of the connection.
 */
export function createProviderClient(deps: OutboundDeps, { connection, access }: Accessed) {
  const { clock, settings } = deps;
  const { id: connectionId, applicationId, providerName: provider } = connection;
  const { deadlineMs } = settings;
  const limiters = new Map<string, RateLimiter>();
  const owners = { application: applicationId, connection: connectionId };
  const target = { provider, connectionId };
  const breaker = createConnectionBreaker({
    clock,
    maxFailures: settings.breakerFailures,
    openMs: settings.breakerOpenMs,
    slowMs: deadlineMs / 2,
    isCrowded: (refused) => refused + deps.waiting.countOf(connectionId) >= settings.crowdedAt,
  });
  const lookups = createLookupBatcher({
    clock,
    batchSize: access.lookupBatch,
    maxInFlight: settings.lookupsInFlight,
    spacingMs: () => limiterFor(access.lookupBudget).spacingMs(),
    onCall: (emails) => deps.onLookup?.({ provider, emails }),
  });
  const facts = createFactsCache(connectionId, clock);
  const { tokens, redact, secretBytes } = createConnectionTokens({
    ...deps,
    access,
    owners,
    target,
  });
  const send = createSend({
    ...deps,
    access,
    breaker,
    tokens,
    secretBytes,
    owners,
    target,
    limiterFor,
  });
  const triedConnections = new WeakSet<Connection>();
  let used: Pick<Connection, 'instanceUrl' | 'credentialsVersion'> | undefined;

  return {
    /** Cheap, because it is called per request. */
    open,
    send,
    /** Refreshes the token before it is needed. */
    refreshStoredToken: tokens.refreshStored,

    /** Called per request, because a customer may have moved to another instance, or connected another account. */
    use({ instanceUrl, credentialsVersion }: Connection): void {
      const before = used;
      used = { instanceUrl, credentialsVersion };
      if (!before) return;
      const hasMoved = instanceUrl !== before.instanceUrl;
      if (hasMoved || credentialsVersion !== before.credentialsVersion) forget();
      // It may be another host: the recent failures belong to the previous one.
      if (hasMoved) breaker.reset();
    },

    forget,

    /** The memory of the secrets that are kept for redaction. */
    secretBytes,

    counts() {
      /** Calls that queue for the rate limiter. */
      const waiting = [...limiters.values()].reduce(
        (sum, limiter) => sum + limiter.queueLength(),
        0,
      );
      return { provider, waiting, isBreakerOpen: !breaker.isClosed() };
    },

    /** Whether it can be evicted without losing state that matters. */
    isIdle(): boolean {
      return (
        deps.waiting.countOf(connectionId) === 0 &&
        lookups.isIdle() &&
        breaker.isClosed() &&
        [...limiters.values()].every((limiter) => limiter.isIdle())
      );
    },
  };

  function open(options: PortOptions): ContactPort {
    const { connection, work } = options;
    const read = <Found>(operation: Operation<Found>) =>
      whileWaiting(options, (deadline) => readContacts(options, { deadline, work }, operation));
    return {
      findByEmails(emails, selection) {
        const key = toMergeKey(connection, selection);
        return whileWaiting(options, (deadline) =>
          lookups.find({
            emails,
            selection,
            key,
            deadline,
            work,
            findByEmails: (all, merged, shared) =>
              readContacts(options, shared, (port) => port.findByEmails(all, merged)),
          }),
        );
      },
      readByDomain: (domain, run, selection) =>
        read((port) => port.readByDomain(domain, run, selection)),
      countByDomain: (domain) => read((port) => port.countByDomain(domain)),
      findByIds: (ids, selection) => read((port) => port.findByIds(ids, selection)),
      listFields: () => read((port) => port.listFields?.() ?? notOffered('Fields')),
      findAssociations: (ids, to) =>
        whileWaiting(options, (deadline) =>
          callAdapter(
            options,
            { deadline, work },
            (port) => port.findAssociations?.(ids, to) ?? notOffered('Associations'),
          ),
        ),
    };
  }

  /** Runs an operation with one deadline, and takes a turn for what its request does with the result. */
  async function whileWaiting<Found>(
    { work, deadline }: PortOptions,
    call: (deadline: number) => Promise<Found>,
  ): Promise<Found> {
    // No further calls are made for a client that has disconnected.
    if (work.signal?.isAborted) throw new AbandonedError();
    const leave = deps.waiting.enter(owners);
    try {
      return await call(deadline ?? clock.now() + deadlineMs);
    } finally {
      leave();
      const turn = work.takeTurn();
      if (turn) await turn;
    }
  }

  /** Where the provider refuses to let contacts be read, those that were read before are not served any more. */
  function readContacts<Found>(
    options: PortOptions,
    shared: SharedCall,
    operation: Operation<Found>,
  ): Promise<Found> {
    return callAdapter(options, shared, async (port) => {
      try {
        return await operation(port);
      } catch (error) {
        // The client learns of the refusal even if the database is unavailable.
        if (isRefusal(error)) await options.cache.refuse(connectionId).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Runs the adapter, whose calls this client sends. Errors of the adapter are redacted. */
  async function callAdapter<Found>(
    options: PortOptions,
    { deadline, work, onProgress }: SharedCall,
    operation: Operation<Found>,
  ): Promise<Found> {
    const { connection, cache } = options;
    const source = work === options.work ? options : { ...options, work, onProgress };
    try {
      const port = access.open({
        connection,
        async send(request) {
          const answer = await send(source, request, deadline);
          // The adapter parses the response next.
          const turn = work.takeTurn();
          if (turn) await turn;
          return answer;
        },
        openFacts: () => facts.of(cache, { clock, deadline, signal: work.signal }),
        takeTurn: () => work.takeTurn(),
      });
      const found = await operation(port);
      if (connection.statusReason === 'not_tried') markTried(options);
      return found;
    } catch (error) {
      throw redact(error);
    }
  }

  /** Not awaited: if it fails, a later read does it. Once for a connection that many requests have cached. */
  function markTried({ connection, credentials }: PortOptions): void {
    if (triedConnections.has(connection)) return;
    triedConnections.add(connection);
    credentials.markTried(connection).catch(() => undefined);
  }

  function limiterFor(name: string): RateLimiter {
    const existing = limiters.get(name);
    if (existing) return existing;
    const budget = access.budgets[name];
    if (!budget)
      throw new Error(`A call names the budget ${name}, which its provider does not declare.`);
    const options = { budget, clock, maxWaiting: settings.maxWaitingCalls };
    const { distributedRateLimits } = deps;
    // Concurrency is limited per process: only call counts are shared.
    const isShared = distributedRateLimits !== undefined && budget.calls !== undefined;
    const limiter = isShared
      ? createDistributedRateLimiter({
          ...options,
          distributedRateLimits,
          name: `${connectionId}:${name}`,
        })
      : createRateLimiter(options);
    limiters.set(name, limiter);
    return limiter;
  }

  /** Clears what is cached of a changed connection. */
  function forget(): void {
    tokens.forget();
    facts.forget();
  }
}

/** A refusal of the call itself: one of a token refresh may be temporary, and is no RemoteFailure any more. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof RemoteFailure &&
    (error.code === 'REMOTE_PROVIDER_UNAUTHORIZED' || error.code === 'REMOTE_PROVIDER_FORBIDDEN')
  );
}

/** Look-ups with different credentials cannot share a call, nor those with different sources of own fields. */
function toMergeKey(connection: Connection, { rawData, custom }: FieldSelection): string {
  const key = toRecordKey(connection, rawData);
  return custom ? `${key} ${custom.key}` : key;
}

/** Raw data depends on the connection's field mappings. */
function toRecordKey(connection: Connection, rawData: boolean): string {
  if (!rawData) return String(connection.credentialsVersion);
  const known = rawDataKeys.get(connection);
  if (known !== undefined) return known;
  const { schemaMappingsConfig, entityMappings, credentialsVersion } = connection;
  const key = JSON.stringify([credentialsVersion, schemaMappingsConfig, entityMappings]);
  rawDataKeys.set(connection, key);
  return key;
}

/** Memoized, because mappings are up to 64 KiB, and one request may look up a thousand emails. */
const rawDataKeys = new WeakMap<Connection, string>();

function notOffered(what: string): never {
  throw new CrossbookError('NOT_IMPLEMENTED', `${what} are not offered here.`);
}

export type ProviderClient = ReturnType<typeof createProviderClient>;

/** Options of the request that the port is opened for. */
export interface PortOptions extends Omit<CallSource, 'onProgress'> {
  /** The cache for facts about the connection. */
  readonly cache: ContactCache;
  readonly work: RequestWork;
  /** Monotonic time. Absent: each operation has `deadlineMs`. */
  readonly deadline?: number | undefined;
}

type Operation<Found> = (port: ContactPort) => Promise<Found>;

/** A connection and its provider's access. */
export interface Accessed {
  readonly connection: Connection;
  readonly access: ContactAccess;
}
