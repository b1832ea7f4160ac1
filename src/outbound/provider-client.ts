import type { Connection } from '../domain/connection.ts';
import type { FieldSelection } from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { ProviderResponse, RemoteRequest } from '../domain/remote.ts';
import type { Resume, WorkPermit } from '../domain/resources.ts';
import type { ContactCache } from '../domain/tenant.ts';
import { createConnectionTokens } from './access-token/connection-tokens.ts';
import type { RenewalOutcome, TokenSource } from './access-token/tokens.ts';
import { createFactsCache } from './facts-cache.ts';
import { createLookupBatcher, type SharedCall } from './lookup-batcher.ts';
import type { OutboundDeps } from './outbound.ts';
import { createBreaker } from './resilience/circuit-breaker.ts';
import { createRateLimiter, type RateLimiter } from './resilience/rate-limiter.ts';
import { createSharedRateLimiter } from './resilience/shared-rate-limiter.ts';
import { type CallSource, type SendDeps, send, withCallEvents } from './send.ts';
import type { WaitingFor } from './waiting.ts';

/**
 * The client of one connection: its access tokens, circuit breaker, rate limiters and batcher of look-ups, shared with no
 * other connection. In order, from `open` on: an operation is counted as waiting, look-ups by email are batched, the
 * provider's adapter makes the calls, and `send` sends them. Of the connection itself nothing is kept but its ids.
 */
export function createProviderClient(deps: OutboundDeps, { connection, access }: Accessed): ProviderClient {
  const { clock, settings } = deps;
  const { id: connectionId, applicationId, providerName: provider } = connection;
  const { deadlineMs } = settings;
  const limiters = new Map<string, RateLimiter>();
  const owners = { application: applicationId, connection: connectionId };
  const breaker = createBreaker({
    clock,
    maxFailures: settings.breakerFailures,
    openMs: settings.breakerOpenMs,
    slowMs: deadlineMs / 2,
    isCrowded: (refused) => refused + client.waiting >= settings.crowdedAt,
  });
  const lookups = createLookupBatcher({
    clock,
    batchSize: access.lookupBatch,
    maxUnderWay: settings.lookupsUnderWay,
    spacingMs: () => limiterFor(access.lookupBudget).spacingMs(),
    onCall: (emails) => deps.onLookup?.({ provider, emails }),
  });
  const facts = createFactsCache({ connectionId, clock });
  const transmit = withCallEvents(deps.transport, { clock, onCall: deps.onCall, provider, connectionId });
  const { tokens, toError } = createConnectionTokens({
    ...deps,
    ...{ access, provider, applicationId, owners, transmit },
  });
  const sending: SendDeps = {
    access,
    breaker,
    clock,
    random: deps.random,
    tokens,
    heldBytes: deps.heldBytes,
    owners,
    transmit,
    limiterFor,
  };
  let instanceUrl: string | null | undefined;

  const client: ProviderClient = {
    waiting: 0,
    open,
    send: (source, request, deadline) => send(sending, source, { request, deadline }),
    renewToken: (source, generation) => tokens.renewStored(source, generation),

    updateInstanceUrl(current) {
      if (current === instanceUrl) return;
      // Possibly another host: the token and the recent failures belong to the previous one.
      if (instanceUrl !== undefined) {
        forget();
        breaker.reset();
      }
      instanceUrl = current;
    },

    forget,

    counts() {
      const waiting = [...limiters.values()].reduce((sum, limiter) => sum + limiter.waiting, 0);
      return { provider, waiting, isBreakerOpen: !breaker.isClosed() };
    },

    isIdle() {
      return (
        client.waiting === 0 &&
        lookups.isIdle() &&
        breaker.isClosed() &&
        [...limiters.values()].every((limiter) => limiter.isIdle())
      );
    },
  };
  return client;

  function open(options: PortOptions): ContactPort {
    const { connection, permit } = options;
    const call = <Found>(operation: Operation<Found>) =>
      whileWaiting(options, (deadline) => callAdapter(options, { deadline, permit }, operation));
    return {
      findByEmails(emails, selection) {
        const key = toMergeKey(connection, selection);
        return whileWaiting(options, (deadline) =>
          lookups.find({
            ...{ emails, selection, key, deadline, permit },
            findByEmails: (all, merged, shared) =>
              callAdapter(options, shared, (port) => port.findByEmails(all, merged)),
          }),
        );
      },
      readByDomain: (domain, run, selection) => call((port) => port.readByDomain(domain, run, selection)),
      countByDomain: (domain) => call((port) => port.countByDomain(domain)),
      findByIds: (ids, selection) => call((port) => port.findByIds(ids, selection)),
      findAssociations: (ids, to) => call((port) => port.findAssociations?.(ids, to) ?? notOffered()),
    };
  }

  /** One deadline for the whole operation. Its request gives its concurrency permit back meanwhile. */
  async function whileWaiting<Found>(
    { permit, deadline }: PortOptions,
    call: (deadline: number) => Promise<Found>,
  ): Promise<Found> {
    deps.waiting.enter(applicationId, client);
    let resume: Resume | undefined;
    try {
      resume = permit.pause();
      return await call(deadline ?? clock.now() + deadlineMs);
    } finally {
      deps.waiting.leave(applicationId, client);
      const turn = resume?.();
      if (turn) await turn;
    }
  }

  /** The provider's adapter makes the calls, which this client sends. No error leaves as the adapter threw it. */
  async function callAdapter<Found>(
    options: PortOptions,
    { deadline, permit, onProgress }: SharedCall,
    operation: Operation<Found>,
  ): Promise<Found> {
    const { connection, cache } = options;
    const source = permit === options.permit ? options : { ...options, permit, onProgress };
    try {
      const port = access.open({
        connection,
        async send(request) {
          const answer = await send(sending, source, { request, deadline });
          // The adapter parses the response now, which takes processor time.
          const turn = permit.takeTurn();
          if (turn) await turn;
          return answer;
        },
        facts: facts.of({ cache, deadline, permit }),
      });
      return await operation(port);
    } catch (error) {
      throw toError(error);
    }
  }

  function limiterFor(name: string): RateLimiter {
    const existing = limiters.get(name);
    if (existing) return existing;
    const budget = access.budgets[name];
    if (!budget) throw new Error(`A call names the budget ${name}, which its provider does not declare.`);
    const options = { budget, clock, maxWaiting: settings.maxWaitingCalls };
    const { sharedRateLimits } = deps;
    // Concurrency is bounded by each process alone: providers count calls.
    const isShared = sharedRateLimits !== undefined && budget.calls !== undefined;
    const limiter = isShared
      ? createSharedRateLimiter({ ...options, sharedRateLimits, name: `${connectionId}:${name}` })
      : createRateLimiter(options);
    limiters.set(name, limiter);
    return limiter;
  }

  function forget(): void {
    tokens.forget();
    facts.forget();
  }
}

