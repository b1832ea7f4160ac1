import { CrossbookError } from '../domain/errors.ts';
import type { ProviderCall } from '../domain/log.ts';
import type { ContactAccess } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { ProviderResponse, RemoteRequest } from '../domain/remote.ts';
import { type HeldBytes, type HeldOwners, memoryLimitReached } from '../domain/resources.ts';
import type { Clock } from '../lib/clock.ts';
import { readRetryAfter } from '../lib/http-message.ts';
import type { Token, TokenSource, Tokens } from './access-token/tokens.ts';
import { AbandonedError, codeOf, rateLimited } from './failures.ts';
import type { Call, Transport } from './http/transport.ts';
import type { CallPermit } from './lookup-batcher.ts';
import type { Breaker } from './resilience/circuit-breaker.ts';
import type { RateLimiter } from './resilience/rate-limiter.ts';
import { withRetries } from './resilience/retry.ts';
import { withDeadline } from './waiting.ts';

/** One call: with the connection's token, and once more with a new one where the provider calls that one expired. */
export async function send(
  deps: SendDeps,
  source: CallSource,
  { request, deadline }: Pick<OutboundCall, 'request' | 'deadline'>,
): Promise<ProviderResponse> {
  const { access, clock, tokens } = deps;
  const { onCall, onProgress, permit } = source;
  const wait = { clock, deadline, permit };
  const token = tokens.current() ?? (await withDeadline(wait, tokens.load(source)));
  const limiter = deps.limiterFor(request.budget);
  const call: OutboundCall = { request, deadline, token, limiter, onCall, onProgress, permit };
  const answer = await sendWithRetries(deps, call);
  if (answer.status < 400 || !access.isTokenExpired(answer)) return answer;
  const renewed = await withDeadline(wait, tokens.renew(source, call.token));
  if (!renewed) {
    if (access.isTokenRefused(answer)) await tokens.refuse(source, call.token);
    return answer;
  }
  call.token = renewed;
  const second = await sendWithRetries(deps, call);
  if (second.status >= 400 && access.isTokenExpired(second)) tokens.markRejected(call.token);
  return second;
}

function sendWithRetries(deps: SendDeps, call: OutboundCall): Promise<ProviderResponse> {
  const { clock, random } = deps;
  const { limiter, deadline, request, permit } = call;
  const pausedMs = () => limiter.pausedUntil - clock.now();
  return withRetries(
    { clock, random, deadline, permit, isRepeatable: request.repeatable !== false, pausedMs },
    (isAgain) => sendOnce(deps, call, isAgain),
  );
}

/** One try: the breaker, a permit of the rate limiter, the wire, and what breaker and limiter learn from the answer. */
async function sendOnce(deps: SendDeps, call: OutboundCall, isAgain: boolean): Promise<ProviderResponse> {
  const { breaker, clock } = deps;
  const { limiter, request, deadline, permit } = call;
  breaker.check();
  const turn = limiter.acquire(deadline, { inFront: isAgain, permit });
  let waitedMs = 0;
  if (turn) {
    call.onProgress?.('queued');
    const since = clock.now();
    await turn;
    waitedMs = clock.now() - since;
    // While it waited the token may have been renewed.
    call.token = deps.tokens.current() ?? call.token;
  }
  try {
    breaker.begin();
  } catch (error) {
    limiter.cancel();
    throw error;
  }
  const sentAt = clock.now();
  // What comes back is counted while it comes, and until the requests that asked for it are over.
  const hold = deps.heldBytes.acquire(deps.owners, 'provider_response', 0);
  try {
    if (!hold) throw memoryLimitReached();
    call.onProgress?.('sent');
    const answer = await deps.transmit({
      origin: call.token.origin,
      request,
      headers: toHeaders(call),
      deadline,
      waitedMs,
      onCall: call.onCall,
      hold,
      permit,
    });
    breaker.end(DOWN.has(answer.status) ? 'failed' : 'answered', clock.now() - sentAt);
    const pauseMs =
      answer.status === TOO_MANY ? (readRetryAfter(answer.headers) ?? limiter.intervalMs) : undefined;
    limiter.release({ rateLimit: deps.access.readRateLimitStatus(answer), pauseMs });
    permit.keep(hold);
    return answer;
  } catch (error) {
    hold?.release();
    const sentMs = clock.now() - sentAt;
    // Most of its time it waited for our own budget: of the provider its end says nothing.
    const isBudget =
      error instanceof CrossbookError && codeOf(error) === 'REMOTE_PROVIDER_TIMEOUT' && waitedMs > sentMs;
    breaker.end(isBudget ? 'abandoned' : toResult(error), sentMs);
    limiter.release();
    throw isBudget ? rateLimited(limiter.intervalMs) : error;
  }
}

