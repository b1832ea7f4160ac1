import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from '../domain/journal.ts';

/**
 * Bytes that make no request are answered just as Node would by itself, and told of: never they themselves, which may
 * hold secrets. Who has gone away was not refused.
 */
export function refuseBytes(server: Server, onRefused: (refusal: Refusal) => void): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { code = 'UNKNOWN' } = error;
    const status = isAnswering(socket) ? undefined : (STATUSES[code] ?? 400);
    const isThere = socket.writable;
    if (isThere && status !== undefined) socket.write(toBareAnswer(status));
    socket.destroy(error);
    if (isThere && code !== ENDED_EARLY) onRefused({ status, code });
  });
}

/** An answer that has begun has a length, and who reads it would take a second one for a part of it. */
function isAnswering(socket: Duplex & Answering): boolean {
  return socket._httpMessage?.headersSent ?? false;
}

function toBareAnswer(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

/** As Node has them; whatever else its parser finds is a 400. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The client ended its side within a request: it is answered, because it may still listen. Most are gone. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';

/** Node's own name for the response whose turn it is on a connection: it has no public one. */
interface Answering {
  readonly _httpMessage?: Pick<ServerResponse, 'headersSent'> | null;
}
