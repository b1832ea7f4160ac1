import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { CrossbookError } from '../domain/errors.ts';
import type { Forward, Forwarded } from '../http/node-handler.ts';
import { ByteBuffer } from '../lib/byte-buffer.ts';
import type { Clock } from '../lib/clock.ts';
import { createFindCustomer } from './find-customer.ts';
import { ForwardedResponse, HOP_BY_HOP } from './forwarded-response.ts';

/**
 * Sends requests that name a customer to the worker of that customer, over its private socket, while another one of that
 * customer is running: so they share calls to the CRM as they do in one process. A request that is alone has nothing to
 * share. Where that worker is not there or has no room, the request is handled here.
 */
export function createForwarding({ worker, workers, clock, ...options }: ForwardingOptions) {
  const { shareFrom = 2 } = options;
  const findCustomer = createFindCustomer(options.customersPrefix);
  const peers = new Map<number, Peer>();
  /** By hash: two customers that have the same one are forwarded a little too often. */
  const running = new Uint32Array(SLOTS);

  const forward: Forward = (message, response, address) => {
    const customer = findCustomer(message);
    if (customer === undefined || PROBES.test(message.url ?? '/')) return undefined;
    const number = hashOf(customer);
    const place = number % workers;
    if (place === worker) return undefined;
    const count = begin(number >>> SLOT_SHIFT, response);
    const peer = peers.get(place);
    if (!peer || peer.running >= options.maxRunning || clock.now() < peer.fullUntil)
      return undefined;
    return count < shareFrom ? undefined : send(peer, { message, response, address });
  };

  /** The number of running requests in a slot, with this one. */
  function begin(slot: number, response: ServerResponse): number {
    const count = (running[slot] ?? 0) + 1;
    running[slot] = count;
    response.once('close', () => {
      running[slot] = (running[slot] ?? 1) - 1;
    });
    return count;
  }

  return {
    forward,

    /** The private sockets of the workers that serve requests, by place. */
    setPeers(sockets: readonly (string | null)[]): void {
      for (const [place, { socket, pool }] of peers) {
        if (sockets[place] === socket) continue;
        peers.delete(place);
        // Running requests are finished.
        pool.close().catch(ignore);
      }
      for (const [place, socket] of sockets.entries()) {
        if (socket === null || place === worker || peers.has(place)) continue;
        const pool = new Pool('http://worker', { ...POOL, socketPath: socket });
        peers.set(place, { socket, pool, running: 0, fullUntil: Number.NEGATIVE_INFINITY });
      }
    },

    async close(): Promise<void> {
      const closing = [...peers.values()].map(({ pool }) => pool.close());
      peers.clear();
      await Promise.all(closing);
    },
  };

  async function send(peer: Peer, arrival: Arrival): Promise<Forwarded> {
    const { message, response } = arrival;
    const body = await receive(message);
    if (body === 'cut' || response.closed) return { kind: 'gone' };
    const here = (): Forwarded => ({ kind: 'here', early: body.early });
    const answer = new ForwardedResponse(FULL);
    const onClose = () => answer.abort();
    response.once('close', onClose);
    peer.running += 1;
    try {
      dispatch(peer.pool, arrival, { body, answer });
      const received = await answer.received;
      if (received.kind !== 'full') {
        if (received.kind !== 'gone') options.onForwarded('answered');
        return received;
      }
      peer.fullUntil = clock.now() + FULL_MS;
      options.onForwarded(body.isTaken() ? 'failed' : 'full');
      return body.isTaken() ? { kind: 'failed', error: workerFull() } : here();
    } catch (error) {
      const isRepeatable = !answer.wasSent || REPEATABLE.has(message.method ?? '');
      const isHere = isRepeatable && !body.isTaken();
      options.onForwarded(isHere ? 'unavailable' : 'failed');
      return isHere ? here() : { kind: 'failed', error: workerEnded(error) };
    } finally {
      peer.running -= 1;
      response.off('close', onClose);
    }
  }
}

function dispatch(
  pool: Pool,
  { message, address }: Arrival,
  { body, answer }: { readonly body: Received; readonly answer: ForwardedResponse },
): void {
  const { method = 'GET', url: path = '/' } = message;
  const headers = toHeaders(message, address);
  try {
    pool.dispatch(
      { method: method as Dispatcher.HttpMethod, path, headers, body: body.content },
      answer,
    );
  } catch (error) {
    // A request that this client does not send, such as `OPTIONS *`.
    answer.onResponseError(undefined, error as Error);
  }
}

