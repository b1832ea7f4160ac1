import { STATUS_CODES } from 'node:http';
import { type CrossbookError, ERROR_CODES, toErrorBody } from '../domain/errors.ts';

/**
 * The response to what the listener refuses by itself, in the shape that every error has: in GraphQL's form where the path
 * is known to be GraphQL's, else in that of REST.
 */
export function toRefusal(error: CrossbookError, pathname?: string): RefusalResponse {
  const body = toErrorBody(error, null);
  const told = pathname === '/graphql' ? { message: body.detail, extensions: body } : body;
  const text = JSON.stringify({ errors: [told] });
  return {
    status: ERROR_CODES[error.code].status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(text)),
      ...(error.retryAfterMs !== undefined && {
        'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)),
      }),
    },
    body: text,
  };
}

/** For a socket without a request. Its connection is of no further use. */
export function toRawRefusal(error: CrossbookError): string {
  const { status, headers, body } = toRefusal(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n${lines.join('')}\r\n${body}`;
}

export interface RefusalResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
