import type { Connection } from '../domain/connection.ts';
import { PageSizes } from '../domain/page-sizes.ts';
import type { CrmAccess } from '../domain/provider.ts';
import { createConnectionTokens } from './access-token/token-endpoint.ts';
import type { IdleRefreshOutcome, Token, TokenSource, Tokens } from './access-token/tokens.ts';
import { createFactsCache } from './facts-cache.ts';
import { createLookupBatcher } from './lookup-batcher.ts';
import type { Owners } from './operation-limit.ts';
import type { OutboundDeps } from './outbound-deps.ts';
import { ProviderClock, REPORTED_DIFFERENCE_MS } from './provider-clock.ts';
import type { Redact } from './redaction/redactor.ts';
import { RememberedReads } from './remembered-reads.ts';
import { type Breaker, createConnectionBreaker } from './resilience/circuit-breaker.ts';
import { createDistributedRateLimiter } from './resilience/distributed-rate-limiter.ts';
import { createRateLimiter, type RateLimiter } from './resilience/rate-limiter.ts';
import { type CallSource, createSend } from './send.ts';

/**
 * What all requests to one connection share: its access tokens, circuit breaker, rate limiters and look-up batcher.
 * Keeps only the ids of the connection. `crm-port.ts` has the steps of one operation.
 */
export class ProviderClient {
  readonly deps: OutboundDeps;
  readonly access: CrmAccess;
  readonly connectionId: Connection['id'];
  readonly owners: Owners;
  readonly lookups: ReturnType<typeof createLookupBatcher>;
  readonly facts: ReturnType<typeof createFactsCache>;
  readonly pageSizes = new PageSizes();
  remembered: RememberedReads;
  readonly clock: ProviderClock;
  readonly send: ReturnType<typeof createSend>;
  readonly redact: Redact;
  /** The memory of the secrets that are kept for redaction. */
  readonly secretBytes: () => number;
  readonly #provider: Connection['providerName'];
  readonly #tokens: Tokens;
  readonly #breaker: Breaker;
  readonly #limiters = new Map<string, RateLimiter>();
  readonly #triedConnections = new WeakSet<Connection>();
  #used: Pick<Connection, 'instanceUrl' | 'credentialsVersion'> | undefined;

  constructor(deps: OutboundDeps, { connection, access }: Accessed) {
    const { clock, settings, waiting } = deps;
    const { id: connectionId, applicationId, providerName: provider } = connection;
    const owners = { application: applicationId, connection: connectionId };
    const target = { provider, connectionId };
    this.deps = deps;
    this.access = access;
    this.connectionId = connectionId;
    this.owners = owners;
    this.#provider = provider;
    this.clock = new ProviderClock(clock);
    this.#breaker = createConnectionBreaker({
      provider,
      clock,
      maxFailures: settings.breakerFailures,
      openMs: settings.breakerOpenMs,
      slowMs: settings.deadlineMs / 2,
      isCrowded: (refused) => refused + waiting.countOf(connectionId) >= settings.crowdedAt,
    });
    this.lookups = createLookupBatcher({
      clock,
      batchSize: access.lookupBatch,
      maxInFlight: settings.lookupsInFlight,
      spacingMs: () => this.#limiterFor(access.lookupBudget).spacingMs(),
      onCall: (emails) => deps.onLookup?.({ provider, emails }),
    });
    this.facts = createFactsCache(connectionId, clock);
    this.remembered = new RememberedReads(clock);
    const { tokens, redact, secretBytes } = createConnectionTokens({
      ...deps,
      access,
      owners,
      target,
    });
    this.#tokens = tokens;
    this.redact = redact;
    this.secretBytes = secretBytes;
    this.send = createSend({
      ...deps,
      access,
      breaker: this.#breaker,
      tokens,
      target,
      limiterFor: (name) => this.#limiterFor(name),
      onDate: (origin, date) => this.#readDate(origin, date),
    });
  }

  /** Refreshes the token before it is needed. */
  refreshStoredToken(
    source: TokenSource,
    generation: Token['generation'],
  ): Promise<IdleRefreshOutcome> {
    return this.#tokens.refreshStored(source, generation);
  }

  /** Called per request, because a customer may have moved to another instance, or connected another account. */
  use({ instanceUrl, credentialsVersion }: Connection): void {
    const before = this.#used;
    this.#used = { instanceUrl, credentialsVersion };
    if (!before) return;
    const hasMoved = instanceUrl !== before.instanceUrl;
    if (hasMoved || credentialsVersion !== before.credentialsVersion) this.forget();
    // It may be another host: the recent failures belong to the previous one.
    if (hasMoved) this.#breaker.reset();
  }

  /** Clears what is cached of a changed connection. */
  forget(): void {
    this.#tokens.forget();
    this.facts.forget();
    this.remembered = new RememberedReads(this.deps.clock);
  }

  /** Not awaited: if it fails, a later read does it. Once for a connection that many requests have cached. */
  markTried({ connection, credentials }: CallSource): void {
    if (this.#triedConnections.has(connection)) return;
    this.#triedConnections.add(connection);
    credentials.markTried(connection).catch(() => undefined);
  }

  #readDate(origin: string, date: string | undefined): void {
    if (!this.clock.observe(date)) return;
    const differenceMs = this.clock.differenceMs();
    if (Math.abs(differenceMs) < REPORTED_DIFFERENCE_MS) return;
    const { host } = new URL(origin);
    const seconds = Math.round(differenceMs / 1_000);
    this.deps.onClockDifference?.({ provider: this.#provider, host, seconds });
  }

  counts() {
    /** Calls that queue for the rate limiter. */
    const waiting = [...this.#limiters.values()].reduce(
      (sum, limiter) => sum + limiter.queueLength(),
      0,
    );
    return {
      provider: this.#provider,
      waiting,
      isBreakerOpen: !this.#breaker.isClosed(),
      clockDifferenceMs: Math.abs(this.clock.differenceMs()),
    };
  }

  /** Whether it can be evicted without losing state that matters. */
  isIdle(): boolean {
    return (
      this.deps.waiting.countOf(this.connectionId) === 0 &&
      this.lookups.isIdle() &&
      this.#breaker.isClosed() &&
      [...this.#limiters.values()].every((limiter) => limiter.isIdle())
    );
  }

  #limiterFor(name: string): RateLimiter {
    const existing = this.#limiters.get(name);
    if (existing) return existing;
    const { clock, settings, distributedRateLimits } = this.deps;
    const budget = this.access.budgets[name];
    if (!budget)
      throw new Error(`A call names the budget ${name}, which its provider does not declare.`);
    const options = { budget, clock, maxWaiting: settings.maxWaitingCalls };
    // Concurrency is limited per process: only call counts are shared.
    const isShared = distributedRateLimits !== undefined && budget.calls !== undefined;
    const limiter = isShared
      ? createDistributedRateLimiter({
          ...options,
          distributedRateLimits,
          name: `${this.connectionId}:${name}`,
        })
      : createRateLimiter(options);
    this.#limiters.set(name, limiter);
    return limiter;
  }
}

/** A connection and its provider's access. */
export interface Accessed {
  readonly connection: Connection;
  readonly access: CrmAccess;
}
