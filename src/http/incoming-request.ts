import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { CrossbookError } from '../domain/errors.ts';
import type { HttpHeaders, HttpRequest } from '../lib/http-message.ts';

/** A request as Node has it, for the faces. */
export class IncomingRequest implements HttpRequest {
  readonly method: string;
  readonly pathname: string;
  readonly headers: HttpHeaders;
  readonly #message: IncomingMessage;
  #url: URL | undefined;
  #tell: (() => void) | undefined;

  constructor(message: IncomingMessage) {
    const { method = 'GET', url = '/' } = message;
    this.#message = message;
    this.method = method;
    this.headers = new IncomingHeaders(message.headers);
    this.pathname = PLAIN_PATH.test(url) ? url : this.url.pathname;
  }

  get url(): URL {
    this.#url ??= new URL(toAddress(this.#message));
    return this.#url;
  }

  readBody(limit: number): Promise<Buffer | undefined> {
    const message = this.#message;
    if (Number(message.headers['content-length'] ?? 0) > limit) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      message.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= limit) chunks.push(chunk);
        // To stop reading would end the connection before the answer: the rest is let go by until the sender tires.
        else resolve(undefined);
      });
      message.once('end', () => {
        this.#tell?.();
        resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      });
      message.once('error', (cause) => {
        reject(new CrossbookError('BAD_REQUEST', 'The body could not be read to its end.', { cause }));
      });
    });
  }

  whenWhole(tell: () => void): void {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.#message.headers;
    if (encoding === undefined && (length === undefined || length === '0')) tell();
    else this.#tell = tell;
  }
}

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

/** Most name a path; a proxy's request may name all of the address. */
export function toAddress({ url = '/', headers: { host } }: IncomingMessage): string {
  if (url === '*') return `http://${host}/`;
  return url.startsWith('/') ? `http://${host}${url}` : url;
}

/** Whoever parses it as part of a URL finds the same in it. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/;
