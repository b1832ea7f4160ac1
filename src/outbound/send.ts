import type { Work } from '../admission/work.ts';
import { AbandonedError, CrossbookError, LocalRefusal } from '../domain/errors.ts';
import type { CrmAccess } from '../domain/provider.ts';
import {
  type JsonResponse,
  NotCarriedOut,
  type ProviderResponse,
  RemoteFailure,
  type RemoteRequest,
  type Retry,
} from '../domain/remote.ts';
import { backoff } from '../lib/backoff.ts';
import { type Wait, whenOver } from '../lib/clock.ts';
import { readRetryAfter } from '../lib/http-message.ts';
import type { Token, TokenSource, Tokens } from './access-token/tokens.ts';
import { codeOf, isTransientFailure, rateLimited, timedOut, wasNotReached } from './failures.ts';
import type { Call } from './http/transport.ts';
import type { OutboundDeps } from './outbound-deps.ts';
import type { Breaker } from './resilience/circuit-breaker.ts';
import type { RateLimiter } from './resilience/rate-limiter.ts';

/**
 * Sends the calls of one connection with its token, and again with a refreshed one where the token has expired or the
 * instance has moved.
 */
export function createSend(deps: SendDeps) {
  const { access, breaker, clock, random, tokens } = deps;

  return (source: CallSource, request: RemoteRequest, deadline: number): Promise<JsonResponse> =>
    request.retry === 'safe'
      ? send(source, request, deadline)
      : sendOnly(source, request, deadline);

  /** Says of a call that must not be repeated whether it may have been carried out. */
  async function sendOnly(
    source: CallSource,
    request: RemoteRequest,
    deadline: number,
  ): Promise<JsonResponse> {
    let mayHaveArrived = false;
    const onProgress: OnProgress = (progress) => {
      if (progress === 'sent') mayHaveArrived = true;
      source.onProgress?.(progress);
    };
    try {
      return await send({ ...source, onProgress }, request, deadline);
    } catch (error) {
      const wasSent = mayHaveArrived && !wasNotReached(error) && !isTooLate(error);
      throw wasSent ? error : new NotCarriedOut(error);
    }
  }

  async function send(
    source: CallSource,
    request: RemoteRequest,
    deadline: number,
  ): Promise<JsonResponse> {
    const wait = { clock, deadline, signal: source.work.signal };
    const token = tokens.current() ?? (await withDeadline(wait, tokens.load(source)));
    const call = { source, request, deadline, token, limiter: deps.limiterFor(request.budget) };
    const answer = await sendWithRetries(call);
    if (answer.status < 300 || !access.needsRefresh(answer)) return refuseRedirect(answer);
    const refreshed = await withDeadline(wait, tokens.refreshExpired(source, call.token));
    if (!refreshed) {
      if (access.isTokenInvalid(answer)) await tokens.markInvalid(source, call.token);
      return refuseRedirect(answer);
    }
    call.token = refreshed;
    const second = await sendWithRetries(call);
    if (second.status >= 300 && access.needsRefresh(second)) tokens.pauseRefresh(call.token);
    return refuseRedirect(second);
  }

  function readPause(answer: ProviderResponse, limiter: RateLimiter): number | undefined {
    return (
      access.readPause(answer) ?? (answer.status === TOO_MANY ? limiter.intervalMs() : undefined)
    );
  }

  function sendWithRetries(call: OutboundCall): Promise<JsonResponse> {
    const { limiter, deadline, request, source } = call;
    const pausedMs = () => limiter.pausedUntil() - clock.now();
    return withRetries(
      { clock, random, deadline, signal: source.work.signal, retry: request.retry, pausedMs },
      (isAgain) => sendOnce(call, isAgain),
    );
  }

  /**
   * One attempt: checks the breaker, acquires a permit of the rate limiter, sends, and updates both from the
   * response.
   */
  async function sendOnce(call: OutboundCall, isAgain: boolean): Promise<JsonResponse> {
    const { limiter, request, deadline, source } = call;
    const { onCall, onProgress, work, isBackground = false } = source;
    breaker.check();
    const permitGranted = limiter.acquire(deadline, {
      inFront: isAgain,
      signal: work.signal,
      isBackground,
    });
    let waitedMs = 0;
    if (permitGranted) {
      onProgress?.('queued');
      const since = clock.now();
      await permitGranted;
      waitedMs = clock.now() - since;
      // The token may have been refreshed while the call was queued.
      call.token = tokens.current() ?? call.token;
    }
    try {
      breaker.begin();
    } catch (error) {
      limiter.cancel(undefined, isBackground);
      throw error;
    }
    const sentAt = clock.now();
    try {
      onProgress?.('sent');
      const answer = await deps.transport.send({
        target: deps.target,
        origin: call.token.origin,
        request,
        headers: toHeaders(call),
        deadline,
        waitedMs,
        onCall,
        work,
      });
      deps.onDate(call.token.origin, answer.headers['date']);
      const pauseMs = answer.status < 400 ? undefined : readPause(answer, limiter);
      breaker.end(
        PROVIDER_DOWN_STATUSES.has(answer.status) ? 'failed' : 'answered',
        clock.now() - sentAt,
        `status ${answer.status}`,
      );
      limiter.release({
        rateLimit: access.readRateLimitStatus(answer, request.budget),
        pauseMs,
        isBackground,
      });
      return answer;
    } catch (error) {
      const sentMs = clock.now() - sentAt;
      // The call spent most of its time in the rate limiter's queue, so the timeout says nothing about the provider.
      const wasMostlyQueued = isTimeout(error) && waitedMs > sentMs;
      breaker.end(wasMostlyQueued ? 'abandoned' : toResult(error), sentMs, toCauseText(error));
      limiter.release({ isBackground });
      throw wasMostlyQueued ? rateLimited(limiter.intervalMs()) : error;
    }
  }
}

