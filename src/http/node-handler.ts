import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { CrossbookError } from '../domain/errors.ts';
import type { RejectedRequest } from '../domain/log.ts';
import type { ByteBuffer } from '../lib/byte-buffer.ts';
import { systemClock } from '../lib/clock.ts';
import type { ArrivingRequest } from '../lib/http-message.ts';
import {
  dropRest,
  findRepeatedHeader,
  hasPlainPath,
  IncomingHeaders,
  IncomingRequest,
  isAddressed,
  readClientSubnet,
  removeBasePath,
} from './incoming-request.ts';
import { toRefusal } from './rejected-request.ts';
import { createResponseSender, type OwnedResponse } from './send-response.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** Handles the requests of a Node HTTP server: the command's listener, or the server of an embedding application. */
export function createNodeHandler(options: NodeHandlerOptions): NodeHandler {
  const { answer, onRefused, unread, proxies = 0, forward, basePath = () => '' } = options;
  const sender = createResponseSender({ unread, onRefused, now: systemClock.now });
  let running = 0;
  let closed: Promise<void> | undefined;
  let drained = () => {};

  return {
    handle(message, response, received) {
      const base = basePath();
      if (base !== '' && !received) message.url = removeBasePath(message.url ?? '/', base);
      if (closed) return refuse(message, response, shuttingDown(), 'CLOSED');
      running += 1;
      response.once('close', end);
      const problem = findProblem(message);
      if (problem) return refuse(message, response, ...problem);
      const address = received ? received.address : readClientSubnet(message, proxies);
      const forwarded = received ? undefined : forward?.(message, response, address);
      if (forwarded === undefined) answerHere(message, response, { address });
      else
        forwarded.then(
          (outcome) => sendForwarded(message, response, { address, outcome }),
          (error: unknown) => response.destroy(error as Error),
        );
    },
    async answerInProcess(request) {
      if (closed) {
        const error = shuttingDown();
        const refusal = toRefusal(error, request.pathname);
        const { headers } = request;
        onRefused({ status: refusal.status, code: 'CLOSED', errorId: error.id, headers });
        return refusal;
      }
      running += 1;
      try {
        return await answer(request, undefined);
      } finally {
        end();
      }
    },
    refuse,
    close() {
      closed ??= new Promise<void>((resolve) => {
        drained = resolve;
        if (running === 0) resolve();
      }).finally(sender.close);
      return closed;
    },
  };

  function end(): void {
    running -= 1;
    if (running === 0) drained();
  }

  function answerHere(
    message: IncomingMessage,
    response: ServerResponse,
    {
      address,
      early,
    }: { readonly address: string | undefined; readonly early?: ByteBuffer | undefined },
  ): void {
    answer(new IncomingRequest(message, response, early), address).then(
      (answered) => sender.send(response, answered),
      // `answer` must not reject; if it does, it is a bug: the connection is dropped.
      (error: unknown) => response.destroy(error as Error),
    );
  }

  function sendForwarded(
    message: IncomingMessage,
    response: ServerResponse,
    { address, outcome }: { readonly address: string | undefined; readonly outcome: Forwarded },
  ): void {
    if (outcome.kind === 'here') {
      answerHere(message, response, { address, early: outcome.early });
      return;
    }
    if (outcome.kind === 'gone') {
      response.destroy();
      return;
    }
    response.once('finish', () => dropRest(message));
    if (outcome.kind === 'failed') refuse(message, response, outcome.error, 'WORKER_ENDED');
    else if (outcome.kind === 'streamed') sender.stream(response, outcome);
    else sender.send(response, outcome);
  }

  function refuse(
    message: IncomingMessage,
    response: ServerResponse,
    error: CrossbookError,
    code: string,
  ): void {
    // Node does the same.
    if (message.headers.host === undefined) response.shouldKeepAlive = false;
    const refusal = toRefusal(error, message.url?.split('?')[0]);
    sender.send(response, refusal);
    const headers = new IncomingHeaders(message.headers);
    onRefused({ status: refusal.status, code, errorId: error.id, headers });
  }
}

/** What a proxy in front might understand differently. */
function findProblem(
  message: IncomingMessage,
): readonly [error: CrossbookError, code: string] | undefined {
  const repeated = findRepeatedHeader(message.rawHeaders);
  if (repeated !== undefined) {
    const detail = `The header ${repeated} is given more than once: send it once.`;
    return [new CrossbookError('BAD_REQUEST', detail), 'HEADER_REPEATED'];
  }
  if (!isAddressed(message)) {
    const detail = 'The request must have exactly one host.';
    return [new CrossbookError('BAD_REQUEST', detail), 'HOST_INVALID'];
  }
  if (!hasPlainPath(message)) {
    const detail = 'The path must not contain a backslash, a fragment or a dot segment.';
    return [new CrossbookError('BAD_REQUEST', detail), 'PATH_INVALID'];
  }
  return undefined;
}

function shuttingDown(): CrossbookError {
  const detail = 'This process is shutting down. Send the request again in a moment.';
  return new CrossbookError('SERVICE_UNAVAILABLE', detail, { retryAfterMs: 1_000 });
}

/**
 * With several workers: sends the request to the worker of its customer. Undefined: it is handled here. The body of a
 * request that is handled here after all may have been received already.
 */
export type Forward = (
  message: IncomingMessage,
  response: ServerResponse,
  address: string | undefined,
) => Promise<Forwarded> | undefined;

export type Forwarded =
  | (ForwardedHead & { readonly kind: 'answered'; readonly body: Buffer })
  | (ForwardedHead & {
      readonly kind: 'streamed';
      readonly body: Readable;
      readonly length: number;
    })
  | { readonly kind: 'here'; readonly early: ByteBuffer | undefined }
  /** The client has disconnected. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly error: CrossbookError };

interface ForwardedHead {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
}

export interface NodeHandler {
  /** `received`: another worker has received the request, from a client with this address. */
  handle(
    message: IncomingMessage,
    response: ServerResponse,
    received?: { readonly address: string | undefined },
  ): void;
  /** Answers a request of this process, which has no socket. `close` waits for it, too. */
  answerInProcess(request: ArrivingRequest): Promise<OwnedResponse>;
  /** Sends an error in the common format, and reports it. */
  refuse(
    message: IncomingMessage,
    response: ServerResponse,
    error: CrossbookError,
    /** Its name in log and metrics. */
    code: string,
  ): void;
  /** Refuses new requests, and resolves when all responses have been sent. */
  close(): Promise<void>;
}

export interface NodeHandlerOptions {
  answer(request: ArrivingRequest, address: string | undefined): Promise<OwnedResponse>;
  /** Called for requests that are rejected before `answer`. */
  onRefused(refusal: RejectedRequest): void;
  /** What clients have not read yet. */
  readonly unread: UnreadBytes;
  /** The number of trusted proxies in front, which append client addresses to `X-Forwarded-For`. */
  readonly proxies?: number | undefined;
  /** Absent: this is the only worker. */
  readonly forward?: Forward | undefined;
  /** The path of the public URL, with which requests may begin. Absent if the public URL has no path. */
  readonly basePath?: (() => string) | undefined;
}
