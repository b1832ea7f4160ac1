import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Listener, listen } from '../support/listen.ts';
import { openHandler } from '../support/open-handler.ts';
import { UNBOUNDED } from '../support/unbounded-unread.ts';

const MAX = 20;
const CLIENTS = 400;
const BOUNDS = {
  maxConnections: 1_000,
  maxConnectionsPerAddress: 1_000,
  keepAliveMs: 60_000,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
};

/** All forms of requests with and without a body. The second part is sent after all clients have begun. */
const FRAMINGS = [
  { headers: '', now: '', later: '' },
  { headers: 'content-length: 0\r\n', now: '', later: '' },
  { headers: 'content-length: 1\r\n', now: 'x', later: '' },
  { headers: 'content-length: 4\r\n', now: 'ab', later: 'cd' },
  { headers: 'content-length: 4000\r\n', now: 'answered before its end', later: '' },
  { headers: 'transfer-encoding: chunked\r\n', now: '0\r\n\r\n', later: '' },
  { headers: 'transfer-encoding: chunked\r\n', now: '2\r\nab\r\n', later: '0\r\n\r\n' },
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'QUERY'];
const KEYS = [
  'x-api-key: mine\r\n',
  'x-api-key: theirs\r\n',
  '',
  'x-api-key: wrong\r\n',
  'x-api-key: mine\r\n',
];

let listener: Listener;
afterEach(() => listener.close(0));

test('the number of running requests never exceeds the limit, whatever four hundred clients send or abort', async () => {
  const { port, work, queue, records } = await open();
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    const { headers, now, later } = pick(FRAMINGS, index);
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    const head = `${pick(METHODS, index)} /graphql HTTP/1.1\r\nhost: crossbook\r\nx-index: ${index}\r\n`;
    socket.write(`${head}${pick(KEYS, index)}${headers}\r\n${now}`);
    return { index, socket, later };
  });
  // Three owners share the places, and leave some to others.
  await expect.poll(() => work.running.size).toBeGreaterThan(MAX / 2);
  for (const { socket, later } of clients) socket.write(later);
  // All have arrived: they are running, queued or completed.
  await expect.poll(() => records.length + work.running.size + queue.counts().queued).toBe(CLIENTS);
  expect(work.most).toBeLessThanOrEqual(MAX);
  // Half of the clients disconnect, whatever the state of their requests.
  for (const { socket, index } of clients) if (index % 2 === 0) socket.resetAndDestroy();
  await expect.poll(() => [...work.running].filter((index) => index % 2 === 0)).toEqual([]);
  expect(queue.counts().running).toBe(work.running.size);
  work.end();
  await expect.poll(() => queue.counts()).toMatchObject({ running: 0, queued: 0 });
  expect(work.most).toBeLessThanOrEqual(MAX);
  expect(work.started).toBeGreaterThan(MAX);
  for (const { socket } of clients) socket.destroy();
});

/** The API's handler runs until the test ends it or its client disconnects; it counts the running requests. */
async function open() {
  const work = { running: new Set<number>(), most: 0, started: 0, end: () => {} };
  const ended = new Promise<void>((resolve) => {
    work.end = resolve;
  });
  const { handle, queue, records } = openHandler({
    max: MAX,
    maxBytes: 1e9,
    async answer({ headers }, { signal }) {
      const index = Number(headers.get('x-index'));
      work.started += 1;
      work.running.add(index);
      work.most = Math.max(work.most, work.running.size);
      const aborted = new Promise((resolve) => signal?.add(() => resolve(undefined)));
      await Promise.race([ended, aborted]);
      work.running.delete(index);
      return { status: 200, headers: {}, body: null };
    },
  });
  listener = await listen({
    answer: handle,
    unread: UNBOUNDED,
    onRefused: () => {},
    host: '127.0.0.1',
    port: 0,
    bounds: BOUNDS,
  });
  return { port: Number(new URL(listener.url).port), work, queue, records };
}

function pick<Value>(from: readonly Value[], index: number): Value {
  const value = from[index % from.length];
  if (value === undefined) throw new Error('There is nothing to pick from.');
  return value;
}
