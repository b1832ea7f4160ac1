import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import { MAX_WEBHOOK_URL_LENGTH } from '../../domain/event.ts';
import { createHostResolver, type HostLookup, isPublicAddress } from '../../lib/addresses.ts';
import type { Clock } from '../../lib/clock.ts';
import { readRetryAfter } from '../../lib/http-message.ts';
import { findTransportProblem } from '../failures.ts';
import { createGuardedConnector, createLoopbackConnector } from '../http/addresses.ts';
import { MAX_INFORMATIONAL } from '../http/transport.ts';
import { MAX_RESPONSE_BYTES } from './redact-response.ts';

/**
 * Sends single webhook attempts, with limits on time and response size, without redirects, and to public hosts only.
 */
export function createWebhookPost({
  clock,
  mayLoopback,
  lookup = createHostResolver(),
}: PostOptions) {
  const timeouts = {
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const connect = createGuardedConnector({ timeoutMs: CONNECT_MS, lookup });
  const guarded = new Agent({ ...timeouts, connect });
  const loopback = new Agent({
    ...timeouts,
    connect: createLoopbackConnector({ timeoutMs: CONNECT_MS }),
  });
  const running = new Set<AbortController>();
  return {
    /** Never rejects. */
    async send({ url, headers, body }: WebhookRequest): Promise<PostOutcome> {
      const controller = new AbortController();
      running.add(controller);
      const cancel = clock.schedule(ANSWER_MS, () => controller.abort(TOO_LATE));
      const { signal } = controller;
      try {
        const target = new URL(url);
        const dispatcher = mayLoopback && isLoopbackUrl(target) ? loopback : guarded;
        let informational = 0;
        const onInfo = () => {
          informational += 1;
          if (informational > MAX_INFORMATIONAL) controller.abort(UNREADABLE);
        };
        const call = { method: 'POST', headers, body, dispatcher, signal, onInfo } as const;
        const answer = await request(target, call);
        // A short body is read to its end, so that the connection can be reused.
        const read = await readStart(answer.body);
        return { ...toOutcome(answer.statusCode, answer.headers), read };
      } catch (error) {
        return signal.reason === STOPPED
          ? { kind: 'stopped' }
          : { kind: 'failed', reason: describeFailure(error as Error, signal) };
      } finally {
        cancel();
        running.delete(controller);
      }
    },
    /** Aborts the running attempts. */
    stop(): void {
      for (const controller of running) controller.abort(STOPPED);
    },
    async close(): Promise<void> {
      await Promise.all([guarded.destroy(), loopback.destroy()]);
    },
  };
}

/** At most some kilobytes: the rest is not received. */
async function readStart(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The status has been received, and is what counts.
  }
  return Buffer.concat(chunks);
}

function toOutcome(
  status: number,
  headers: Record<string, string | string[] | undefined>,
): Exclude<PostOutcome, { kind: 'stopped' }> {
  if (status >= 200 && status < 300) return { kind: 'arrived', status };
  // A repeated header is invalid.
  const sent = {
    'retry-after': String(headers['retry-after'] ?? ''),
    date: String(headers['date'] ?? ''),
  };
  const retryAfterMs = readRetryAfter(sent);
  const reason =
    status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`;
  return { kind: 'failed', status, reason, retryAfterMs };
}

/** Our own wording, because error messages may quote the response. */
function describeFailure(error: Error & { readonly code?: string }, signal: AbortSignal): string {
  if (signal.reason === UNREADABLE) return 'too many informational responses (HTTP 1xx)';
  switch (signal.aborted ? 'timeout' : findTransportProblem(error)) {
    case 'timeout':
      return `no response within ${ANSWER_MS / 1_000} seconds`;
    case 'private address':
      return 'the host has no public address';
    case 'unresolved':
      return 'the host’s name cannot be resolved';
    case 'not trusted':
      return `the host’s TLS certificate cannot be verified (${error.code})`;
    case 'not connected':
      return 'cannot connect to the host';
    default:
      return 'the connection was closed before the response was complete';
  }
}

const TOO_LATE = new Error('too late');
const STOPPED = new Error('stopped');
const UNREADABLE = new Error('unreadable');
/** The recommendation of Standard Webhooks. */
const ANSWER_MS = 15_000;
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

export type PostOutcome =
  | { readonly kind: 'arrived'; readonly status: number; readonly read?: Buffer }
  /** Stopped by us, which says nothing about the endpoint. */
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly status?: number;
      /** The beginning of the body. */
      readonly read?: Buffer;
      readonly retryAfterMs?: number | undefined;
    };

interface WebhookRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface PostOptions extends CheckOptions {
  readonly clock: Clock;
}

/**
 * Checks a webhook URL early; the address is checked again at each connect. A host that does not resolve yet is
 * accepted.
 */
export function createWebhookUrlCheck({
  mayLoopback,
  lookup = createHostResolver(),
}: CheckOptions) {
  return async (text: string): Promise<{ readonly url: string } | { readonly problem: string }> => {
    const url =
      text.length <= MAX_WEBHOOK_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
    if (!url) return { problem: `must be a URL of at most ${MAX_WEBHOOK_URL_LENGTH} characters` };
    if (url.username || url.password || text.includes('#')) {
      return { problem: 'must have neither a user nor a fragment' };
    }
    if (mayLoopback && isLoopbackUrl(url)) return { url: url.href };
    if (url.protocol !== 'https:') return { problem: 'must be an https: URL' };
    // Literal addresses bypass the look-up, so they are rejected like private ones.
    if (isIP(url.hostname.replace(/^\[|\]$/g, ''))) {
      return { problem: 'must have a host name, not an address' };
    }
    const addresses = await lookup(url.hostname).catch(() => []);
    if (addresses.length > 0 && !addresses.some(({ address }) => isPublicAddress(address))) {
      return { problem: 'must be public: its host has a private address' };
    }
    return { url: url.href };
  };
}

/** http: to this machine is allowed only with the sandbox. */
function isLoopbackUrl(url: URL): boolean {
  return url.protocol === 'http:' && LOOPBACK.has(url.hostname);
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

interface CheckOptions {
  /** Allows http: to this machine, for the sandbox. */
  readonly mayLoopback: boolean;
  readonly lookup?: HostLookup;
}
