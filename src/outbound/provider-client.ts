import type { Connection } from '../domain/connection.ts';
import type { ContactCache } from '../domain/contact-cache.ts';
import type { FieldSelection } from '../domain/contact-search.ts';
import type { DistributedRateLimits } from '../domain/distributed-rate-limits.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { HeldBytes } from '../domain/held-bytes.ts';
import type { ContactAccess, ContactPort, OAuthClient } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { ProviderResponse, RemoteRequest } from '../domain/remote.ts';
import type { Resume, WorkPermit } from '../domain/work-permit.ts';
import type { Clock } from '../lib/clock.ts';
import { createConnectionTokens } from './access-token/connection-tokens.ts';
import type { RenewalOutcome, TokenSource } from './access-token/tokens.ts';
import { createFactsCache } from './facts-cache.ts';
import type { Transport } from './http/transport.ts';
import type { CallPermit } from './lookup-batcher.ts';
import { createLookupBatcher } from './lookup-batcher.ts';
import { createBreaker } from './rate-limiting/circuit-breaker.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiting/rate-limiter.ts';
import { withRetries } from './rate-limiting/retry.ts';
import { createSharedRateLimiter } from './rate-limiting/shared-rate-limiter.ts';
import { RedactedPort } from './redaction/redactor.ts';
import {
  type CallEvent,
  type LookupEvent,
  type ObservedCall,
  type OnProgress,
  type OutboundCall,
  type SendDeps,
  sendOnce,
  withCallEvents,
} from './send-once.ts';
import type { OutboundSettings } from './settings.ts';
import { type Waiting, type WaitingFor, withDeadline } from './waiting.ts';

/**
 * The client of one connection: its access tokens, circuit breaker, rate limiters and batcher of look-ups, shared with no
 * other connection. In order, from `open` to the end of the file: an operation is counted as waiting, look-ups by email are
 * batched, the provider's adapter makes the calls, `send` adds the token, and each attempt passes the circuit breaker, then
 * the rate limiter, and is sent.
 */
