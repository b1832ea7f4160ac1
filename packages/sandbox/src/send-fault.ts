import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Fault, FaultQueue } from './faults.ts';
import {
  type Answer,
  type Headers,
  jsonAnswer,
  type SandboxRequest,
  sendAnswer,
  textAnswer,
} from './http.ts';

/** Sends the response with the fault applied, and returns the status that the client saw (0: none). */
export async function sendFault({
  fault,
  faults,
  request,
  response,
  produce,
}: FaultyResponse): Promise<number> {
  const send = (answer: Answer): number => {
    sendAnswer(request, response, answer);
    return answer.status;
  };
  switch (fault.kind) {
    case 'answer':
      return send(toAnswer(fault));
    case 'hang':
      return 0;
    case 'hang-after':
      await produce();
      return 0;
    case 'reset-after':
      await produce();
      response.socket?.resetAndDestroy();
      return 0;
    case 'reset':
      response.socket?.resetAndDestroy();
      return 0;
    case 'slow':
      await delay(fault.delayMs, { response, faults });
      return response.destroyed ? 0 : send(await produce());
    case 'stall':
    case 'reset-midway':
      return sendHalf(response, await produce(), fault.kind === 'reset-midway');
    case 'truncated':
      return send(truncateJson(await produce()));
    case 'empty':
    case 'partial':
      return send(shortenLists(await produce(), fault.kind === 'empty' ? 0 : 0.5));
    case 'oversized':
    case 'gzip-bomb':
      return sendOversized(response, fault);
    case 'echo':
      return send(echo(request, fault.status));
    case 'closing':
      return send(withConnectionClose(await produce()));
    case 'http-1.0':
      return sendBytes(response, toOldHttp(await produce()));
    case 'dripping':
      return sendBytes(response, toClosedHttp(await produce()), 1);
  }
}

function toAnswer({ status, body, headers }: Extract<Fault, { kind: 'answer' }>): Answer {
  return typeof body === 'string'
    ? textAnswer(status, body, headers)
    : jsonAnswer(status, body ?? {}, headers);
}

function delay(
  milliseconds: number,
  { response, faults }: Pick<FaultyResponse, 'response' | 'faults'>,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    const forget = faults.onClear(end);
    response.once('close', end);
  });
}

function sendHalf(response: ServerResponse, answer: Answer, reset: boolean): number {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.write(body.subarray(0, body.length / 2), () => {
    if (reset) response.socket?.resetAndDestroy();
  });
  return answer.status;
}

function truncateJson(answer: Answer): Answer {
  return { ...answer, body: Buffer.from(answer.body).subarray(0, answer.body.length / 2) };
}

function shortenLists(answer: Answer, share: number): Answer {
  const value: unknown = JSON.parse(answer.body.toString());
  if (typeof value !== 'object' || value === null) return answer;
  const keep = (item: unknown): unknown =>
    Array.isArray(item) ? item.slice(0, Math.floor(item.length * share)) : item;
  const thinned = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, keep(item)]));
  return { ...answer, body: JSON.stringify(thinned) };
}

/** Written with backpressure, until the client disconnects. A compressed body repeats one compressed megabyte. */
function sendOversized(
  response: ServerResponse,
  fault: Extract<Fault, { kind: 'oversized' | 'gzip-bomb' }>,
): number {
  const zipped = fault.kind === 'gzip-bomb';
  response.writeHead(200, {
    'content-type': 'application/json;charset=utf-8',
    ...(zipped && { 'content-encoding': 'gzip' }),
  });
  const pack = (bytes: Buffer) => (zipped ? gzipSync(bytes) : bytes);
  const megabyte = pack(Buffer.alloc(1024 * 1024, ' '));
  let left = fault.megabytes;
  const pump = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(megabyte)) return;
    }
    response.end(pack(Buffer.from('}')));
  };
  response.on('drain', pump);
  response.write(pack(Buffer.from('{"results":[]')));
  pump();
  return 200;
}

/** In the error formats of all CRMs at once. */
function echo({ headers, body }: SandboxRequest, status: number): Answer {
  const sent = `${headers.authorization ?? ''} ${body}`;
  return jsonAnswer(status, {
    status: 'error',
    message: `This was sent: ${sent}`,
    error: 'invalid_request',
    error_description: sent,
    context: { sent: [sent] },
  });
}

function withConnectionClose(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, connection: 'close' } };
}

function toOldHttp(answer: Answer): RawAnswer {
  return { status: answer.status, bytes: toBytes('HTTP/1.0', answer, answer.headers) };
}

function toClosedHttp(answer: Answer): RawAnswer {
  const headers = {
    ...answer.headers,
    connection: 'close',
    'content-length': `${Buffer.byteLength(answer.body)}`,
  };
  return { status: answer.status, bytes: toBytes('HTTP/1.1', answer, headers) };
}

function toBytes(version: string, { status, body }: Answer, headers: Headers): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${version} ${status} OK\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ]);
}

/** Writes raw bytes to the socket, bypassing Node's HTTP, in pieces of that size. */
function sendBytes(
  response: ServerResponse,
  { status, bytes }: RawAnswer,
  pieceBytes = bytes.length,
): number {
  const { socket } = response;
  if (socket === null) return 0;
  let sent = 0;
  const send = (): void => {
    if (socket.destroyed) return;
    socket.write(bytes.subarray(sent, sent + pieceBytes));
    sent += pieceBytes;
    if (sent >= bytes.length) socket.end();
    else setImmediate(send);
  };
  socket.setNoDelay(true);
  send();
  return status;
}

interface RawAnswer {
  readonly status: number;
  readonly bytes: Buffer;
}

interface FaultyResponse {
  readonly fault: Fault;
  /** Those of the account. */
  readonly faults: Pick<FaultQueue, 'onClear'>;
  readonly request: SandboxRequest;
  readonly response: ServerResponse;
  /** Produces the real response. */
  readonly produce: () => Answer | Promise<Answer>;
}
