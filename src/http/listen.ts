import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { CrossbookError } from '../domain/errors.ts';
import type { RejectedRequest } from '../domain/log.ts';
import type { HeldBytes } from '../domain/resources.ts';
import { systemClock } from '../lib/clock.ts';
import type { ArrivingRequest, HttpResponse } from '../lib/http-message.ts';
import {
  IncomingHeaders,
  IncomingRequest,
  isAddressed,
  readClientSubnet,
  toSubnet,
  toTraceHeaders,
} from './incoming-request.ts';
import { handleClientErrors, toRawErrorResponse, toRefusal } from './rejected-request.ts';
import { createResponseSender } from './send-response.ts';
import { toReachableUrl } from './welcome.ts';

/** Listens until it is closed. Whoever sends or reads slowly, or sends too much, is let go in time. */
export async function listen(options: ListenOptions) {
  const { answer, onRefused, host, port, bounds, heldBytes, proxies = 0 } = options;
  const { idleGraceMs = IDLE_GRACE_MS } = options;
  let isClosing = false;
  const sender = createResponseSender({ heldBytes, onRefused, now: systemClock.now });
  const pipelining = createPipelining({ heldBytes, onRefused });
  const send = (response: ServerResponse, answered: HttpResponse, address?: string | undefined) => {
    if (isClosing) response.shouldKeepAlive = false;
    sender.send(response, answered, address);
  };
  const refuse = (message: IncomingMessage, response: ServerResponse, { error, code }: Refused) => {
    // As Node would.
    if (message.headers.host === undefined) response.shouldKeepAlive = false;
    const refusal = toRefusal(error, message.url?.split('?')[0]);
    send(response, refusal);
    const arrival = toTraceHeaders(new IncomingHeaders(message.headers));
    onRefused({ status: refusal.status, code, errorId: error.id, arrival });
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: bounds.headersTimeoutMs,
      requestTimeout: bounds.requestTimeoutMs,
      keepAliveTimeout: bounds.keepAliveMs,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      // Two lengths, or a length and chunks, are how requests are smuggled past a proxy.
      insecureHTTPParser: false,
      // Node would refuse it without a word: it is refused here.
      requireHostHeader: false,
    },
    (message, response) => {
      const address = readClientSubnet(message, proxies);
      const start = () => handle(message, response, address);
      // No socket yet: a response before this one has not gone out.
      if (response.socket === null) pipelining.waitForTurn(message, response, { address, start });
      else start();
    },
  );
  const handle = (message: IncomingMessage, response: ServerResponse, address: string | undefined) => {
    if (!isAddressed(message)) {
      const error = new CrossbookError('BAD_REQUEST', 'The request must name its host, once and in one way.');
      refuse(message, response, { error, code: 'HOST_INVALID' });
      return;
    }
    answer(new IncomingRequest(message, response), address).then(
      (answered) => send(response, answered, address),
      // The handler must not reject; if it does, it is a bug: the connection is dropped.
      (error: unknown) => response.destroy(error as Error),
    );
  };
  handleClientErrors(server, onRefused);
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    const error = new CrossbookError(
      'EXPECTATION_FAILED',
      'Of what a request may expect, only 100-continue is met.',
    );
    refuse(message, response, { error, code: 'EXPECTATION_UNKNOWN' });
  });
  server.on('drop', () => onRefused({ status: undefined, code: 'CONNECTIONS_FULL' }));
  server.maxConnections = bounds.maxConnections;
  if (proxies === 0) limitConnections(server, bounds.maxConnectionsPerAddress, onRefused);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host, backlog: BACKLOG }, resolve);
  });

  return {
    url: toReachableUrl(host, (server.address() as AddressInfo).port),
    /** Lets what runs finish, for so long at most. False where something was cut off. */
    close(withinMs: number): Promise<boolean> {
      isClosing = true;
      return stop(server, { withinMs, idleGraceMs }).finally(sender.close);
    },
  };
}

/**
 * New connections are refused at once; those that are open may ask once more and are told to go elsewhere. A connection
 * that is idle stays for a moment, because its next request may be on the way already.
 */
async function stop(
  server: Server,
  { withinMs, idleGraceMs }: { readonly withinMs: number; readonly idleGraceMs: number },
): Promise<boolean> {
  // Of `net`: the one of `http` would cut idle connections off at once.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  const sweepAt = systemClock.now() + idleGraceMs;
  const sweep = setInterval(() => {
    if (systemClock.now() >= sweepAt) server.closeIdleConnections();
  }, SWEEP_EVERY_MS);
  let isWhole = true;
  const bound = setTimeout(() => {
    isWhole = false;
    server.closeAllConnections();
  }, withinMs);
  await closed;
  clearTimeout(bound);
  clearInterval(sweep);
  return isWhole;
}

