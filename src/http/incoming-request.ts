import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { CrossbookError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import { ByteBuffer } from '../lib/byte-buffer.ts';
import {
  type ArrivingRequest,
  type BeginLongBody,
  type HttpHeaders,
  LONG_BODY_BYTES,
} from '../lib/http-message.ts';

/** Wraps a request of Node's HTTP server for the APIs. */
export class IncomingRequest implements ArrivingRequest {
  readonly method: string;
  readonly pathname: string;
  readonly headers: HttpHeaders;
  readonly #message: IncomingMessage;
  readonly #response: Pick<ServerResponse, 'closed' | 'once'>;
  #url: URL | undefined;
  #body: ByteBuffer | undefined;

  /** `early`: the whole body, where it was received already. */
  constructor(
    message: IncomingMessage,
    response: Pick<ServerResponse, 'closed' | 'once'>,
    early?: ByteBuffer,
  ) {
    const { method = 'GET', url = '/' } = message;
    this.#message = message;
    this.#response = response;
    this.method = method;
    this.headers = new IncomingHeaders(message.headers);
    this.pathname = PLAIN_PATH.test(url) ? url : this.url.pathname;
    this.#body = early;
    if (!this.hasBody || early) return;
    // Without a reader, each chunk would be a buffer of its own until the caller is known.
    if (message.headers['transfer-encoding'] !== undefined) message.on('data', this.#gather);
    response.once('finish', () => {
      message.off('data', this.#gather);
      dropRest(message);
    });
  }

  readonly #gather = (chunk: Buffer): void => {
    this.#body ??= new ByteBuffer();
    this.#body.add(chunk);
    if (this.#body.length >= LONG_BODY_BYTES) this.#message.pause();
  };

  get url(): URL {
    this.#url ??= new URL(toAddress(this.#message));
    return this.#url;
  }

  get hasBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.#message.headers;
    return encoding !== undefined || (length !== undefined && length !== '0');
  }

  receiveBody(limit: number, beginLong: BeginLongBody): Promise<void> {
    const message = this.#message;
    return new Promise((resolve, reject) => {
      if (Number(message.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
      const body = this.#body ?? new ByteBuffer();
      this.#body = body;
      let isLong = false;
      let isOver = false;
      const stop = () => {
        isOver = true;
        message.off('data', take).off('end', finish).off('close', cut);
      };
      const refuse = (error: unknown) => {
        stop();
        message.resume();
        reject(error);
      };
      const cut = (cause?: unknown) =>
        refuse(
          new CrossbookError('BAD_REQUEST', 'The body could not be read completely.', { cause }),
        );
      const take = (chunk: Buffer) => {
        if (body.length + chunk.length > limit) return refuse(tooLarge(limit));
        body.add(chunk);
        beginIfLong();
      };
      const beginIfLong = () => {
        if (isLong || body.length <= LONG_BODY_BYTES) return;
        isLong = true;
        message.pause();
        beginLong().then(() => {
          if (!isOver) message.resume();
        }, refuse);
      };
      const finish = () => {
        stop();
        resolve();
      };
      if (body.length > limit) return refuse(tooLarge(limit));
      // The client may have disconnected while its key was looked up.
      if (message.destroyed && !message.readableEnded) return cut();
      if (message.readableEnded) return finish();
      message.off('data', this.#gather).on('data', take);
      message.once('end', finish).once('error', cut).once('close', cut);
      beginIfLong();
      if (!isLong) message.resume();
    });
  }

  readBody(): Buffer {
    return this.#body?.bytes ?? NO_BODY;
  }

  onClose(callback: () => void): void {
    if (this.#response.closed) callback();
    else this.#response.once('close', callback);
  }
}

/**
 * The rest of a body that is not wanted is dropped, so that the client can read the response and the connection can
 * be used again. A client that goes on sending is disconnected.
 */
export function dropRest(message: IncomingMessage): void {
  message.resume();
  if (message.complete) return;
  const close = () => {
    if (!message.complete) message.destroy();
  };
  setTimeout(close, LINGER_MS).unref();
}

const LINGER_MS = 500;

function tooLarge(limit: number): CrossbookError {
  return new CrossbookError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit / 1024} KiB.`);
}

const NO_BODY = Buffer.alloc(0);

export class IncomingHeaders implements HttpHeaders {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name];
    return typeof value === 'string' ? value : (value?.join(', ') ?? null);
  }

  *[Symbol.iterator](): Iterator<readonly [string, string]> {
    for (const name in this.#headers) yield [name, this.get(name) ?? ''];
  }
}

/**
 * Finds a header that has one value by its definition and is given twice. Which value counts is ambiguous then: Node
 * drops the second value of some headers and joins others to a third value, and a proxy in front may do neither.
 */
export function findRepeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!SINGLE_VALUED.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/**
 * The headers with one value that Crossbook acts on. Lists, such as Accept, may be repeated; Node's parser refuses a
 * repeated Content-Length; a repeated x-request-id or traceparent is ignored.
 */
export const SINGLE_VALUED: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'host',
  'if-match',
  'mcp-protocol-version',
  'origin',
  'sec-fetch-site',
  'x-admin-key',
  'x-api-key',
  'x-csrf-token',
  'x-customer-id',
  'x-provider-name',
]);

/** The request target as a URL: usually a path (origin form), behind a proxy possibly a whole URL (absolute form). */
function toAddress({ url = '/', headers: { host } }: IncomingMessage): string {
  if (url === '*') return `http://${host}/`;
  return url.startsWith('/') ? `http://${host}${url}` : url;
}

/**
 * Removes the path of the public URL from a request target. One that does not begin with it stays as it is: a proxy or
 * a framework in front has removed it, or a probe reaches the process directly.
 */
export function removeBasePath(target: string, basePath: string): string {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3);
  if (start === -1 || !target.startsWith(basePath, start)) return target;
  const rest = target.slice(start + basePath.length);
  if (!/^(?:[/?]|$)/.test(rest)) return target;
  return `${target.slice(0, start)}${rest.startsWith('/') ? '' : '/'}${rest}`;
}

/** Paths that URL parsing leaves unchanged, so that no URL has to be parsed. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/;

/**
 * Checks that the request names its host, and one only. A request line with another host is used to make a cache or
 * proxy in front see a different request (RFC 9112, 3.2).
 */
export function isAddressed(message: IncomingMessage): boolean {
  const { host } = message.headers;
  // HTTP/1.0 has no Host header.
  if (host === '' || (host === undefined && message.httpVersion === '1.1')) return false;
  // This host is known to be valid, and a path cannot change the host.
  if (host === lastHost && message.url?.startsWith('/')) return true;
  if (host !== undefined && BEYOND_A_HOST.test(host)) return false;
  if (!URL.canParse(toAddress(message)) || !namesHost(message)) return false;
  lastHost = host;
  return true;
}

/**
 * Checks that the path names the same resource before and after URL parsing. A proxy in front may allow by prefix what
 * parsing would turn into another path.
 */
export function hasPlainPath({ url = '/' }: Pick<IncomingMessage, 'url'>): boolean {
  return PLAIN_PATH.test(url) || !CHANGED_BY_PARSING.test(url);
}

/** In the path: a backslash, a fragment, a control character, or a segment of dots, which may be percent-encoded. */
const CHANGED_BY_PARSING = /^[^?]*(?:[\\#\t\f]|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/** Checks that a request target in absolute form is of HTTP and names the same host as the Host header. */
function namesHost({ url = '/', headers: { host } }: IncomingMessage): boolean {
  if (url.startsWith('/') || url === '*') return true;
  if (!ABSOLUTE_FORM.test(url)) return false;
  if (host === undefined) return true;
  const { protocol, host: named } = new URL(url);
  const address = `${protocol}//${host}`;
  return URL.canParse(address) && new URL(address).host === named;
}

const ABSOLUTE_FORM = /^https?:\/\/[^/]/i;

/** Characters that end the host part of a URL: a Host header has neither user nor path (RFC 9110, 7.2). */
const BEYOND_A_HOST = /[@/\\?#]/;

/** The last valid host: nearly all clients send the same one, so the check is skipped for it. */
let lastHost: string | undefined;

/**
 * The client's subnet, which all limits by address count. Each trusted proxy appends the address of its client to
 * `X-Forwarded-For`; earlier entries may be forged.
 */
export function readClientSubnet(
  { socket, headers }: Arriving,
  proxies: number,
): string | undefined {
  const forwarded =
    proxies > 0 ? [headers['x-forwarded-for'] ?? []].flat().join(',').split(',') : undefined;
  const named = forwarded?.at(-proxies)?.trim();
  const address = named && isIP(named) ? named : socket.remoteAddress;
  return address === undefined ? undefined : toSubnet(address);
}

/** One client's likely range: an IPv4 address, or the /64 network of an IPv6 address. */
export function toSubnet(address: string): string {
  if (!address.includes(':')) return address;
  const [plain = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail ? tail.split(':') : [];
  const zeros =
    tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...zeros, ...back]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/**
 * Behind a proxy that is not configured as trusted, all clients share the proxy's address and its limits. Logs a
 * warning once, at the first request with a forwarding header.
 */
export function withProxyWarning<Arrival extends { readonly headers: HttpHeaders }, Found>(
  handle: (arrival: Arrival) => Found,
  { proxies, log }: Options,
): (arrival: Arrival) => Found {
  let isDone = proxies > 0;
  return (arrival) => {
    const { headers } = arrival;
    if (!isDone && (headers.get('x-forwarded-for') ?? headers.get('forwarded')) !== null) {
      isDone = true;
      log.warn(
        {},
        'requests come through a proxy, and CROSSBOOK_TRUSTED_PROXIES is 0: all clients count as one address',
      );
    }
    return handle(arrival);
  };
}

/**
 * Protects the sandbox against DNS rebinding: a foreign page whose own host name resolves to this machine is
 * same-origin to the browser and could read the demo's key. Its requests carry that name as their Host.
 */
export function createHostCheck(names: readonly string[]): (headers: HttpHeaders) => void {
  const allowed = new Set([...LOOPBACK, ...names.map((name) => name.toLowerCase())]);
  return (headers) => {
    const host = headers.get('host');
    if (host === null || allowed.has(host.replace(/:\d*$/, '').toLowerCase())) return;
    throw new CrossbookError(
      'FORBIDDEN',
      'While the sandbox is on, the host must be localhost, 127.0.0.1, [::1] or one of CROSSBOOK_HOSTS.',
    );
  };
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

interface Arriving {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
  readonly headers: IncomingMessage['headers'];
}

interface Options {
  /** The number of trusted proxies. */
  readonly proxies: number;
  readonly log: Pick<Log, 'warn'>;
}
