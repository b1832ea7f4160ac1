import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Refusal } from '../domain/journal.ts';
import type { HttpAnswer, HttpRequest } from '../lib/http-message.ts';
import { WrittenJson } from '../lib/written-json.ts';
import { IncomingHeaders, IncomingRequest, toAddress } from './incoming-request.ts';
import { readAddress } from './read-address.ts';
import { refuseBytes } from './refuse-bytes.ts';
import { toArrivalIds } from './to-arrival.ts';

/** Listens until it is closed. Whoever sends or reads slowly, or sends too much, is let go in time. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { answer, onRefused, host, port, bounds, proxies = 0 } = options;
  let isClosing = false;
  const send = (response: ServerResponse, { status, headers, body }: HttpAnswer) => {
    if (isClosing) response.shouldKeepAlive = false;
    response.writeHead(status, headers);
    sendBody(response, body);
  };
  const refuse = (message: IncomingMessage, response: ServerResponse, { status, code }: Refused) => {
    // As Node would.
    if (message.headers.host === undefined) response.shouldKeepAlive = false;
    send(response, { status, headers: { 'content-length': '0' }, body: null });
    onRefused({ status, code, arrival: toArrivalIds(new IncomingHeaders(message.headers)) });
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
      if (!isAddressed(message)) {
        refuse(message, response, { status: 400, code: 'HOST_INVALID' });
        return;
      }
      answer(new IncomingRequest(message), readAddress(message, proxies)).then(
        (answered) => send(response, answered),
        // Whoever answers answers for its own failures: this one is nobody's.
        (error: unknown) => response.destroy(error as Error),
      );
    },
  );
  refuseBytes(server, onRefused);
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    refuse(message, response, { status: 417, code: 'EXPECTATION_UNKNOWN' });
  });
  server.on('drop', () => onRefused({ status: undefined, code: 'CONNECTIONS_FULL' }));
  server.maxConnections = bounds.maxConnections;
  server.timeout = SILENCE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host, backlog: BACKLOG }, resolve);
  });

  return {
    url: toUrl(server.address() as AddressInfo, host),
    close(withinMs) {
      isClosing = true;
      return stop(server, withinMs);
    },
  };
}

/**
 * New connections are refused at once; those that are open may ask once more and are told to go elsewhere. A connection
 * that is idle stays for a moment, because its next request may be on the way already.
 */
async function stop(server: Server, withinMs: number): Promise<boolean> {
  // Of `net`: the one of `http` would cut idle connections off at once.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  const sweepAt = performance.now() + IDLE_GRACE_MS;
  const sweep = setInterval(() => {
    if (performance.now() >= sweepAt) server.closeIdleConnections();
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

/** Without a Host that is a name there is no address. Like all that is no HTTP it is answered with the bare status. */
function isAddressed(message: IncomingMessage): boolean {
  const { host } = message.headers;
  // Before 1.1 there was none.
  if (host === undefined && message.httpVersion === '1.1') return false;
  // A path cannot spoil an address that was one.
  if (host === lastHost && message.url?.startsWith('/')) return true;
  if (!URL.canParse(toAddress(message))) return false;
  lastHost = host;
  return true;
}

/** In one go with its headers, whatever it is made of. */
function sendBody(response: ServerResponse, body: HttpAnswer['body']): void {
  if (body instanceof WrittenJson) {
    response.cork();
    for (const piece of body.take()) response.write(piece);
    response.end();
  } else response.end(body ?? undefined);
}

function toUrl({ port }: AddressInfo, host: string): string {
  const shown = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
  return `http://${shown}:${port}`;
}

/**
 * Connections that wait to be accepted while the process is busy. With Node's own 511 a second of that at some hundred
 * requests is enough for the kernel to drop the rest: their clients try again after seconds, or are reset. The kernel
 * has a bound of its own (`net.core.somaxconn`, 4,096 nearly everywhere).
 */
const BACKLOG = 4_096;
const MAX_HEADER_BYTES = 16 * 1024;
const CHECK_EVERY_MS = 1_000;
/** Nothing sent, nothing read: longer than the longest answer takes, so that only who does not read is meant. */
const SILENCE_MS = 150_000;
const IDLE_GRACE_MS = 1_000;
const SWEEP_EVERY_MS = 50;

/** Nearly everybody calls us by the same name: it was looked at already. */
let lastHost: string | undefined;

export interface Listener {
  readonly url: string;
  /** Lets what runs finish, for so long at most. False where something was cut off. */
  close(withinMs: number): Promise<boolean>;
}

export interface ListenOptions {
  answer(request: HttpRequest, address: string | undefined): Promise<HttpAnswer>;
  /** What never came to be answered: it was no HTTP, it came too slowly, or there were too many. */
  onRefused(refusal: Refusal): void;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly bounds: Bounds;
  /** How many trusted proxies stand in front and say whom they were asked by. */
  readonly proxies?: number | undefined;
}

export interface Bounds {
  readonly maxConnections: number;
  readonly headersTimeoutMs: number;
  /** For all of a request, from its first byte to its last. */
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
}

/** A request that nobody is asked for. */
interface Refused {
  readonly status: number;
  readonly code: string;
}
