import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createDice } from '../../support/dice.ts';
import { readMetrics } from '../../support/read-metrics.ts';
import { openPrepared } from '../target/prepare.ts';
import { send } from '../target/send.ts';
import { atMost, type Measure, none } from './measure.ts';

const MOST = 20;
const CLIENTS = 400;

/**
 * Requests by every method and framing, some rejected early or reset midway: the count of requests in flight stays
 * within its limit and returns to zero.
 */
export const atWork: Measure = async ({ seed, scale }) => {
  const prepared = await openPrepared({ CROSSBOOK_MAX_REQUESTS: String(MOST) });
  const { target } = prepared;
  const port = Number(new URL(target.url).port);
  const dice = createDice(seed);
  await target.crms.hubspot.fail({ kind: 'slow', delayMs: 100 }, { times: 100_000 });
  const endAt = performance.now() + 20_000 * scale;
  let [highest, sent] = [0, 0];

  const client = async () => {
    while (performance.now() < endAt) {
      sent += 1;
      await talk(
        port,
        dice.pick(FRAMINGS)(dice.chance(80) ? target.callers.key : {}),
        dice.next(400),
      );
    }
  };
  const watch = async () => {
    while (performance.now() < endAt) {
      highest = Math.max(highest, await readRunning(target.url));
      await wait(20);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: CLIENTS }, client)]);
  // All clients have disconnected: only requests that wait for the CRM are still in flight.
  await wait(1_500);
  const left = await readRunning(target.url);
  const isAlive = target.isAlive();
  await target.close();
  return [
    atMost(`${sent} requests of ${CLIENTS} clients: at work at once`, highest, MOST, 'requests'),
    atMost('at work once all have gone', left, 0, 'requests'),
    none('the process has ended', isAlive ? [] : [target.product.complaints()]),
  ];
};

/** Sends it, and resets the connection after a while, whatever was received by then. */
async function talk(
  port: number,
  [first, second]: readonly [string, string],
  staysMs: number,
): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  socket.on('error', () => undefined).resume();
  socket.write(first);
  await Promise.race([ended, wait(staysMs / 2)]);
  if (!socket.destroyed) socket.write(second);
  await Promise.race([ended, wait(staysMs / 2)]);
  socket.resetAndDestroy();
}

async function readRunning(url: string): Promise<number> {
  const numbers = readMetrics((await send(url, { method: 'GET', path: '/metrics' })).text);
  return Object.values(numbers('crossbook_requests_running')).reduce(
    (sum, count) => sum + count,
    0,
  );
}

const QUERY = '{"query":"{searchContacts(filter:{email:\\"ada@example.com\\"}){nodes{id}}}"}';
const LOOKUP =
  '/graphql?query=%7BsearchContacts(filter%3A%7Bemail%3A%22ada%40example.com%22%7D)%7Bnodes%7Bid%7D%7D%7D';
const REST = '{"filter":{"email":"ada@example.com"}}';

/** A request in two parts. */
const FRAMINGS: readonly ((headers: Headers) => readonly [string, string])[] = [
  (headers) => [toHead('POST /graphql', headers, `content-length: ${QUERY.length}`) + QUERY, ''],
  (headers) => [
    toHead('POST /graphql', headers, `content-length: ${QUERY.length}`) + QUERY.slice(0, -1),
    '}',
  ],
  (headers) => [toHead('POST /graphql', headers, 'transfer-encoding: chunked'), toChunk(QUERY)],
  (headers) => [
    toHead('POST /contacts/_search', headers, `content-length: ${REST.length}`) + REST,
    '',
  ],
  (headers) => [toHead('POST /contacts/_search', headers, `content-length: ${REST.length}`), REST],
  (headers) => [toHead(`GET ${LOOKUP}`, headers), ''],
  (headers) => [toHead(`GET ${LOOKUP}`, headers, 'content-length: 1'), 'x'],
  (headers) => [toHead(`GET ${LOOKUP}`, headers, 'transfer-encoding: chunked'), '0\r\n\r\n'],
  (headers) => [toHead('GET /customers/demo', headers, 'content-length: 5'), 'xxxxx'],
  (headers) => [toHead('PUT /customers', headers, `content-length: ${REST.length}`) + REST, ''],
  (headers) => [toHead('DELETE /customers/demo', headers, 'content-length: 3'), 'xxx'],
  (headers) => [toHead('POST /graphql', headers, 'content-length: 99999999'), QUERY],
  (headers) => [toHead('POST /nowhere', headers, 'content-length: 9'), 'x'],
  (headers) => [toHead(`GET ${LOOKUP}`, headers).repeat(5), ''],
];

function toHead(line: string, headers: Headers, ...more: readonly string[]): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const all = [
    `${line} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    ...lines,
    ...more,
  ];
  return `${all.join('\r\n')}\r\n\r\n`;
}

function toChunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}

type Headers = Readonly<Record<string, string>>;
