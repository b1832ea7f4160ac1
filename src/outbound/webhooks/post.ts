import { Agent, request } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { readRetryAfter } from '../../lib/http-message.ts';
import { NOT_CONNECTED, NOT_TRUSTED, TIMEOUTS } from '../failures.ts';
import { createGuardedConnector, type HostLookup, PrivateAddressError } from '../http/addresses.ts';
import { createHostResolver, isLoopbackUrl } from './check-url.ts';

/** One attempt: bounded in time and in what is read of the answer, never redirected, and only to public hosts. */
export function createWebhookPost(options: PostOptions): WebhookPost {
  const { clock, mayLoopback, lookup = createHostResolver() } = options;
  const timeouts = { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const connect = createGuardedConnector({ timeoutMs: CONNECT_MS, lookup });
  const guarded = new Agent({ ...timeouts, connect });
  const loopback = new Agent(timeouts);
  const running = new Set<AbortController>();
  return {
    async send({ url, headers, body }) {
      const controller = new AbortController();
      running.add(controller);
      const cancel = clock.schedule(ANSWER_MS, () => controller.abort(TOO_LATE));
      const { signal } = controller;
      try {
        const target = new URL(url);
        const dispatcher = mayLoopback && isLoopbackUrl(target) ? loopback : guarded;
        const answer = await request(target, { method: 'POST', headers, body, dispatcher, signal });
        // The status has said all. What else comes is read so far that the connection can be used again.
        await answer.body.dump({ limit: READ_BYTES, signal }).catch(() => undefined);
        return toOutcome(answer.statusCode, answer.headers);
      } catch (error) {
        return signal.reason === STOPPED
          ? { kind: 'stopped' }
          : { kind: 'failed', reason: toReason(error, signal) };
      } finally {
        cancel();
        running.delete(controller);
      }
    },
    stop() {
      for (const controller of running) controller.abort(STOPPED);
    },
    async close() {
      await Promise.all([guarded.destroy(), loopback.destroy()]);
    },
  };
}

function toOutcome(status: number, headers: Record<string, string | string[] | undefined>): PostOutcome {
  if (status >= 200 && status < 300) return { kind: 'arrived' };
  const told = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  const reason =
    status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`;
  return { kind: 'failed', status, reason, retryAfterMs: readRetryAfter(told) };
}

/** In words that are ours: an error's own may quote an answer. */
function toReason(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `no answer within ${ANSWER_MS / 1_000} seconds`;
  const { name, code = '' } = error as Error & { readonly code?: string };
  if (error instanceof PrivateAddressError) return 'the host has no public address';
  if (TIMEOUTS.has(code)) return `no answer within ${ANSWER_MS / 1_000} seconds`;
  if (/^(ENOTFOUND|EAI_)/.test(code)) return 'the host’s name cannot be resolved';
  if (NOT_TRUSTED.test(code)) return `the host does not prove who it is (TLS: ${code})`;
  if (NOT_CONNECTED.has(code) || name === 'AggregateError') return 'the host cannot be connected to';
  return 'the connection broke before there was an answer';
}

const TOO_LATE = new Error('too late');
const STOPPED = new Error('stopped');
/** As Standard Webhooks recommends. */
const ANSWER_MS = 15_000;
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
const READ_BYTES = 16 * 1024;

export interface WebhookPost {
  /** Never rejects. */
  send(request: WebhookRequest): Promise<PostOutcome>;
  /** Breaks off what is under way. */
  stop(): void;
  close(): Promise<void>;
}

interface WebhookRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export type PostOutcome =
  | { readonly kind: 'arrived' }
  /** By us: it says nothing of the endpoint. */
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
    };

interface PostOptions {
  readonly clock: Clock;
  readonly mayLoopback: boolean;
  readonly lookup?: HostLookup | undefined;
}