/**
 * Connections that wait to be accepted while the process is busy. With Node's own 511 a second of that at some hundred
 * requests is enough for the kernel to drop the rest: their clients try again after seconds, or are reset. The kernel
 * has a bound of its own (`net.core.somaxconn`, 4,096 nearly everywhere).
 */
const BACKLOG = 4_096;
const MAX_HEADER_BYTES = 16 * 1024;
const CHECK_EVERY_MS = 1_000;
const IDLE_GRACE_MS = 1_000;
const SWEEP_EVERY_MS = 50;

/**
 * One address may have a part of the connections, so that another finds one free. An IPv6 address counts with its /64
 * network. Not for use behind proxies: all connections are theirs.
 */
function limitConnections(
  server: Server,
  maxPerAddress: number,
  onRefused: ListenOptions['onRefused'],
): void {
  const open = new Map<string, number>();

  server.on('connection', (socket: Socket) => {
    const network = toSubnet(socket.remoteAddress ?? '');
    const count = (open.get(network) ?? 0) + 1;
    if (count > maxPerAddress) {
      const error = new CrossbookError(
        'SERVICE_UNAVAILABLE',
        'This address has as many connections open as one may have: use those, or try again.',
        { retryAfterMs: RETRY_AFTER_MS },
      );
      socket.write(toRawErrorResponse(error));
      socket.destroySoon();
      onRefused({ status: 503, code: 'ADDRESS_CONNECTIONS_FULL', errorId: error.id });
      return;
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}

const RETRY_AFTER_MS = 1_000;

/**
 * HTTP/1.1 clients may send requests before the last one is answered. Node's server would start all of them and keep
 * their responses: here one starts when the response before it has gone out, and until then nothing more is read.
 */
function createPipelining({ heldBytes, onRefused }: Pick<ListenOptions, 'heldBytes' | 'onRefused'>) {
  const queued = new WeakMap<Socket, number>();

  return {
    /** For a request whose response has no socket yet. `start` is called when it has, or never. */
    waitForTurn(
      message: IncomingMessage,
      response: ServerResponse,
      { address, start }: { readonly address: string | undefined; start(): void },
    ): void {
      const { socket } = message;
      const length = (queued.get(socket) ?? 0) + 1;
      const hold = length <= MAX_QUEUED ? heldBytes.acquire({ address }, 'queue', REQUEST_BYTES) : undefined;
      if (!hold) {
        socket.destroy();
        onRefused({ status: undefined, code: 'PIPELINE_FULL' });
        return;
      }
      queued.set(socket, length);
      // Node starts reading again when it has parsed all of this request: it is stopped after that.
      process.nextTick(() => {
        if ((queued.get(socket) ?? 0) > 0) socket.pause();
      });
      message.once('close', hold.release.bind(hold));
      // Node gives a response its socket when it is that response's turn.
      response.once('socket', () => {
        hold.release();
        const left = (queued.get(socket) ?? 1) - 1;
        queued.set(socket, left);
        if (left === 0) socket.resume();
        start();
      });
    },
  };
}

/** No client is known to send more ahead. What comes in one read of the socket is parsed before reading stops. */
const MAX_QUEUED = 100;
/** A request that waits, with its headers. */
const REQUEST_BYTES = 8 * 1024;

export type Listener = Awaited<ReturnType<typeof listen>>;

interface ListenOptions {
  answer(request: ArrivingRequest, address: string | undefined): Promise<HttpResponse>;
  /** What never came to be answered: it was no HTTP, it came too slowly, or there were too many. */
  onRefused(refusal: RejectedRequest): void;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly bounds: ServerLimits;
  /** Counts responses that are not read yet, and requests that wait behind them. */
  readonly heldBytes: HeldBytes;
  /** How many trusted proxies stand in front and say whom they were asked by. */
  readonly proxies?: number | undefined;
  /** How long an idle connection may stay once the listener closes. */
  readonly idleGraceMs?: number | undefined;
}

export interface ServerLimits {
  readonly maxConnections: number;
  /** Not counted behind trusted proxies: all connections are theirs. */
  readonly maxConnectionsPerAddress: number;
  readonly headersTimeoutMs: number;
  /** For all of a request, from its first byte to its last. */
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
}

/** A request that nobody is asked for. */
interface Refused {
  readonly error: CrossbookError;
  readonly code: string;
}
