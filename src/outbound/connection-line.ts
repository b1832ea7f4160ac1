import type { RefreshedCredentials, StoredCredentials } from '../domain/credentials.ts';
import type { HeldBytes } from '../domain/held-bytes.ts';
import type { ContactAccess, ContactPort, OAuthClient } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { RemoteAnswer, RemoteRequest } from '../domain/remote.ts';
import type { SharedBudgets } from '../domain/shared-budget.ts';
import type { Clock } from '../lib/clock.ts';
import { type AttemptDeps, attempt, type OnProgress, type OutboundCall } from './attempts.ts';
import { type CallEvent, type LookupEvent, type ObservedCall, observed } from './events.ts';
import { codeOf } from './failures.ts';
import type { Transport } from './http/transport.ts';
import { createKnownFacts, type KnownFacts } from './known-facts.ts';
import { createLookups, type Lookups } from './lookups.ts';
import { createBreaker } from './pace/breaker.ts';
import { createLane, type Lane } from './pace/lane.ts';
import { retrying } from './pace/retries.ts';
import { createSharedLane } from './pace/shared-lane.ts';
import { createConnectionSecrets, secretsOf } from './redaction/connection-secrets.ts';
import { createRedactor } from './redaction/redactor.ts';
import type { OutboundSettings } from './settings.ts';
import type { CallPermit } from './shared-permit.ts';
import { askTokenEndpoint } from './token/ask-token-endpoint.ts';
import { resolveOrigin } from './token/origins.ts';
import { refreshToken } from './token/refresh-token.ts';
import { createTokens, type RenewalOutcome, type TokenSource } from './token/tokens.ts';
import { within } from './token/within.ts';
import type { WaitingFor } from './waiting.ts';

/**
 * One connection's way out: its token, its breaker, its lanes. What one customer's calls wait for is theirs alone.
 * In order: token, then for each try the breaker, the lane and the wire.
 */
