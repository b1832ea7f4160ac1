import { Agent, type Dispatcher } from 'undici';
import type { Work } from '../../admission/work.ts';
import { AbandonedError, CrossbookError, ERROR_CODES } from '../../domain/errors.ts';
import type { ProviderCall } from '../../domain/log.ts';
import {
  type JsonResponse,
  RemoteFailure,
  type RemoteRequest,
  ResponseTooLarge,
} from '../../domain/remote.ts';
import { ByteBuffer } from '../../lib/byte-buffer.ts';
import { type Clock, whenOver } from '../../lib/clock.ts';
import { codeOf, timedOut, toTransportFailure } from '../failures.ts';
import type { CallEvent, OutboundOptions, OutboundSettings } from '../outbound-options.ts';
import { createGuardedConnector, createLoopbackConnector } from './addresses.ts';
import {
  BodyTooLarge,
  ReceivedAnswer,
  readStart,
  readUnpackedLength,
  tooLarge,
  unpackBody,
} from './answer-body.ts';

/** Sends single calls over keep-alive connections, with limits on time and size, and to public hosts only. */
export function createTransport(options: TransportOptions) {
  const { clock, connectTimeoutMs, bodyTimeoutMs, maxAnswerBytes } = options;
  const timeouts = {
    // Replaced by each call's deadline.
    headersTimeout: 0,
    bodyTimeout: bodyTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const connect = createGuardedConnector({
    timeoutMs: connectTimeoutMs,
    lookup: options.lookup,
  });
  // Sockets per host are not limited, so that slow calls of one customer cannot block another's. The rate limiters
  // bound them.
  const guarded = new Agent({ ...timeouts, connect });
  const loopback = createLoopbackConnector({ timeoutMs: connectTimeoutMs });
  const sandbox = new Agent({ ...timeouts, connect: loopback });
  const sandboxOrigins = new Set(options.sandboxOrigins);
  const addresses = options.sandboxAddresses ?? new Map<string, string>();

  return {
    /**
     * Rejects with a CrossbookError without a complete response. Each call is reported afterwards: to the process,
     * and to its request.
     */
    async send(call: Call): Promise<JsonResponse> {
      const { origin, request, headers, deadline, work } = call;
      const startedAt = clock.now();
      let stopWaiting: (() => void) | undefined;
      try {
        if (deadline <= startedAt) throw timedOut('crossbook');
        const answer = await new Promise<JsonResponse>((resolve, reject) => {
          const handler = new ResponseHandler({
            origin,
            maxBytes: request.isDescription ? DESCRIPTION_BYTES : maxAnswerBytes,
            work,
            resolve,
            reject,
          });
          stopWaiting = whenOver({ clock, deadline, signal: work?.signal }, (hasGone) =>
            handler.fail(hasGone ? new AbandonedError() : timedOut('remote-provider')),
          );
          const agent = sandboxOrigins.has(origin) ? sandbox : guarded;
          dispatch(agent, { origin: addresses.get(origin) ?? origin, request, headers }, handler);
        });
        report(call, startedAt, 'answered', answer.status);
        return answer;
      } catch (error) {
        report(call, startedAt, codeOf(error));
        throw error;
      } finally {
        stopWaiting?.();
      }
    },

    async close() {
      await Promise.all([guarded.destroy(), sandbox.destroy()]);
    },
  };

  function report(
    call: Call,
    startedAt: number,
    outcome: CallEvent['outcome'],
    status?: number,
  ): void {
    const { provider, connectionId } = call.target;
    const { budget } = call.request;
    const ms = clock.now() - startedAt;
    const event = {
      provider,
      connectionId,
      budget,
      outcome,
      status,
      ms,
      waitedMs: call.waitedMs ?? 0,
    };
    options.onCall?.(event);
    call.onCall?.(event);
  }
}

function dispatch(
  agent: Agent,
  call: Pick<Call, 'origin' | 'request' | 'headers'>,
  handler: ResponseHandler,
): void {
  const { origin, request, headers } = call;
  const { method, path, body } = request;
  // With an absolute URL undici would send the request to another host.
  if (!path.startsWith('/')) {
    handler.fail(new Error('A path starts with a slash.'));
    return;
  }
  try {
    agent.dispatch({ origin, method, path, headers, body: body ?? null }, handler);
  } catch (error) {
    handler.onResponseError(undefined, error as Error);
  }
}

const KEEP_ALIVE_MS = 20_000;

export type Transport = ReturnType<typeof createTransport>;

export interface Call {
  /** The connection that the call is reported for. */
  readonly target: Pick<CallEvent, 'provider' | 'connectionId'>;
  readonly origin: string;
  readonly request: Pick<RemoteRequest, 'method' | 'path' | 'body' | 'budget' | 'isDescription'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: number;
  /** Aborts the call when its client disconnects, and counts what is read of the response. */
  readonly work?: Work | undefined;
  /** The time in the queue of the rate limiter. */
  readonly waitedMs?: number;
  /** Called after the call. */
  readonly onCall?: ((call: ProviderCall) => void) | undefined;
}

export interface TransportOptions
  extends Pick<OutboundSettings, 'connectTimeoutMs' | 'bodyTimeoutMs' | 'maxAnswerBytes'>,
    Pick<OutboundOptions, 'sandboxOrigins' | 'sandboxAddresses' | 'lookup' | 'onCall'> {
  readonly clock: Clock;
}

/** A thousand fields with their texts and options. */
const DESCRIPTION_BYTES = 8 * 1024 * 1024;

/** Handles undici's events of one request. Settles once and ignores later events. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #options: HandlerOptions;
  #packed = new ByteBuffer();
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #informational = 0;
  #headers: Record<string, string> = {};

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  /** Aborts, even before a socket is assigned. */
  fail(failure: Error): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#reject(failure, this.#packed.bytes);
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: WireHeaders,
  ): void {
    const { maxBytes, origin } = this.#options;
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > MAX_INFORMATIONAL) this.fail(tooManyInformational(origin));
      return;
    }
    this.#status = status;
    this.#headers = flatten(headers);
    if (Number(this.#headers['content-length']) > maxBytes) this.fail(tooLarge(maxBytes));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes } = this.#options;
    if (this.#packed.length + chunk.length > maxBytes) {
      this.fail(tooLarge(maxBytes));
      return;
    }
    this.#packed.add(chunk);
    try {
      const waiting = this.#options.work?.read(chunk.length);
      if (!waiting) return;
      controller.pause();
      waiting.then(
        () => controller.resume(),
        (error) => this.fail(error as Error),
      );
    } catch (error) {
      this.fail(error as Error);
    }
  }

  onResponseEnd(): void {
    if (this.#failure) return;
    const { maxBytes, work } = this.#options;
    const packed = this.#packed.bytes;
    const body = { packed, encoding: this.#encoding, maxBytes };
    try {
      const waiting = work?.read(Math.max(0, readUnpackedLength(body) - packed.length));
      if (!waiting) this.#finish(body);
      else
        waiting
          .then(() => this.#finish(body))
          .catch((error: unknown) => this.#reject(error, packed));
    } catch (error) {
      this.#reject(error, packed);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.fail(toTransportFailure(error, this.#options.origin));
  }

  get #encoding(): string | undefined {
    return this.#headers['content-encoding']?.toLowerCase();
  }

  /** If a response had begun, the error includes its start. */
  #reject(error: unknown, packed: Buffer): void {
    const isTheirs = error instanceof CrossbookError && ERROR_CODES[error.code].status === 499;
    if (this.#status === 0 || !isTheirs) {
      this.#options.reject(error);
      return;
    }
    const body = readStart({ packed, encoding: this.#encoding, maxBytes: START_BYTES });
    const answer = { status: this.#status, headers: this.#headers, body };
    const { code, message, cause, retryAfterMs } = error;
    this.#options.reject(
      error instanceof BodyTooLarge && this.#status < 300
        ? new ResponseTooLarge(this.#options.maxBytes, message, answer, cause)
        : new RemoteFailure(code, message, answer, { cause, retryAfterMs }),
    );
  }

  #finish(body: Parameters<typeof unpackBody>[0]): void {
    this.#packed = new ByteBuffer();
    const [status, headers] = [this.#status, this.#headers];
    this.#options.resolve(new ReceivedAnswer({ status, headers, bytes: unpackBody(body) }));
  }
}

/** Changed in place, because this response owns the object: only repeated headers are lists. */
function flatten(headers: WireHeaders): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'object') headers[name] = value.join(', ');
  }
  return headers as Record<string, string>;
}

/** More than any server sends. Without a limit their processing would take all of the time until the deadline. */
export const MAX_INFORMATIONAL = 20;

function tooManyInformational(origin: string): CrossbookError {
  return new CrossbookError(
    'REMOTE_PROVIDER_BAD_RESPONSE',
    `${new URL(origin).host} sent more than ${MAX_INFORMATIONAL} informational responses (1xx).`,
  );
}

/** More than an error ever shows. */
const START_BYTES = 64 * 1024;

type WireHeaders = Record<string, string | string[] | undefined>;

interface HandlerOptions {
  readonly origin: string;
  readonly maxBytes: number;
  readonly work: Call['work'];
  resolve(answer: JsonResponse): void;
  reject(error: unknown): void;
}