/** The fields in raw data depend on the connection's mappings: look-ups with different mappings cannot share a call. */
function toMergeKey(
  { schemaMappingsConfig, entityMappings }: Connection,
  { rawData }: FieldSelection,
): string {
  return rawData ? JSON.stringify([schemaMappingsConfig, entityMappings]) : '';
}

function notOffered(): never {
  throw new CrossbookError('NOT_IMPLEMENTED', 'Associations are not offered here.');
}

export interface ClientStats {
  readonly provider: ProviderName;
  /** Calls that queue for the rate limiter. */
  readonly waiting: number;
  readonly isBreakerOpen: boolean;
}

export interface ProviderClient extends WaitingFor {
  /** Cheap: called for every request. */
  open(options: PortOptions): ContactPort;
  send(source: CallSource, request: RemoteRequest, deadline: number): Promise<ProviderResponse>;
  /** Before the token is needed. */
  renewToken(source: TokenSource, generation: number): Promise<RenewalOutcome>;
  /** Called with every request: a customer may have moved to another instance. */
  updateInstanceUrl(instanceUrl: string | null): void;
  /** The connection was changed: drops what is cached of it. */
  forget(): void;
  counts(): ClientStats;
  /** It can be dropped without loss for the next call. */
  isIdle(): boolean;
}

/** Of the request that the port is opened for. */
export interface PortOptions extends Omit<CallSource, 'onProgress'> {
  /** Where facts about the connection are kept. */
  readonly cache: Pick<ContactCache, 'read' | 'write'>;
  /** Paused while an operation waits. */
  readonly permit: WorkPermit;
  /** By the monotonic clock. Absent: each operation has `deadlineMs`. */
  readonly deadline?: number | undefined;
}

type Operation<Found> = (port: ContactPort) => Promise<Found>;

/** A connection, and how its provider is reached. */
export interface Accessed {
  readonly connection: Connection;
  readonly access: ContactAccess;
}