export function createConnectionLine(deps: LineDeps): ConnectionLine {
  const { access, clock, settings, provider, connectionId, hosts, sandboxOrigins, sandboxAddresses } = deps;
  const lanes = new Map<string, Lane>();
  const owners = { application: deps.applicationId, connection: connectionId };
  const breaker = createBreaker({
    clock,
    maxFailures: settings.breakerFailures,
    openMs: settings.breakerOpenMs,
    slowMs: settings.deadlineMs / 2,
    isCrowded: (refused) => refused + line.waiting >= settings.crowdedAt,
  });
  const lookups = createLookups({
    clock,
    batchSize: access.lookupBatch,
    maxUnderWay: settings.lookupsUnderWay,
    spacingMs: () => laneFor(access.lookupBudget).spacingMs(),
    onCall: (emails) => deps.onLookup?.({ provider, emails }),
  });
  const secrets = createConnectionSecrets(access.publicPrefix);
  const { toError } = createRedactor(secrets.list);
  const facts = createKnownFacts({ connectionId, clock });
  const tokens = createTokens({ clock, originOf, refresh, onStored: learnSecrets });
  const transport = observed(deps.transport, { clock, onCall: deps.onCall, provider, connectionId });
  const attempts: AttemptDeps = {
    access,
    breaker,
    clock,
    tokens,
    transport,
    heldBytes: deps.heldBytes,
    owners,
  };
  const endpoint = {
    ...{ clock, transport, owners },
    random: deps.random,
    heldBytes: deps.heldBytes,
    deadlineMs: settings.deadlineMs,
  };
  let instanceUrl: string | null | undefined;
  /** The generation of the credentials whose client's secret is known to the redactor. */
  let learnt: number | undefined;

  const line: ConnectionLine = {
    waiting: 0,
    lookups,
    facts,
    compareIds: deps.compareIds,
    toError,

    async send(source, request, deadline) {
      const { onCall, onProgress, permit } = source;
      const waiter = { clock, deadline, permit };
      const token = tokens.current() ?? (await within(waiter, tokens.load(source)));
      const lane = laneFor(request.budget);
      const call: OutboundCall = { request, deadline, token, lane, onCall, onProgress, permit };
      const answer = await tryOut(call);
      if (answer.status < 400 || !access.isTokenExpired(answer)) return answer;
      const renewed = await within(waiter, tokens.renew(source, call.token));
      if (!renewed) {
        if (access.isTokenRefused(answer)) await tokens.refuse(source, call.token);
        return answer;
      }
      call.token = renewed;
      const second = await tryOut(call);
      if (second.status >= 400 && access.isTokenExpired(second)) tokens.distrust(call.token);
      return second;
    },

    renewToken: (source, generation) => tokens.renewStored(source, generation),

    noticeInstance(current) {
      if (current === instanceUrl) return;
      // Another host, perhaps: what is known of the token and of the last failures is of the one before.
      if (instanceUrl !== undefined) {
        forget();
        breaker.reset();
      }
      instanceUrl = current;
    },

    forget,

    counts() {
      const waiting = [...lanes.values()].reduce((sum, lane) => sum + lane.waiting, 0);
      return { provider, waiting, isBreakerOpen: !breaker.isClosed() };
    },

    isIdle() {
      return (
        line.waiting === 0 &&
        lookups.isIdle() &&
        breaker.isClosed() &&
        [...lanes.values()].every((lane) => lane.isIdle())
      );
    },
  };
  return line;

  function forget(): void {
    tokens.forget();
    facts.forget();
  }

  function tryOut(call: OutboundCall): Promise<RemoteAnswer> {
    const { lane, deadline, request, permit } = call;
    const pausedMs = () => lane.pausedUntil - clock.now();
    return retrying(
      { clock, random: deps.random, deadline, permit, isRepeatable: request.repeatable !== false, pausedMs },
      (isAgain) => attempt(attempts, call, isAgain),
    );
  }

  function laneFor(name: string): Lane {
    const known = lanes.get(name);
    if (known) return known;
    const budget = access.budgets[name];
    if (!budget) throw new Error(`A call names the budget ${name}, which its provider does not declare.`);
    const options = { budget, clock, maxWaiting: settings.maxWaitingCalls };
    const { budgets } = deps;
    // How many go at once is each process's own affair: providers count calls.
    const isShared = budgets !== undefined && budget.calls !== undefined;
    const lane = isShared
      ? createSharedLane({ ...options, budgets, name: `${connectionId}:${name}` })
      : createLane(options);
    lanes.set(name, lane);
    return lane;
  }

  function originOf(url: string | null): string {
    return resolveOrigin(url, { hosts, sandboxOrigins, originOf: (instance) => access.origin(instance) });
  }

  async function refresh(stored: StoredCredentials): Promise<RefreshedCredentials> {
    await learnSecrets(stored);
    const { refresh } = access;
    const about = {
      provider,
      findClient,
      hosts,
      sandboxOrigins,
      sandboxAddresses,
      refresh,
      wall: clock.wall,
    };
    return refreshToken(
      { ...about, toError, ask: (origin, request) => askTokenEndpoint(endpoint, { origin, request }) },
      stored,
    ).catch((error: unknown) => {
      // Nobody's consent is over: whoever runs this installation, or the customer's administrator, has to let it in.
      if (codeOf(error) === 'REMOTE_PROVIDER_FORBIDDEN') deps.onRestricted?.();
      throw error;
    });
  }

  async function findClient(origin: string, clientId: string | null): Promise<OAuthClient | undefined> {
    const client = await deps.findClient(origin, clientId);
    if (client) secrets.add(client.clientSecret);
    return client;
  }

  /** The client's secret too: another process may have sent it, and the provider may show it here. */
  async function learnSecrets(stored: StoredCredentials): Promise<void> {
    secrets.add(...secretsOf(stored.credentials));
    if (learnt === stored.generation) return;
    const origin = findTokenOrigin(stored.instanceUrl);
    if (origin !== undefined) await findClient(origin, stored.oauthClientId);
    learnt = stored.generation;
  }

  /** Undefined: without a token endpoint nobody is ever sent the client's secret. */
  function findTokenOrigin(instance: string | null): string | undefined {
    try {
      return resolveOrigin(instance, { hosts, sandboxOrigins, originOf: access.refresh.origin });
    } catch {
      return undefined;
    }
  }
}

export interface LineCounts {
  readonly provider: ProviderName;
  /** Calls that wait for their turn. */
  readonly waiting: number;
  readonly isBreakerOpen: boolean;
}

export interface ConnectionLine extends WaitingFor {
  readonly lookups: Lookups;
  readonly facts: KnownFacts;
  readonly compareIds: ContactPort['compareIds'];
  /** What was thrown on the way to the provider and back, as it may be shown. */
  readonly toError: (thrown: unknown) => unknown;
  send(source: CallSource, request: RemoteRequest, deadline: number): Promise<RemoteAnswer>;
  /** Though nobody needs it now. */
  renewToken(source: TokenSource, generation: number): Promise<RenewalOutcome>;
  /** Told with every request: a customer may have moved to another instance. */
  noticeInstance(instanceUrl: string | null): void;
  /** The connection was changed: what is remembered of it may hold no more. */
  forget(): void;
  counts(): LineCounts;
  /** Nothing is known here that the next call would miss. */
  isIdle(): boolean;
}

/** Whose call it is. */
export interface CallSource extends TokenSource {
  readonly onCall?: ObservedCall['onCall'];
  readonly onProgress?: OnProgress | undefined;
  readonly permit: CallPermit;
}

export interface LineDeps {
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
  readonly heldBytes: HeldBytes;
  readonly transport: Pick<Transport, 'send'>;
  readonly budgets?: SharedBudgets | undefined;
  readonly onCall: ((event: CallEvent) => void) | undefined;
  readonly onLookup?: ((event: LookupEvent) => void) | undefined;
  /** The provider lets nobody refresh from here, or now. */
  readonly onRestricted?: (() => void) | undefined;
}
