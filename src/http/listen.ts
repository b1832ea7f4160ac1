import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { FairShares } from '../admission/fair-shares.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { RejectedRequest } from '../domain/log.ts';
import { systemClock } from '../lib/clock.ts';
import { readClientSubnet, toSubnet } from './incoming-request.ts';
import type { NodeHandler } from './node-handler.ts';
import { handleClientErrors, toRawErrorResponse } from './rejected-request.ts';
import { toReachableUrl } from './welcome.ts';

/** The HTTP listener. Timeouts and limits disconnect clients that send or read slowly, or send too much. */
export async function listen(options: ListenOptions) {
  const { handler, onRefused, host, port, bounds, proxies = 0 } = options;
  const { idleGraceMs = IDLE_GRACE_MS } = options;
  let isClosing = false;
  const connections = new Set<ClientSocket>();
  const enqueuePipelined = createPipelining(onRefused);
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (isClosing) response.shouldKeepAlive = false;
    (socket as ClientSocket)[LAST_RESPONSE] = response;
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: bounds.headersTimeoutMs,
      requestTimeout: bounds.requestTimeoutMs,
      keepAliveTimeout: bounds.keepAliveMs,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      // Rejects two lengths, or a length with chunks, which are used to smuggle requests past a proxy.
      insecureHTTPParser: false,
      // Disabled in Node, which would send no error body; the handler checks it instead.
      requireHostHeader: false,
    },
    (message, response) => {
      begin(message, response);
      const start = () => handler.handle(message, response);
      // Without a socket an earlier response on this connection is still being sent.
      if (response.socket === null) {
        enqueuePipelined(message, response, { address: readClientSubnet(message, proxies), start });
      } else start();
    },
  );
  handleClientErrors(server, onRefused);
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    begin(message, response);
    const detail = 'Only `Expect: 100-continue` is supported.';
    const error = new CrossbookError('EXPECTATION_FAILED', detail);
    handler.refuse(message, response, error, 'EXPECTATION_UNKNOWN');
  });
  server.on('connection', (socket: ClientSocket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('drop', () => onRefused({ status: undefined, code: 'CONNECTIONS_FULL' }));
  server.maxConnections = bounds.maxConnections;
  // The limit is `maxHeaderSize`. Node would silently drop the headers after the 2,000th.
  server.maxHeadersCount = 0;
  if (proxies === 0) limitConnections(server, bounds.maxConnectionsPerAddress, onRefused);
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(toPortInUse(port), { cause: error }) : error);
    server.once('error', fail).listen({ port, host, backlog: BACKLOG }, resolve);
  });

  return {
    url: toReachableUrl(host, (server.address() as AddressInfo).port),
    /** Waits for running requests, for at most `withinMs`. False if some were cut off. */
    close(withinMs: number): Promise<boolean> {
      isClosing = true;
      for (const { [LAST_RESPONSE]: response } of connections)
        if (response) response.shouldKeepAlive = false;
      return stop(server, { withinMs, idleGraceMs });
    },
  };
}

/**
 * The response to the last request of a connection. It is kept on the socket: a long-lived collection of responses
 * changes with every request, and its tables, once old, keep dead requests alive through minor collections.
 */
const LAST_RESPONSE = Symbol('last response');

type ClientSocket = Socket & { [LAST_RESPONSE]?: ServerResponse };

function toPortInUse(port: number): string {
  return `Port ${port} is in use. Set PORT to another port, or stop the process that listens there.`;
}

/**
 * Refuses new connections at once; open ones may send one more request, whose response closes the connection. Idle
 * connections stay open for a moment, because their next request may be on its way already.
 */
async function stop(
  server: Server,
  { withinMs, idleGraceMs }: { readonly withinMs: number; readonly idleGraceMs: number },
): Promise<boolean> {
  // Uses `close` of `net.Server`: that of `http.Server` would close idle connections at once.
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
 * The listen backlog. With Node's default of 511, one second of a busy event loop at some hundred requests per second
 * makes the kernel drop connections, and clients retry after seconds or are reset. The kernel caps it
 * (`net.core.somaxconn`, 4,096 nearly everywhere).
 */
const BACKLOG = 4_096;
const MAX_HEADER_BYTES = 16 * 1024;
const CHECK_EVERY_MS = 1_000;
const IDLE_GRACE_MS = 1_000;
const SWEEP_EVERY_MS = 50;

/**
 * Limits the connections of one address, so that others find a free one. IPv6 addresses count by /64 network. Not for
 * use behind proxies, where all connections come from the proxy.
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
        'This address has too many open connections: reuse them, or try again later.',
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
 * HTTP/1.1 pipelining: clients may send requests before the last one is answered. Node would start all of them and
 * buffer their responses; here each starts after the previous response was sent, and the socket is paused meanwhile.
 */
function createPipelining(onRefused: ListenOptions['onRefused']) {
  const queued = new WeakMap<Socket, number>();
  const places = new FairShares(MAX_PIPELINED);

  /** Queues a request whose response has no socket yet. `start` is called when it gets one, or never. */
  return (
    message: IncomingMessage,
    response: ServerResponse,
    { address, start }: { readonly address: string | undefined; start(): void },
  ): void => {
    const { socket } = message;
    const length = (queued.get(socket) ?? 0) + 1;
    const isChunked = message.headers['transfer-encoding'] !== undefined;
    const taken = isChunked ? CHUNKED_PLACES : 1;
    const shares = [{ owner: address ?? '', ratio: 1 }];
    if (length > MAX_QUEUED || !places.mayTake(shares, taken)) {
      socket.destroy();
      onRefused({ status: undefined, code: 'PIPELINE_FULL' });
      return;
    }
    queued.set(socket, length);
    places.take(shares, taken);
    let isWaiting = true;
    const leave = () => {
      if (isWaiting) places.release(shares, taken);
      isWaiting = false;
    };
    // Node resumes the socket after it has parsed this request, so the pause must come after that.
    process.nextTick(() => {
      if ((queued.get(socket) ?? 0) > 0) socket.pause();
    });
    message.once('close', leave);
    // Node assigns the socket to a response when all earlier ones are sent.
    response.once('socket', () => {
      leave();
      const left = (queued.get(socket) ?? 1) - 1;
      queued.set(socket, left);
      if (left === 0) socket.resume();
      start();
    });
  };
}

/** The maximum of pipelined requests; no known client sends more. A single read of the socket can hold several. */
const MAX_QUEUED = 100;
/** The maximum of all connections, at 8 KiB each. An address alone gets half of the places. */
const MAX_PIPELINED = 4_096;
/** One read of the socket may hold ten thousand chunks of one byte, and each is a buffer until its request starts. */
const CHUNKED_PLACES = 640;

export type Listener = Awaited<ReturnType<typeof listen>>;

interface ListenOptions {
  readonly handler: Pick<NodeHandler, 'handle' | 'refuse'>;
  /** Called for requests that are rejected before the handler: invalid HTTP, too slow, or too many. */
  onRefused(refusal: RejectedRequest): void;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly bounds: ServerLimits;
  /** The number of trusted proxies in front, which append client addresses to `X-Forwarded-For`. */
  readonly proxies?: number | undefined;
  /** How long idle connections stay open after shutdown has begun. */
  readonly idleGraceMs?: number | undefined;
}

export interface ServerLimits {
  readonly maxConnections: number;
  /** Not enforced behind trusted proxies, where all connections come from the proxy. */
  readonly maxConnectionsPerAddress: number;
  readonly headersTimeoutMs: number;
  /** The timeout for receiving a whole request, from its first byte to its last. */
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
}
