import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { SINGLE_VALUED } from '../../src/http/incoming-request.ts';
import type { HttpHeaders } from '../../src/lib/http-message.ts';
import { type Listener, listen } from '../support/listen.ts';
import { openRawClient } from '../support/raw-client.ts';
import { readErrors } from '../support/refusals.ts';
import { UNBOUNDED } from '../support/unbounded-unread.ts';

const listeners: Listener[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close(0);
});

describe('a request with 2,005 short headers in front', () => {
  const MANY = 'a:\r\n'.repeat(2_005);

  test('has the address that the trusted proxy has appended, not the one that the client sent', async () => {
    const { url, arrived } = await open({ proxies: 1 });
    const forged = 'x-forwarded-for: 198.51.100.1\r\n';
    const appended = 'x-forwarded-for: 203.0.113.7\r\n';
    await send(url, `host: crossbook\r\n${forged}${MANY}${appended}`);
    expect(arrived.map(({ address }) => address)).toEqual(['203.0.113.7']);
  });

  test('is refused because of a second Host behind them', async () => {
    const { url, arrived } = await open();
    expect(await send(url, `host: crossbook\r\n${MANY}host: other\r\n`)).toContain(' 400 ');
    expect(arrived).toEqual([]);
  });

  test('arrives with the header behind them', async () => {
    const { url, arrived } = await open();
    await send(url, `host: crossbook\r\n${MANY}x-customer-id: demo\r\n`);
    expect(arrived.map(({ headers }) => headers.get('x-customer-id'))).toEqual(['demo']);
  });
});

describe('a header with one value that is given twice is refused', () => {
  const pairs = [
    ['another value', 'demo', 'c1'],
    ['the same value', 'demo', 'demo'],
    ['an empty value', 'demo', ''],
    ['a value after an empty one', '', 'demo'],
  ] as const;
  const cases = [...SINGLE_VALUED].flatMap((name) => pairs.map((pair) => [name, ...pair] as const));

  test.each(cases)('%s with %s', async (name, _title, first, second) => {
    const { url, arrived } = await open();
    const host = name === 'host' ? '' : 'host: crossbook\r\n';
    const repeated = `${name}: ${first}\r\n${name.toUpperCase()}: ${second}\r\n`;
    const [error] = readErrors(await send(url, `${host}${repeated}`));
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      detail: `The header ${name} is given more than once: send it once.`,
    });
    expect(arrived).toEqual([]);
  });
});

test('every header that the code reads is either a list or refused where it is given twice', () => {
  const read = listSources('src').flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return [...text.matchAll(/headers\.get\(\s*'([\w-]+)'/g)].map(([, name = '']) => name);
  });
  expect(read.length).toBeGreaterThan(20);
  expect(read.filter((name) => !SINGLE_VALUED.has(name) && !REPEATABLE.has(name))).toEqual([]);
});

/** Lists by their definition, and identifiers that are ignored unless they are given once. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'content-encoding',
  'cookie',
  'forwarded',
  'if-none-match',
  'traceparent',
  'x-forwarded-for',
  'x-request-id',
]);

/** The sources of the server. */
function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return listSources(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

async function send(url: string, headers: string): Promise<string> {
  const client = openRawClient(url);
  client.send(`GET /customers HTTP/1.1\r\n${headers}connection: close\r\n\r\n`);
  return client.ended;
}

/** The real listener, which records what arrives. */
async function open({ proxies = 0 } = {}) {
  const arrived: { readonly address: string | undefined; readonly headers: HttpHeaders }[] = [];
  const listener = await listen({
    answer: async ({ headers }, address) => {
      arrived.push({ address, headers });
      return { status: 204, headers: {}, body: null };
    },
    onRefused: () => {},
    unread: UNBOUNDED,
    host: '127.0.0.1',
    port: 0,
    proxies,
    bounds: {
      maxConnections: 100,
      maxConnectionsPerAddress: 100,
      keepAliveMs: 600_000,
      headersTimeoutMs: 600_000,
      requestTimeoutMs: 600_000,
    },
  });
  listeners.push(listener);
  return { url: listener.url, arrived };
}
