import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess } from '../domain/provider.ts';
import type { ProviderResponse, RemoteRequest } from '../domain/remote.ts';
import { type HeldOwners, memoryLimitReached } from '../domain/resources.ts';
import { type Wait, whenOver } from '../lib/clock.ts';
import { readRetryAfter } from '../lib/http-message.ts';
import type { Token, TokenSource, Tokens } from './access-token/tokens.ts';
import { AbandonedError, codeOf, isTransientFailure, rateLimited, timedOut } from './failures.ts';
import type { Call } from './http/transport.ts';
import type { CallPermit } from './lookup-batcher.ts';
import type { OutboundDeps } from './outbound.ts';
import type { Breaker } from './resilience/circuit-breaker.ts';
import type { RateLimiter } from './resilience/rate-limiter.ts';

/** Sends one connection's calls: with its token, and once more with a new one where the provider calls that one expired. */
export function createSend(deps: SendDeps) {
  const { access, breaker, clock, random, tokens } = deps;

  return async (source: CallSource, request: RemoteRequest, deadline: number): Promise<ProviderResponse> => {
    const { permit } = source;
    const wait = { clock, deadline, permit };
    const token = tokens.current() ?? (await withDeadline(wait, tokens.load(source)));
    const call = { source, request, deadline, token, limiter: deps.limiterFor(request.budget) };
    const answer = await sendWithRetries(call);
    if (answer.status < 400 || !access.isTokenExpired(answer)) return answer;
    const renewed = await withDeadline(wait, tokens.renew(source, call.token));
    if (!renewed) {
      if (access.isTokenRefused(answer)) await tokens.refuse(source, call.token);
      return answer;
    }
    call.token = renewed;
    const second = await sendWithRetries(call);
    if (second.status >= 400 && access.isTokenExpired(second)) tokens.markRejected(call.token);
    return second;
  };

  function sendWithRetries(call: OutboundCall): Promise<ProviderResponse> {
    const { limiter, deadline, request, source } = call;
    const pausedMs = () => limiter.pausedUntil - clock.now();
    const isRepeatable = request.repeatable !== false;
    return withRetries(
      { clock, random, deadline, permit: source.permit, isRepeatable, pausedMs },
      (isAgain) => sendOnce(call, isAgain),
    );
  }

  /** One try: the breaker, a permit of the rate limiter, the wire, and what breaker and limiter learn from the answer. */
  async function sendOnce(call: OutboundCall, isAgain: boolean): Promise<ProviderResponse> {
    const { limiter, request, deadline, source } = call;
    const { onCall, onProgress, permit } = source;
    breaker.check();
    const turn = limiter.acquire(deadline, { inFront: isAgain, permit });
    let waitedMs = 0;
    if (turn) {
      onProgress?.('queued');
      const since = clock.now();
      await turn;
      waitedMs = clock.now() - since;
      // While it waited the token may have been renewed.
      call.token = tokens.current() ?? call.token;
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
      onProgress?.('sent');
      const answer = await deps.transport.send({
        target: deps.target,
        origin: call.token.origin,
        request,
        headers: toHeaders(call),
        deadline,
        waitedMs,
        onCall,
        hold,
        permit,
      });
      breaker.end(DOWN.has(answer.status) ? 'failed' : 'answered', clock.now() - sentAt);
      const pauseMs =
        answer.status === TOO_MANY ? (readRetryAfter(answer.headers) ?? limiter.intervalMs) : undefined;
      limiter.release({ rateLimit: access.readRateLimitStatus(answer), pauseMs });
      permit.keep(hold);
      return answer;
    } catch (error) {
      hold?.release();
      const sentMs = clock.now() - sentAt;
      // Most of its time it waited for our own budget: of the provider its end says nothing.
      const isBudget = isTimeout(error) && waitedMs > sentMs;
      breaker.end(isBudget ? 'abandoned' : toResult(error), sentMs);
      limiter.release();
      throw isBudget ? rateLimited(limiter.intervalMs) : error;
    }
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
  readonly onCall?: Call['onCall'];
  readonly onProgress?: OnProgress | undefined;
  readonly permit: CallPermit;
}

/** Told where a call is: it waits for its budget, or is on the wire. */
export type OnProgress = (progress: Progress) => void;
export type Progress = 'queued' | 'sent';

interface OutboundCall {
  readonly source: CallSource;
  readonly request: RemoteRequest;
  readonly deadline: number;
  /** The one that it was last sent with. */
  token: Token;
  readonly limiter: RateLimiter;
}

interface SendDeps
  extends Pick<OutboundDeps, 'clock' | 'random' | 'heldBytes' | 'transport'>,
    Pick<Call, 'target'> {
  readonly access: Pick<ContactAccess, 'readRateLimitStatus' | 'isTokenExpired' | 'isTokenRefused'>;
  readonly breaker: Breaker;
  readonly tokens: Tokens;
  readonly owners: HeldOwners;
  limiterFor(budget: string): RateLimiter;
}

/** Waits for shared work until the deadline, or until the client is gone. The work itself goes on. */
export function withDeadline<T>(wait: Wait, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = whenOver(wait, (hasGone) => reject(hasGone ? new AbandonedError() : timedOut('crossbook')));
    work.then(resolve, reject).finally(stop);
  });
}