function toResult(error: unknown): 'answered' | 'failed' | 'abandoned' {
  if (error instanceof AbandonedError) return 'abandoned';
  const code = codeOf(error);
  return code === 'REMOTE_PROVIDER_UNAVAILABLE' || code === 'REMOTE_PROVIDER_TIMEOUT' ? 'failed' : 'answered';
}

/** Ours come last: an adapter cannot speak for another connection. Nothing of the inbound request is known here. */
function toHeaders({ request, token }: OutboundCall): Record<string, string> {
  // To what is made by spread Node 20 adds a property in a microsecond, which is twenty times what it takes otherwise.
  const headers: Record<string, string> = Object.assign({}, FIXED_HEADERS, request.headers);
  if (request.body !== undefined) headers['content-type'] ??= 'application/json';
  headers['authorization'] = token.authorization;
  return headers;
}

export const FIXED_HEADERS = {
  'user-agent': 'crossbook',
  accept: 'application/json',
  'accept-encoding': 'gzip',
} as const;

const TOO_MANY = 429;

/** A proxy in front of the provider answers, because the provider does not. */
const DOWN: ReadonlySet<number> = new Set([502, 503, 504, 521, 523, 524]);

/** The request that a call is made for. */
export interface CallSource extends TokenSource {
  /** Called with each call that is made, after it. */
  readonly onCall?: ObservedCall['onCall'];
  readonly onProgress?: OnProgress | undefined;
  readonly permit: CallPermit;
}

/** Told where a call is: it waits for its budget, or is on the wire. */
export type OnProgress = (progress: Progress) => void;
export type Progress = 'queued' | 'sent';

interface OutboundCall extends Pick<CallSource, 'onCall' | 'onProgress' | 'permit'> {
  readonly request: RemoteRequest;
  readonly limiter: RateLimiter;
  readonly deadline: number;
  /** The one that it was last sent with. */
  token: Token;
}

export interface SendDeps {
  readonly access: Pick<ContactAccess, 'readRateLimitStatus' | 'isTokenExpired' | 'isTokenRefused'>;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly random: () => number;
  readonly tokens: Tokens;
  readonly heldBytes: HeldBytes;
  readonly owners: HeldOwners;
  readonly transmit: Transmit;
  limiterFor(budget: string): RateLimiter;
}

/** Tells of every call on the wire, after it: the process, and the request that it was made for. */
export function withCallEvents(
  transport: Pick<Transport, 'send'>,
  { clock, onCall, provider, connectionId }: Observer,
): Transmit {
  return async (call) => {
    const startedAt = clock.now();
    const tell = (outcome: CallEvent['outcome'], status?: number) => {
      const { waitedMs = 0, request } = call;
      const ms = clock.now() - startedAt;
      const { budget } = request;
      const event = { provider, connectionId, budget, outcome, status, ms, waitedMs };
      onCall?.(event);
      call.onCall?.(event);
    };
    try {
      const answer = await transport.send(call);
      tell('answered', answer.status);
      return answer;
    } catch (error) {
      tell(codeOf(error));
      throw error;
    }
  };
}

export type Transmit = (call: ObservedCall) => Promise<ProviderResponse>;

export interface CallEvent extends ProviderCall {
  /** Undefined while there is none yet: a code is exchanged. */
  readonly connectionId: string | undefined;
}

/** Look-ups of emails that travelled in one call. */
export interface LookupEvent {
  readonly provider: ProviderName;
  readonly emails: number;
}

interface Observer extends Pick<CallEvent, 'provider' | 'connectionId'> {
  readonly clock: Clock;
  readonly onCall?: ((event: CallEvent) => void) | undefined;
}

export interface ObservedCall extends Call {
  readonly waitedMs?: number;
  readonly onCall?: ((call: ProviderCall) => void) | undefined;
}