/** The place of a customer's worker: the same in every worker and after every restart. */
export function placeOf(customer: Buffer, workers: number): number {
  return hashOf(customer) % workers;
}

function hashOf(customer: Buffer): number {
  return hash('sha1', customer, 'buffer').readUInt32BE();
}

const SLOTS = 4_096;
/** Slots by the upper bits: the lower ones choose the worker. */
const SLOT_SHIFT = 32 - Math.log2(SLOTS);

/**
 * Reads a short body, so that the request can be handled here if the other worker cannot. A long one is streamed, from
 * the moment that the other worker takes it.
 */
async function receive(message: IncomingMessage): Promise<Received | 'cut'> {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return NO_BODY;
  if (encoding !== undefined || Number(length) > SHORT_BYTES) return toStream(message);
  const early = new ByteBuffer();
  const isWhole = await new Promise<boolean>((resolve) => {
    message.on('data', (chunk: Buffer) => early.add(chunk));
    message.once('end', () => resolve(true));
    message.once('close', () => resolve(message.readableEnded));
  });
  if (!isWhole) return 'cut';
  return { content: early.bytes, early, isTaken: () => false };
}

function toStream(message: IncomingMessage): Received {
  let isTaken = false;
  async function* read() {
    isTaken = true;
    // What is left of a body that the other worker refuses is dropped when the response is sent.
    yield* message.iterator({ destroyOnReturn: false });
  }
  return {
    content: Readable.from(read(), { objectMode: false }),
    early: undefined,
    isTaken: () => isTaken,
  };
}

function toHeaders({ rawHeaders }: IncomingMessage, address: string | undefined): string[] {
  const headers = [CLIENT_ADDRESS, address ?? ''];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.has(lower) && lower !== CLIENT_ADDRESS)
      headers.push(name, rawHeaders[at + 1] ?? '');
  }
  return headers;
}

function workerEnded(cause: unknown): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'The process that handled this request has ended. A change may have been made: read it before you repeat it.',
    { retryAfterMs: RETRY_AFTER_MS, cause },
  );
}

function workerFull(): CrossbookError {
  const detail = 'The server is busy: try again.';
  return new CrossbookError('SERVICE_UNAVAILABLE', detail, { retryAfterMs: RETRY_AFTER_MS });
}

function ignore(): void {}

/** The client's subnet, between workers only. */
export const CLIENT_ADDRESS = 'crossbook-client-address';
/** Of a response: the worker has not looked at the request, because it has no room. */
export const FULL = 'crossbook-worker-full';

/** Answered by every worker itself. */
const PROBES = /^\/(?:livez|readyz|metrics)?(?:\?|$)/;
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** As much as Node reads of a body that nobody wants yet. */
const SHORT_BYTES = 16 * 1024;
/** How long a worker that has no room is left out. */
const FULL_MS = 50;
const RETRY_AFTER_MS = 1_000;
/** A response takes as long as its worker needs. Idle connections are closed on this side only. */
const POOL = { connections: null, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 60_000 };

interface Received {
  readonly content: Buffer | Readable | null;
  /** The body that was read, for a request that is handled here after all. */
  readonly early: ByteBuffer | undefined;
  /** Whether a part of a streamed body is gone. */
  isTaken(): boolean;
}

const NO_BODY: Received = { content: null, early: undefined, isTaken: () => false };

interface Peer {
  readonly socket: string;
  readonly pool: Pool;
  running: number;
  fullUntil: number;
}

interface Arrival {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: string | undefined;
}

interface ForwardingOptions {
  /** The place of this worker. */
  readonly worker: number;
  readonly workers: number;
  readonly clock: Pick<Clock, 'now'>;
  /** The maximum of running requests that are forwarded to one worker. */
  readonly maxRunning: number;
  /** The path prefix of REST's customers. */
  readonly customersPrefix: string | undefined;
  /** From how many running requests of a customer on they are forwarded: two, by default. */
  readonly shareFrom?: number;
  /** Counts what became of a request: `answered`, or handled here because the worker was `full` or `unavailable`. */
  onForwarded(outcome: 'answered' | 'full' | 'unavailable' | 'failed'): void;
}