/** Tries again what may pass, while there is time for it. The last answer is the caller's to understand. */
export async function withRetries(
  options: RetryOptions,
  attempt: (isAgain: boolean) => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const { clock, deadline, permit } = options;
  let last: Outcome | undefined;
  for (let retry = 0; ; retry++) {
    let outcome: Outcome;
    try {
      outcome = await attempt(retry > 0);
    } catch (error) {
      outcome = { error };
    }
    // Where a retry was not sent at all, or our own deadline cut it off, what the provider said before tells more.
    if (last && 'error' in outcome && (wasNotSent(outcome.error) || isTimeout(outcome.error)))
      return settle(last);
    last = outcome;
    const waitMs = options.isRepeatable && retry < MAX_RETRIES ? readWait(options, last, retry) : undefined;
    const until = clock.now() + (waitMs ?? Number.POSITIVE_INFINITY);
    if (until >= deadline) return settle(last);
    await new Promise<void>((resolve, reject) => {
      const end = (hasGone: boolean) => (hasGone ? reject(new AbandonedError()) : resolve());
      whenOver({ clock, deadline: until, permit }, end);
    });
  }
}

function settle(outcome: Outcome): ProviderResponse {
  if ('error' in outcome) throw outcome.error;
  return outcome;
}

/** Undefined: another try would not help. */
function readWait(options: RetryOptions, last: Outcome, retry: number): number | undefined {
  const jitterMs = options.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry);
  if ('error' in last)
    return isTransientFailure(last.error) && !wasNotSent(last.error) ? jitterMs : undefined;
  if (!PASSING.has(last.status)) return undefined;
  const asked = last.status === TOO_MANY ? options.pausedMs() : readRetryAfter(last.headers);
  return Math.max(asked ?? 0, last.status === LOCKED ? LEAST_LOCKED_MS : 0) + jitterMs;
}

/** The rate limiter and the breaker say when to come back; no socket does. */
function wasNotSent(error: unknown): boolean {
  return error instanceof CrossbookError && error.retryAfterMs !== undefined && error.remote === undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof CrossbookError && error.code === 'REMOTE_PROVIDER_TIMEOUT';
}

/** What passes by itself. */
const PASSING: ReadonlySet<number> = new Set([420, 423, 429, 477, 500, 502, 503, 504, 521, 523, 524]);

/** A locked account is not unlocked within a blink. */
const LOCKED = 423;
const LEAST_LOCKED_MS = 2_000;
const MAX_RETRIES = 4;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;

type Outcome = ProviderResponse | { readonly error: unknown };

/** `permit`: when its client is gone, there are no retries. */
export interface RetryOptions extends Wait {
  /** From 0 to 1. */
  readonly random: () => number;
  readonly isRepeatable: boolean;
  /** After a 429: for how long nothing of this budget goes out. */
  pausedMs(): number;
}
