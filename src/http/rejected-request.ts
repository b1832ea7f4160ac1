import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { CrossbookError, ERROR_CODES, type ErrorCode, toErrorBody } from '../domain/errors.ts';
import type { RejectedRequest } from '../domain/log.ts';
import { toRetryAfter } from '../lib/http-message.ts';

/**
 * Answers invalid HTTP with the status that Node would use and the standard error body, and reports it without its
 * bytes, which may hold secrets. A client that has disconnected is not reported.
 */
export function handleClientErrors(
  server: Server,
  onRefused: (refusal: RejectedRequest) => void,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { code = 'UNKNOWN' } = error;
    const isThere = socket.writable;
    const refusal = isAnswering(socket) ? undefined : toError(code);
    if (isThere && refusal) socket.write(toRawErrorResponse(refusal));
    socket.destroy(error);
    if (!isThere || code === ENDED_EARLY) return;
    onRefused({ status: refusal && ERROR_CODES[refusal.code].status, code, errorId: refusal?.id });
  });
}

/** Once a response has begun, the client would read a second one as part of it. */
function isAnswering(socket: Duplex & Answering): boolean {
  return socket._httpMessage?.headersSent ?? false;
}

function toError(reason: string): CrossbookError {
  const [code, detail] = ERRORS[reason] ?? [
    'BAD_REQUEST',
    `Not a valid HTTP request (${reason}). This port does not speak TLS.`,
  ];
  return new CrossbookError(code, detail);
}

/** Node's parser errors; all others are a 400. */
const ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['REQUEST_HEADER_FIELDS_TOO_LARGE', 'The headers are longer than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PAYLOAD_TOO_LARGE', 'Chunk extensions are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive in time.'],
};

/** The client half-closed the connection within a request: it may still read, so it is answered. Most are gone. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';

/**
 * The response to requests that the listener rejects by itself, in the standard error shape: GraphQL's form where the
 * path is a GraphQL path, otherwise REST's.
 */
export function toRefusal(error: CrossbookError, pathname?: string) {
  const body = toErrorBody(error, null);
  const told = pathname === '/graphql' ? { message: body.detail, extensions: body } : body;
  const text = JSON.stringify({ errors: [told] });
  return {
    status: ERROR_CODES[error.code].status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(text)),
      'x-content-type-options': 'nosniff',
      ...toRetryAfter(error.retryAfterMs),
    },
    body: text,
  };
}

/** The raw response for a socket without a parsed request. It closes the connection. */
export function toRawErrorResponse(error: CrossbookError): string {
  const { status, headers, body } = toRefusal(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n${lines.join('')}\r\n${body}`;
}

/** Node's internal field for the current response of a connection: there is no public one. */
interface Answering {
  readonly _httpMessage?: Pick<ServerResponse, 'headersSent'> | null;
}
