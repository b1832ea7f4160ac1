import type { EventEmitter } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { toReason } from './to-reason.ts';

/** Listens on loopback only: these are test doubles and must not be reachable from the network. */
export async function listen(port: number, serve: Serve, tls?: Certificate): Promise<Listener> {
  // The CRMs have their own responses to long URLs and headers, so Node's header limit is raised above theirs.
  const options = { maxHeaderSize: 256 * 1024, keepAliveTimeout: 65_000 };
  const handle: RequestListener = (message, response) => {
    readRequest(message)
      .then((request) => serve(request, response))
      .catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : new Error(toReason(error))),
      );
  };
  const server = tls
    ? withErrorListener(createTlsServer({ ...options, ...tls }, handle))
    : withErrorListener(createServer(options, handle));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Attaches a listener for errors where an emitter is constructed: without one, the second `error` event ends the process. */
function withErrorListener<Emitter extends Pick<EventEmitter, 'on'>>(emitter: Emitter): Emitter {
  emitter.on('error', () => undefined);
  return emitter;
}

export function jsonAnswer(status: number, value: unknown, headers: Headers = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json;charset=utf-8', ...headers },
    body: value === undefined ? '' : JSON.stringify(value),
  };
}

export function textAnswer(status: number, body: string, headers: Headers = {}): Answer {
  return { status, headers: { 'content-type': 'text/html;charset=utf-8', ...headers }, body };
}

export function sendAnswer(
  request: SandboxRequest,
  response: ServerResponse,
  answer: Answer,
): void {
  const zipped =
    answer.body.length > 1_400 && acceptsGzip(request) && !answer.headers['content-encoding'];
  const body = zipped ? gzipSync(answer.body, { level: 1 }) : answer.body;
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(zipped && { 'content-encoding': 'gzip' }),
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** The parsed JSON body, cached per request; undefined if it is not JSON. */
export function readJson(request: SandboxRequest): unknown {
  if (!parsed.has(request)) parsed.set(request, parse(request.body));
  return parsed.get(request);
}

export function readForm(request: SandboxRequest): URLSearchParams {
  return new URLSearchParams(request.body);
}

export function bearerOf(request: SandboxRequest): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

const parsed = new WeakMap<SandboxRequest, unknown>();

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function acceptsGzip(request: SandboxRequest): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
}

async function readRequest(message: IncomingMessage): Promise<SandboxRequest> {
  const body = await readBody(message);
  const target = message.url ?? '/';
  const question = target.indexOf('?');
  return {
    method: message.method ?? 'GET',
    target,
    path: question < 0 ? target : target.slice(0, question),
    query: new URLSearchParams(question < 0 ? '' : target.slice(question + 1)),
    headers: message.headers,
    headerBytes: message.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0),
    body,
  };
}

function readBody(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    message.once('error', reject);
  });
}

export interface SandboxRequest {
  readonly method: string;
  /** The request target: path and query, still encoded. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly headerBytes: number;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Buffer;
}

export type Headers = Readonly<Record<string, string>>;
type Serve = (request: SandboxRequest, response: ServerResponse) => void | Promise<void>;

/** In PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface Listener {
  readonly origin: string;
  close(): Promise<void>;
}
