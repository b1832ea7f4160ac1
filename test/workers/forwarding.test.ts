import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createNodeHandler } from '../../src/http/node-handler.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ArrivingRequest } from '../../src/lib/http-message.ts';
import { createForwarding, placeOf } from '../../src/workers/forwarding.ts';
import { listenPrivately } from '../../src/workers/private-listener.ts';
import { type Listener, listen } from '../support/listen.ts';
import { openRawClient } from '../support/raw-client.ts';
import { UNBOUNDED } from '../support/unbounded-unread.ts';

/** Customers of the worker that receives requests (0), and of the other one (1). */
const [OWN, OTHER] = [0, 1].map((place) => {
  let number = 0;
  while (placeOf(Buffer.from(`c${number}`), 2) !== place) number += 1;
  return `c${number}`;
}) as [string, string];
const BOUNDS = {
  maxConnections: 1_000,
  maxConnectionsPerAddress: 1_000,
  headersTimeoutMs: 600_000,
  requestTimeoutMs: 600_000,
  keepAliveMs: 600_000,
};

let folder: string;
let socket: string;
let front: Listener;
let back: Awaited<ReturnType<typeof listenPrivately>> | undefined;
let forwarding: ReturnType<typeof createForwarding>;
let outcomes: string[];
let seen: Seen[];
let hasRoom: boolean;
/** What the other worker does; by default it answers with the length of the body. */
let answerThere: ((request: ArrivingRequest) => Promise<object>) | undefined;
/** What this worker waits for before it answers. */
let answerHere: () => Promise<void> | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crossbook-'));
  socket = join(folder, '1.sock');
  [outcomes, seen, hasRoom, answerThere, answerHere] = [[], [], true, undefined, () => undefined];
  forwarding = open({ shareFrom: 1 });
  front = await listen({
    host: '127.0.0.1',
    port: 0,
    bounds: BOUNDS,
    unread: UNBOUNDED,
    onRefused: () => {},
    forward: (...arrival) => forwarding.forward(...arrival),
    answer: (request, address) => answer('here', request, address),
  });
  back = await openBack();
  forwarding.setPeers([null, socket]);
});
afterEach(async () => {
  forwarding.setPeers([]);
  await front.close(0);
  await back?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('A request', () => {
  test('goes to the worker of the customer that it names, and stays without one', async () => {
    for (const customer of [OWN, OTHER, undefined])
      expect((await send({ customer })).status).toBe(200);
    expect(seen.map(({ where }) => where)).toEqual(['here', 'there', 'here']);
    expect(outcomes).toEqual(['answered']);
  });

  test('that is alone stays, and one of a customer of whom another one is running goes', async () => {
    forwarding = open({});
    forwarding.setPeers([null, socket]);
    let finish = () => {};
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    answerHere = () => isFinished;
    const first = send({ customer: OTHER });
    await expect.poll(() => seen.length).toBe(1);
    expect((await send({ customer: OTHER })).status).toBe(200);
    finish();
    await first;
    await send({ customer: OTHER });
    expect(seen.map(({ where }) => where)).toEqual(['here', 'there', 'here']);
  });

  test('keeps method, path, query, headers and body, and its client’s address', async () => {
    const headers = {
      'x-customer-id': OTHER,
      accept: 'text/plain, */*',
      traceparent: 'x',
      'x-name': 'M\u00fc',
      'keep-alive': 'timeout=5',
      te: 'trailers',
    };
    const { body, headers: received } = await send({
      path: '/contacts/_search?page_size=2&a=%20',
      headers,
      content: '{"a":1}',
    });
    expect(body).toBe('7 bytes');
    expect(received).toMatchObject({ 'x-made': 'there', 'content-length': '7' });
    const [{ request, address, content }] = seen as [Seen];
    expect([request.method, request.url.pathname, request.url.search]).toEqual([
      'POST',
      '/contacts/_search',
      '?page_size=2&a=%20',
    ]);
    expect(content).toBe('{"a":1}');
    expect(address).toBe('127.0.0.1');
    const sent = Object.fromEntries(request.headers);
    expect(sent).toMatchObject({
      accept: 'text/plain, */*',
      traceparent: 'x',
      'x-name': 'M\u00fc',
      host: `127.0.0.1:${new URL(front.url).port}`,
    });
    for (const name of ['te', 'transfer-encoding', 'crossbook-client-address'])
      expect(sent).not.toHaveProperty(name);
  });

  test('cannot say for which client it is sent', async () => {
    const headers = { 'x-customer-id': OTHER, 'crossbook-client-address': '192.0.2.1' };
    await send({ headers });
    await send({ headers: { ...headers, 'x-customer-id': OWN } });
    expect(seen.map(({ address }) => address)).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  test.each([
    ['with a length', false],
    ['in chunks', true],
  ])('streams a long body %s, and a long response', async (_how, isChunked) => {
    answerThere = async (request) => {
      await request.receiveBody(10_000_000, async () => {});
      return {
        status: 200,
        headers: { 'content-length': '5000000' },
        body: Buffer.alloc(5_000_000, request.readBody()),
      };
    };
    const content = 'y'.repeat(3_000_000);
    const { status, body } = await send({ customer: OTHER, content, isChunked });
    expect([status, body.length, body.slice(0, 3)]).toEqual([200, 5_000_000, 'yyy']);
    expect(outcomes).toEqual(['answered']);
  });

  test('whose body the other worker refuses gets that response, and its connection is used again', async () => {
    answerThere = async (request) => {
      await request.receiveBody(1_000, async () => {}).catch(() => undefined);
      return { status: 413, headers: { 'content-length': '4' }, body: 'long' };
    };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const options = { customer: OTHER, agent };
    expect((await send({ ...options, content: 'y'.repeat(30_000) })).status).toBe(413);
    answerThere = undefined;
    expect((await send({ ...options, content: 'z' })).body).toBe('1 bytes');
    agent.destroy();
  });

  test('of a client that disconnects ends in the other worker, too', async () => {
    let isClosed = false;
    answerThere = (request) => {
      request.onClose(() => {
        isClosed = true;
      });
      return new Promise(() => {});
    };
    const client = openRawClient(front.url);
    client.send(`GET /a HTTP/1.1\r\nhost: localhost\r\nx-customer-id: ${OTHER}\r\n\r\n`);
    await expect.poll(() => seen.length).toBe(1);
    client.close();
    await expect.poll(() => isClosed).toBe(true);
  });
});

describe('A request is handled where it has arrived', () => {
  test('if the other worker has no room, with its body; that worker is left out for a moment', async () => {
    hasRoom = false;
    expect((await send({ customer: OTHER, content: '{"a":1}' })).body).toBe('7 bytes');
    expect((await send({ customer: OTHER, content: '{}' })).body).toBe('2 bytes');
    expect(seen.map(({ where }) => where)).toEqual(['here', 'here']);
    expect(outcomes[0]).toBe('full');
  });

  test('if the other worker is not there, with a short and with a long body', async () => {
    await back?.close();
    back = undefined;
    for (const content of ['{"a":1}', 'y'.repeat(100_000)])
      expect((await send({ customer: OTHER, content })).body).toBe(`${content.length} bytes`);
    expect(seen.map(({ where }) => where)).toEqual(['here', 'here']);
    expect(outcomes).toEqual(['unavailable', 'unavailable']);
  });

  test('if the other worker dies before it has responded to a GET; anything else gets 503, because it may have been carried out', async () => {
    answerThere = () => new Promise(() => {});
    const [read, write] = [
      send({ customer: OTHER, method: 'GET' }),
      send({ customer: OTHER, path: '/customers', content: '{}' }),
    ];
    await expect.poll(() => seen.length).toBe(2);
    for (const { cut } of seen) cut();
    expect((await read).status).toBe(200);
    const { status, body } = await write;
    expect(status).toBe(503);
    expect(JSON.parse(body).errors[0]).toMatchObject({
      status: '503',
      detail: expect.stringContaining('may have been made'),
    });
    expect(seen.map(({ where }) => where)).toEqual(['there', 'there', 'here']);
  });

  test('if it is a probe, or if the other worker is no longer in the list', async () => {
    await send({ customer: OTHER, method: 'GET', path: '/readyz' });
    forwarding.setPeers([null, null]);
    await send({ customer: OTHER });
    expect(seen.map(({ where }) => where)).toEqual(['here', 'here']);
  });
});

test('a worker that leaves the list finishes the requests that were forwarded to it', async () => {
  let finish = () => {};
  answerThere = () =>
    new Promise((resolve) => {
      finish = () => resolve({ status: 200, headers: { 'content-length': '4' }, body: 'late' });
    });
  const sent = send({ customer: OTHER });
  await expect.poll(() => seen.length).toBe(1);
  forwarding.setPeers([null, null]);
  const closed = back?.close();
  back = undefined;
  finish();
  expect((await sent).body).toBe('late');
  await closed;
});

test('a long response that breaks off ends the connection of its client', async () => {
  answerThere = async () => ({
    status: 200,
    headers: { 'content-length': '50000000' },
    body: Buffer.alloc(50_000_000),
  });
  const client = connect(Number(new URL(front.url).port), '127.0.0.1').pause();
  client.on('error', () => undefined);
  const closed = once(client, 'close');
  client.write(`GET /a HTTP/1.1\r\nhost: localhost\r\nx-customer-id: ${OTHER}\r\n\r\n`);
  await once(client, 'readable');
  seen[0]?.cut();
  let bytes = 0;
  client.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await closed;
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(50_000_000);
});

test('only the user of the processes may connect to the private socket', () => {
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

function open(options: { readonly shareFrom?: number }) {
  return createForwarding({
    worker: 0,
    workers: 2,
    clock: systemClock,
    maxRunning: 100,
    customersPrefix: undefined,
    onForwarded: (outcome) => void outcomes.push(outcome),
    ...options,
  });
}

function openBack() {
  const handler = createNodeHandler({
    unread: UNBOUNDED,
    onRefused: () => {},
    answer: (request, address) => answer('there', request, address),
  });
  return listenPrivately({
    socket,
    hasRoom: () => hasRoom,
    handler: {
      handle(message, response, received) {
        current = () => message.socket.destroy();
        handler.handle(message, response, received);
      },
    },
  });
}

let current = () => {};

async function answer(
  where: Seen['where'],
  arriving: ArrivingRequest,
  address: string | undefined,
) {
  const entry: Seen = { where, request: arriving, address, content: '', cut: current };
  seen.push(entry);
  if (where === 'there' && answerThere) return (await answerThere(arriving)) as never;
  if (where === 'here') await answerHere();
  if (arriving.hasBody) await arriving.receiveBody(10_000_000, async () => {});
  entry.content = arriving.readBody().toString();
  const body = `${arriving.readBody().length} bytes`;
  const headers = { 'x-made': where, 'content-length': String(body.length) };
  return { status: 200, headers, body };
}

function send(options: {
  readonly customer?: string | undefined;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly content?: string;
  readonly isChunked?: boolean;
  readonly agent?: Agent;
}): Promise<{ status: number; headers: object; body: string }> {
  const { customer, method = 'POST', path = '/graphql', content, isChunked, agent } = options;
  return new Promise((resolve, reject) => {
    const headers = {
      ...(customer !== undefined && { 'x-customer-id': customer }),
      ...(content !== undefined && !isChunked && { 'content-length': String(content.length) }),
      ...options.headers,
    };
    const outgoing = request(
      `${front.url.replace('localhost', '127.0.0.1')}${path}`,
      { method, headers, agent: agent ?? false },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    outgoing.once('error', reject);
    outgoing.end(content && Buffer.from(content));
  });
}

interface Seen {
  readonly where: 'here' | 'there';
  readonly request: ArrivingRequest;
  readonly address: string | undefined;
  content: string;
  /** Cuts the connection between the workers, as the death of one does. */
  readonly cut: () => void;
}