/** Our own texts about a call without a response: they name a host and a problem, and no secret. */
function toCauseText(error: unknown): string | undefined {
  return error instanceof CrossbookError ? error.message.replace(/\.$/, '') : undefined;
}

export function isRedirect({ status }: ProviderResponse): boolean {
  return status >= 300 && status < 400;
}

/** Redirects are not followed: they could send the token anywhere. */
export function refuseRedirect<Answer extends ProviderResponse>(answer: Answer): Answer {
  if (!isRedirect(answer)) return answer;
  throw new RemoteFailure(
    'REMOTE_PROVIDER_BAD_RESPONSE',
    'The provider responded with a redirect. Redirects are not followed.',
    answer,
  );
}

function toResult(error: unknown): 'answered' | 'failed' | 'abandoned' {
  if (error instanceof AbandonedError) return 'abandoned';
  const code = codeOf(error);
  return code === 'REMOTE_PROVIDER_UNAVAILABLE' || code === 'REMOTE_PROVIDER_TIMEOUT'
    ? 'failed'
    : 'answered';
}

/**
 * Our headers override the adapter's, so that it cannot use another connection's token. No header of the inbound
 * request is passed on.
 */
function toHeaders({ request, token }: OutboundCall): Record<string, string> {
  // `Object.assign`: adding to a spread object takes up to a microsecond on Node 20.
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

/** Statuses of a proxy in front of a provider that is down. */
const PROVIDER_DOWN_STATUSES: ReadonlySet<number> = new Set([502, 503, 504, 521, 523, 524]);

/** The request that makes the call. */
export interface CallSource extends TokenSource {
  /** Called after each call. */
  readonly onCall?: Call['onCall'];
  readonly onProgress?: OnProgress | undefined;
  readonly work: Work;
  /** Its calls wait for those of requests, and use at most half of the rate limit. */
  readonly isBackground?: boolean | undefined;
}

/** Called when the state of a call changes: queued for the rate limiter, or sent. */
export type OnProgress = (progress: Progress) => void;
export type Progress = 'queued' | 'sent';

interface OutboundCall {
  readonly source: CallSource;
  readonly request: RemoteRequest;
  readonly deadline: number;
  /** The token of the last attempt. */
  token: Token;
  readonly limiter: RateLimiter;
}

interface SendDeps
  extends Pick<OutboundDeps, 'clock' | 'random' | 'transport'>,
    Pick<Call, 'target'> {
  readonly access: Pick<
    CrmAccess,
    'readRateLimitStatus' | 'readPause' | 'needsRefresh' | 'isTokenInvalid'
  >;
  readonly breaker: Breaker;
  readonly tokens: Tokens;
  limiterFor(budget: string): RateLimiter;
  /** Called with the `Date` header of each response. */
  onDate(origin: string, date: string | undefined): void;
}

/** Waits for shared work until the deadline, or until the client disconnects. The work itself continues. */
export function withDeadline<T>(wait: Wait, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = whenOver(wait, (hasGone) =>
      reject(hasGone ? new AbandonedError() : timedOut('crossbook')),
    );
    work.then(resolve, reject).finally(stop);
  });
}

