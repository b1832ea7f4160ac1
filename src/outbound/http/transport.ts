import { Agent } from 'undici';
import type { Hold } from '../../domain/held-bytes.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import type { WorkPermit } from '../../domain/work-permit.ts';
import type { Clock } from '../../lib/clock.ts';
import { AbandonedError, timedOut } from '../failures.ts';
import { createGuardedConnector, type HostLookup } from './guarded-connector.ts';
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
  /** Grows with the answer, and is released by whoever gave it. */
  readonly hold?: Hold | undefined;
  /** Of whoever waits for the answer: the call is broken off where nobody does any more. */
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
