import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { CrossbookError } from '../domain/errors.ts';
import type { ArrivingRequest, HttpHeaders, ReserveBytes } from '../lib/http-message.ts';

/** A request as Node has it, for the faces. */
export class IncomingRequest implements ArrivingRequest {
  readonly method: string;
  readonly pathname: string;
  readonly headers: HttpHeaders;
  readonly #message: IncomingMessage;
  readonly #response: Pick<ServerResponse, 'closed' | 'once'>;
  #url: URL | undefined;
  #body: Buffer | undefined;

  constructor(message: IncomingMessage, response: Pick<ServerResponse, 'closed' | 'once'>) {
    const { method = 'GET', url = '/' } = message;
    this.#message = message;
    this.#response = response;
    this.method = method;
    this.headers = new IncomingHeaders(message.headers);
    this.pathname = PLAIN_PATH.test(url) ? url : this.url.pathname;
  }

  get url(): URL {
    this.#url ??= new URL(toAddress(this.#message));
    return this.#url;
  }

  get hasBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.#message.headers;
    return encoding !== undefined || (length !== undefined && length !== '0');
  }

  receiveBody(limit: number, reserve: ReserveBytes): Promise<void> {
    const message = this.#message;
    if (Number(message.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      let isRefused = false;
      const refuse = (error: unknown) => {
        isRefused = true;
        chunks.length = 0;
        reject(error);
      };
      message.on('data', (chunk: Buffer) => {
        // To stop reading would end the connection before the response: what follows is read and thrown away.
        if (isRefused) return;
        length += chunk.length;
        if (length > limit) return refuse(tooLarge(limit));
        try {
          reserve(chunk.length);
          chunks.push(chunk);
        } catch (error) {
          refuse(error);
        }
      });
      message.once('end', () => {
        this.#body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
        resolve();
      });
      message.once('error', (cause) => {
        refuse(new CrossbookError('BAD_REQUEST', 'The body could not be read to its end.', { cause }));
      });
    });
  }

  readBody(limit: number): Buffer | undefined {
    const body = this.#body ?? NO_BODY;
    return body.length > limit ? undefined : body;
  }

  onClose(callback: () => void): void {
    if (this.#response.closed) callback();
    else this.#response.once('close', callback);
  }
}

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

/** Most name a path; a proxy's request may name all of the address. */
export function toAddress({ url = '/', headers: { host } }: IncomingMessage): string {
  if (url === '*') return `http://${host}/`;
  return url.startsWith('/') ? `http://${host}${url}` : url;
}

/** Whoever parses it as part of a URL finds the same in it. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/;