/** Retries transient failures while the deadline permits. The caller interprets the last response. */
export async function withRetries<Answer extends ProviderResponse>(
  options: RetryOptions,
  attempt: (isAgain: boolean) => Promise<Answer>,
): Promise<Answer> {
  const { clock, deadline, signal } = options;
  let last: Outcome<Answer> | undefined;
  for (let retry = 0; ; retry++) {
    let outcome: Outcome<Answer>;
    try {
      outcome = await attempt(retry > 0);
    } catch (error) {
      outcome = { error };
    }
    // The response before a retry that Crossbook refused, or that the deadline cut off, is more informative.
    if (last && 'error' in outcome && isInconclusive(outcome.error)) return returnOrThrow(last);
    last = outcome;
    const waitMs =
      retry < MAX_RETRIES && mayRepeat(options.retry, last)
        ? retryDelayMs(options, last, retry)
        : undefined;
    const until = clock.now() + (waitMs ?? Number.POSITIVE_INFINITY);
    if (until >= deadline) return returnOrThrow(last);
    await new Promise<void>((resolve, reject) => {
      const end = (hasGone: boolean) => (hasGone ? reject(new AbandonedError()) : resolve());
      whenOver({ clock, deadline: until, signal }, end);
    });
  }
}

function returnOrThrow<Answer extends ProviderResponse>(outcome: Outcome<Answer>): Answer {
  if ('error' in outcome) throw outcome.error;
  return outcome;
}

function mayRepeat(retry: Retry, last: Outcome<ProviderResponse>): boolean {
  if (retry !== 'throttled') return retry === 'safe';
  return 'error' in last ? wasNotReached(last.error) : NOT_CARRIED_OUT.has(last.status);
}

/** Undefined: not retryable. */
function retryDelayMs(
  options: RetryOptions,
  last: Outcome<ProviderResponse>,
  retry: number,
): number | undefined {
  const jitterMs = options.random() * backoff(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS, retry);
  if ('error' in last) return isTransientFailure(last.error) ? jitterMs : undefined;
  if (!RETRYABLE_STATUSES.has(last.status)) return undefined;
  const leastMs = last.status === LOCKED ? LEAST_LOCKED_MS : 0;
  return Math.max(options.pausedMs(), readRetryAfter(last.headers) ?? 0, leastMs) + jitterMs;
}

/** Refused here, or cut off by the deadline. */
function isInconclusive(error: unknown): boolean {
  return error instanceof LocalRefusal || isTimeout(error);
}

function isTimeout(error: unknown): boolean {
  return error instanceof CrossbookError && error.code === 'REMOTE_PROVIDER_TIMEOUT';
}

/** The deadline had passed before the call was made. */
function isTooLate(error: unknown): boolean {
  return isTimeout(error) && (error as CrossbookError).origin === 'crossbook';
}

/** Statuses after which a retry may succeed. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([
  420, 423, 429, 477, 500, 502, 503, 504, 521, 523, 524,
]);

/** Refused before anything was done. */
const NOT_CARRIED_OUT: ReadonlySet<number> = new Set([420, 423, 429]);

/** A locked account stays locked for a while. */
const LOCKED = 423;
const LEAST_LOCKED_MS = 2_000;
const MAX_RETRIES = 4;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;

type Outcome<Answer> = Answer | { readonly error: unknown };

/** `signal`: no retries after the client has disconnected. */
export interface RetryOptions extends Wait {
  /** A random number from 0 to 1. */
  readonly random: () => number;
  readonly retry: Retry;
  /** The rest of the rate limiter's pause. */
  pausedMs(): number;
}
