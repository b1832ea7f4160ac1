import { Agent } from 'undici';
import { CrossbookError } from '../../domain/errors.ts';
import type { Hold } from '../../domain/held-bytes.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import type { WorkPermit } from '../../domain/work-permit.ts';
import type { Clock } from '../../lib/clock.ts';
import { AbandonedError, codeOf, timedOut } from '../failures.ts';
import { createGuardedConnector, type HostLookup, PrivateAddressError } from './addresses.ts';
import { ResponseHandler } from './response-handler.ts';

/** One call, one answer, over kept-alive connections: bounded in time and in size, and only to public hosts. */
export function createTransport(options: TransportOptions): Transport {
  const { clock, connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs, maxAnswerBytes } = options;
  const timeouts = {
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const connect = createGuardedConnector({ timeoutMs: connectTimeoutMs, lookup: options.lookup });
  // No bound on sockets per host: one customer's slow calls must not take another's. The limiters bound them.
  const guarded = new Agent({ ...timeouts, connect });
  const sandbox = new Agent({ ...timeouts, connect: { timeout: connectTimeoutMs } });
  const sandboxOrigins = new Set(options.sandboxOrigins);
  const addresses = options.sandboxAddresses ?? new Map<string, string>();

  return {
    send({ origin, request, headers, deadline, hold, permit }) {
      return new Promise((resolve, reject) => {
        const remainingMs = deadline - clock.now();
        if (remainingMs <= 0) {
          reject(timedOut('crossbook'));
          return;
        }
        const ends: ((() => void) | undefined)[] = [];
        const stopWaiting = () => {
          for (const end of ends.splice(0)) end?.();
        };
        const exchange = new ResponseHandler({
          origin,
          maxBytes: maxAnswerBytes,
          hold,
          settle: {
            resolve(answer) {
              stopWaiting();
              resolve(answer);
            },
            reject(error) {
              stopWaiting();
              reject(error as Error);
            },
          },
        });
        ends.push(
          clock.schedule(remainingMs, () => exchange.fail(timedOut('remote-provider'))),
          permit?.whenGone(() => exchange.fail(new AbandonedError())),
        );
        const agent = sandboxOrigins.has(origin) ? sandbox : guarded;
        dispatch(agent, { origin: addresses.get(origin) ?? origin, request, headers }, exchange);
      });
    },

    async close() {
      await Promise.all([guarded.destroy(), sandbox.destroy()]);
    },
  };
}

function dispatch(
  agent: Agent,
  call: Pick<Call, 'origin' | 'request' | 'headers'>,
  exchange: ResponseHandler,
): void {
  const { origin, request, headers } = call;
  const { method, path, body } = request;
  // With a whole URL in its place undici would write another host into the request.
  if (!path.startsWith('/')) {
    exchange.fail(new Error('A path starts with a slash.'));
    return;
  }
  try {
    agent.dispatch({ origin, method, path, headers, body: body ?? null }, exchange);
  } catch (error) {
    exchange.onResponseError(undefined, error as Error);
  }
}

const KEEP_ALIVE_MS = 20_000;

export interface Transport {
  /** Rejects with a CrossbookError where no whole answer came. */
  send(call: Call): Promise<ProviderResponse>;
  close(): Promise<void>;
}

export interface Call {
  readonly origin: string;
  readonly request: Pick<RemoteRequest, 'method' | 'path' | 'body' | 'budget'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: number;
  /** Grows with the answer, and is released by its giver. */
  readonly hold?: Hold | undefined;
  /** Aborted when the client is gone: the call is broken off then. */
  readonly permit?: Pick<WorkPermit, 'whenGone'> | undefined;
}

export interface TransportOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  /** Of the answer, unpacked. */
  readonly maxAnswerBytes: number;
  /** These alone may be plain HTTP and on this machine. */
  readonly sandboxOrigins: readonly string[];
  /** Where those are that only have a name. */
  readonly sandboxAddresses?: ReadonlyMap<string, string> | undefined;
  readonly lookup?: HostLookup | undefined;
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA']);
const NOT_HTTP = /^UND_ERR_(HEADERS_OVERFLOW|RES_)/;
const NOT_TRUSTED = /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/;
const SHUT_DOWN = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What undici, the system or TLS say went wrong, in the product's words. */
export function toTransportFailure(error: Error & { readonly code?: string }, origin: string): Error {
  if (error instanceof CrossbookError) return error;
  const host = new URL(origin).host;
  const code = error.code ?? '';
  // A request that cannot be written is a mistake of ours.
  if (code === 'UND_ERR_INVALID_ARG') return error;
  if (TIMEOUTS.has(code)) return timedOut('remote-provider', error);
  // The parser's own errors come without a code.
  if (error.name === 'HTTPParserError' || NOT_HTTP.test(code)) {
    const detail = `The answer of ${host} is not HTTP that can be read.`;
    return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, called(error));
  }
  const isOurs = error instanceof PrivateAddressError || SHUT_DOWN.has(code);
  const options = isOurs ? { cause: error } : called(error);
  return new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', toDetail(error, host, code), options);
}

function called(cause: unknown): { readonly cause: unknown; readonly origin: 'remote-provider' } {
  return { cause, origin: 'remote-provider' };
}

/** Another try may find what this one did not. */
export function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof Error) || codeOf(error) !== 'REMOTE_PROVIDER_UNAVAILABLE') return false;
  const cause = error.cause as { readonly code?: string } | undefined;
  const code = cause?.code ?? '';
  return !(cause instanceof PrivateAddressError) && !NOT_TRUSTED.test(code) && !SHUT_DOWN.has(code);
}

function toDetail(error: Error, host: string, code: string): string {
  if (error instanceof PrivateAddressError) return error.message;
  if (UNRESOLVED.has(code)) return `The name ${host} cannot be resolved.`;
  if (NOT_CONNECTED.has(code) || error instanceof AggregateError) return `${host} cannot be connected to.`;
  if (NOT_TRUSTED.test(code)) return `${host} does not prove that it is who it says (TLS: ${code}).`;
  if (SHUT_DOWN.has(code)) return 'Crossbook is shutting down.';
  return `${host} broke the connection off before its answer was complete.`;
}
