import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { readMetrics } from '../../support/read-metrics.ts';
import { startBystander } from '../target/bystander.ts';
import { openPrepared, type Prepared } from '../target/prepare.ts';
import { ELSEWHERE, send, toGraphQL } from '../target/send.ts';
import { atMost, MEGABYTE, type Measure, none, type Row } from './measure.ts';

/** Four ways to make the process retain memory: it stays below its limit, and serves another application. */
export const held: Measure = async ({ scale }) => {
  const rows: Row[] = [];
  for (const [name, attack] of Object.entries(ATTACKS)) {
    // With the default limit, which the product derives from its heap size.
    const prepared = await openPrepared();
    rows.push(...(await measure(prepared, name, (count) => Math.ceil(count * scale), attack)));
    await prepared.target.close();
  }
  return rows;
};

async function measure(
  prepared: Prepared,
  name: string,
  scaled: Scaled,
  attack: Attack,
): Promise<Row[]> {
  const { target } = prepared;
  await warmUp(prepared);
  const { rss: before } = await target.monitor.collect();
  const bound = await readBound(target.url);
  const bystander = startBystander(target);
  let highest = 0;
  const watch = setInterval(() => {
    void target.monitor.read().then(
      ({ rss }) => {
        highest = Math.max(highest, rss);
      },
      () => undefined,
    );
  }, 50);
  await attack(prepared, scaled);
  clearInterval(watch);
  const { failures, tookMs } = await bystander.stop();
  const longest = Math.max(...tookMs);
  return [
    none('the process has ended', target.isAlive() ? [] : [target.product.complaints()]),
    atMost(
      `${name}: resident memory grew`,
      (highest - before) / MEGABYTE,
      bound / MEGABYTE + 100,
      'MB',
    ),
    none(
      `${name}: requests of another that failed (the longest took ${Math.round(longest)} ms)`,
      failures,
    ),
  ];
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  async 'bodies of 1 MiB held back by a byte, with a key'({ target }, scaled) {
    const head = toHead(target.callers.key, MEGABYTE);
    await holdOpen(
      target.url,
      scaled(700),
      Buffer.concat([Buffer.from(head), Buffer.alloc(MEGABYTE - 1, ' ')]),
    );
  },
  async 'bodies of 1 MiB held back by a byte, by strangers'({ target }, scaled) {
    await holdOpen(
      target.url,
      scaled(700),
      Buffer.concat([Buffer.from(toHead({}, MEGABYTE)), Buffer.alloc(MEGABYTE - 1, ' ')]),
    );
  },
  async 'readers that do not read'({ target }, scaled) {
    await holdOpen(target.url, scaled(200), toRequest(target.callers.key, HEAVY));
  },
  async 'strangers that do not read introspection'({ target }, scaled) {
    await holdOpen(target.url, scaled(200), toRequest({}, INTROSPECTION));
  },
  async 'twenty requests at once on each of ten connections that do not read'({ target }, scaled) {
    const requests = Array.from({ length: 20 }, () => toRequest(target.callers.key, HEAVY));
    await holdOpen(target.url, scaled(10), Buffer.concat(requests));
  },
  async 'twenty answers of 31 MB from a CRM'({ target }, scaled) {
    await target.crms.hubspot.fail({ kind: 'oversized', megabytes: 31 }, { times: 1_000 });
    const query =
      '{searchContacts(filter:{emailDomain:"example.com"},first:1000){totalCount nodes{rawData}}}';
    const request = { ...toGraphQL({ query }, target.callers.key), from: ELSEWHERE };
    await Promise.allSettled(Array.from({ length: scaled(20) }, () => send(target.url, request)));
  },
};

/** Sends without reading, stays connected for a while, and disconnects. */
async function holdOpen(url: string, count: number, bytes: Buffer): Promise<void> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = connect({
      port: Number(new URL(url).port),
      host: '127.0.0.1',
      localAddress: ELSEWHERE,
    });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(bytes);
    sockets.push(socket);
    if (n % 20 === 0) await wait(20);
  }
  await wait(HOLD_MS);
  for (const socket of sockets) socket.destroy();
  await wait(500);
}

/** Afterwards, one-time compilation and pools are done. */
async function warmUp({ target }: Prepared): Promise<void> {
  for (let n = 0; n < 20; n++)
    await send(target.url, toGraphQL({ query: HEAVY }, target.callers.key));
}

async function readBound(url: string): Promise<number> {
  const numbers = readMetrics((await send(url, { method: 'GET', path: '/metrics' })).text);
  return Object.values(numbers('crossbook_unread_bytes_max'))[0] ?? 0;
}

function toRequest(headers: Readonly<Record<string, string>>, query: string): Buffer {
  const body = JSON.stringify({ query });
  return Buffer.from(`${toHead(headers, Buffer.byteLength(body))}${body}`);
}

function toHead(headers: Readonly<Record<string, string>>, length: number): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${lines.join('')}content-length: ${length}\r\n\r\n`;
}

const HEAVY =
  '{searchContacts(filter:{emailDomain:"example.com"},first:1000){nodes{id remoteId firstName lastName rawData}}}';
const INTROSPECTION =
  '{__schema{types{name description fields{name description args{name description}}}}}';
const HOLD_MS = 5_000;

type Attack = (prepared: Prepared, scaled: Scaled) => Promise<void>;
type Scaled = (count: number) => number;