export function createProviderClient(deps: ClientDeps): ProviderClient {
  const { access, clock, settings, provider, connectionId } = deps;
  const { deadlineMs } = settings;
  const limiters = new Map<string, RateLimiter>();
  const owners = { application: deps.applicationId, connection: connectionId };
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
  const transport = withCallEvents(deps.transport, { clock, onCall: deps.onCall, provider, connectionId });
  const { tokens, toError } = createConnectionTokens({ ...deps, transport, owners, deadlineMs });
  const tries: SendDeps = { access, breaker, clock, tokens, transport, heldBytes: deps.heldBytes, owners };
  let instanceUrl: string | null | undefined;

  const client: ProviderClient = {
    waiting: 0,
    open,
    send,
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
    const adapter = (deadline: number) => openAdapter(options, { deadline, permit });
    const waited = <Found>(call: (deadline: number) => Promise<Found>) => whileWaiting(options, call);
    return {
      findByEmails(emails, selection) {
        const key = toMergeKey(connection, selection);
        return waited((deadline) =>
          lookups.find({
            ...{ emails, selection, key, deadline, permit },
            open: (until, of, onProgress) =>
              openAdapter(options, { deadline: until, permit: of, onProgress }),
          }),
        );
      },
      readByDomain: (domain, run, selection) =>
        waited((deadline) => adapter(deadline).readByDomain(domain, run, selection)),
      countByDomain: (domain) => waited((deadline) => adapter(deadline).countByDomain(domain)),
      findByIds: (ids, selection) => waited((deadline) => adapter(deadline).findByIds(ids, selection)),
      findAssociations: (ids, to) =>
        waited(async (deadline) => adapter(deadline).findAssociations?.(ids, to) ?? notOffered()),
      compareIds: deps.compareIds,
    };
  }

  /** One deadline for the whole operation. Its request gives its concurrency permit back meanwhile. */
  async function whileWaiting<Found>(
    { permit, deadline }: PortOptions,
    call: (deadline: number) => Promise<Found>,
  ): Promise<Found> {
    deps.waiting.enter(deps.applicationId, client);
    let resume: Resume | undefined;
    try {
      resume = permit.pause();
      return await call(deadline ?? clock.now() + deadlineMs);
    } finally {
      deps.waiting.leave(deps.applicationId, client);
      const turn = resume?.();
      if (turn) await turn;
    }
  }

  /** The provider's adapter, whose calls are sent by this client. */
  function openAdapter(options: PortOptions, { deadline, permit, onProgress }: Shared): ContactPort {
    const { connection, cache } = options;
    const source = permit === options.permit ? options : { ...options, permit, onProgress };
    const port = access.open({
      connection,
      async send(request) {
        const answer = await send(source, request, deadline);
        // The adapter parses the response now, which takes processor time.
        const turn = permit.takeTurn();
        if (turn) await turn;
        return answer;
      },
      facts: facts.of({ cache, deadline, permit }),
    });
    return new RedactedPort(port, toError);
  }

  async function send(
    source: CallSource,
    request: RemoteRequest,
    deadline: number,
  ): Promise<ProviderResponse> {
    const { onCall, onProgress, permit } = source;
    const waiter = { clock, deadline, permit };
    const token = tokens.current() ?? (await withDeadline(waiter, tokens.load(source)));
    const limiter = limiterFor(request.budget);
    const call: OutboundCall = { request, deadline, token, limiter, onCall, onProgress, permit };
    const answer = await sendWithRetries(call);
    if (answer.status < 400 || !access.isTokenExpired(answer)) return answer;
    const renewed = await withDeadline(waiter, tokens.renew(source, call.token));
    if (!renewed) {
      if (access.isTokenRefused(answer)) await tokens.refuse(source, call.token);
      return answer;
    }
    call.token = renewed;
    const second = await sendWithRetries(call);
    if (second.status >= 400 && access.isTokenExpired(second)) tokens.markRejected(call.token);
    return second;
  }

  function sendWithRetries(call: OutboundCall): Promise<ProviderResponse> {
    const { limiter, deadline, request, permit } = call;
    const pausedMs = () => limiter.pausedUntil - clock.now();
    return withRetries(
      { clock, random: deps.random, deadline, permit, isRepeatable: request.repeatable !== false, pausedMs },
      (isAgain) => sendOnce(tries, call, isAgain),
    );
  }

  function limiterFor(name: string): RateLimiter {
    const existing = limiters.get(name);
    if (existing) return existing;
    const budget = access.budgets[name];
    if (!budget) throw new Error(`A call names the budget ${name}, which its provider does not declare.`);
    const options = { budget, clock, maxWaiting: settings.maxWaitingCalls };
    const { budgets } = deps;
    // Concurrency is bounded by each process alone: providers count calls.
    const isShared = budgets !== undefined && budget.calls !== undefined;
    const limiter = isShared
      ? createSharedRateLimiter({ ...options, budgets, name: `${connectionId}:${name}` })
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

/** The request that a call is made for. */
interface CallSource extends TokenSource {
  /** Called with each call that is made, after it. */
  readonly onCall?: ObservedCall['onCall'];
  readonly onProgress?: OnProgress | undefined;
  readonly permit: CallPermit;
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

/** An adapter's call may be for several requests. */
interface Shared {
  readonly deadline: number;
  readonly permit: CallPermit;
  readonly onProgress?: OnProgress | undefined;
}

interface ClientDeps {
  readonly provider: ProviderName;
  readonly connectionId: string;
  readonly applicationId: string;
  readonly access: ContactAccess;
  readonly compareIds: ContactPort['compareIds'];
  /** Of the token endpoint at this origin: the one with this id, or the usual one. */
  findClient(origin: string, clientId: string | null): Promise<OAuthClient | undefined>;
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  readonly sandboxAddresses?: ReadonlyMap<string, string> | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly settings: OutboundSettings;
  /** Shared by all clients of the process. */
  readonly waiting: Waiting;
  readonly heldBytes: HeldBytes;
  readonly transport: Pick<Transport, 'send'>;
  readonly budgets?: DistributedRateLimits | undefined;
  readonly onCall: ((event: CallEvent) => void) | undefined;
  readonly onLookup?: ((event: LookupEvent) => void) | undefined;
  /** The provider does not refresh for this installation, or not now. */
  readonly onRestricted?: (() => void) | undefined;
}
