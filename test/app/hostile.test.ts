import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { MEASURABLE, type Product, readHeldMemory, startProduct } from '../support/product.ts';
import { openRawClient } from '../support/raw-client.ts';
import { createSandboxControl, type SandboxControl } from '../support/sandbox-control.ts';
import { sendWhole } from './send-whole.ts';

const MEGABYTE = 1024 * 1024;
const data = mkdtempSync(join(tmpdir(), 'crossbook-'));
let database: TestDatabase;
let product: Product;
let sandbox: SandboxControl;
let before: { readonly memory: number; readonly descriptors: number };
let bystander: Bystander;

beforeAll(async () => {
  const port = await findFreePorts();
  database = await createTestDatabase();
  product = await startProduct(
    {
      CROSSBOOK_DATA: data,
      DATABASE_URL: database.url,
      CROSSBOOK_SANDBOX: 'on',
      LOG_LEVEL: 'error',
      CROSSBOOK_SANDBOX_PORT: String(port),
      CROSSBOOK_HOSTS: 'crossbook,a',
      CROSSBOOK_HEADERS_TIMEOUT_MS: '1000',
      CROSSBOOK_REQUEST_TIMEOUT_MS: '2000',
      NODE_OPTIONS: '--max-old-space-size=512',
    },
    MEASURABLE,
  );
  sandbox = createSandboxControl(port);
  await sandbox.liftLimits();
  await createSandboxControl(port + 1).liftLimits();
  for (let n = 0; n < 50; n++) await ask(FIND);
  before = { memory: await readHeldMemory(product), descriptors: readDescriptors() };
});
afterAll(async () => {
  expect(await product.stop()).toBe(0);
  await database.drop();
  rmSync(data, { recursive: true, force: true });
});

beforeEach(async () => {
  bystander = await startBystander();
});
afterEach(async () => {
  const { served, failures } = await bystander.stop();
  expect(failures).toEqual([]);
  expect(served).toBeGreaterThan(0);
  // Parsed in memory, the body would exceed the heap limit of 512 MB; and no memory is retained afterwards.
  await expect.poll(() => readHeldMemory(product)).toBeLessThan(before.memory + 32 * MEGABYTE);
  expect(product.complaints()).toBe('');
});

describe('Slow clients (slowloris)', () => {
  test.each([
    ['request headers', 'POST /graphql HTTP/1.1\r\nhost: crossbook\r\nx-slow: '],
    ['a request body', 'HEAD'],
  ])('get 408 when three hundred of them drip %s, and are disconnected', async (_what, start) => {
    const clients = Array.from({ length: 300 }, () => openRawClient(product.url));
    const text =
      start === 'HEAD' ? `${toHead(product)}content-length: 5000\r\n\r\n{"query":"` : start;
    for (const client of clients) client.send(text);
    const drip = setInterval(() => {
      for (const client of clients) client.send('x');
    }, 200);
    const answers = await Promise.all(clients.map(({ ended }) => ended));
    clearInterval(drip);
    // Bytes sent to a closed connection cause a reset, which can discard a response that was not read yet.
    expect(answers.filter((answer) => !/^$|^HTTP\/1.1 408 /.test(answer))).toEqual([]);
    expect(answers.join('')).toContain('408');
  });
});

describe('Requests that are too large', () => {
  test.each([
    ['with Content-Length', false],
    ['with chunked encoding', true],
  ])('a body of 100 MB %s is rejected', async (_title, chunked) => {
    const client = openRawClient(product.url);
    client.send(
      `${toHead(product)}${chunked ? 'transfer-encoding: chunked' : `content-length: ${100 * MEGABYTE}`}\r\n\r\n`,
    );
    const piece = Buffer.alloc(MEGABYTE, ' ');
    for (let n = 0; n < 100; n++) {
      if (chunked) client.send(`${MEGABYTE.toString(16)}\r\n`);
      client.send(piece);
      if (chunked) client.send('\r\n');
    }
    await expect.poll(client.heard).toMatch(/^HTTP\/1.1 (200|413) [\s\S]*PAYLOAD_TOO_LARGE/);
    client.close();
  });

  test.each([
    ['in arrays', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
    ['in objects', `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`],
    [
      'in variables',
      `{"query":"{__typename}","variables":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}`,
    ],
    ['in selection sets', JSON.stringify({ query: '{customer'.repeat(50_000) })],
    ['in argument values', JSON.stringify({ query: `{ node(id: ${'['.repeat(100_000)}` })],
  ])('JSON that is nested deeply %s is rejected by GraphQL and REST', async (_title, body) => {
    for (const path of ['/graphql', '/contacts/_search']) {
      const answer = await ask(body, path);
      expect(answer.status).toBeLessThan(500);
      expect(await answer.text()).toMatch(/"code":"(BAD_REQUEST|PAYLOAD_TOO_LARGE)"|"data":/);
    }
  });

  test('ten thousand aliases are rejected before execution', async () => {
    const aliases = Array.from({ length: 10_000 }, (_, n) => `a${n}:customer{name}`);
    const answer = await ask(JSON.stringify({ query: `{${aliases.join(' ')}}` }));
    expect(await answer.text()).toContain('"code":"BAD_REQUEST"');
  });

  test.each([
    ['ten thousand headers', Array.from({ length: 10_000 }, (_, n) => `x-${n}: 1\r\n`).join('')],
    ['one header of a megabyte', `x-long: ${'x'.repeat(MEGABYTE)}\r\n`],
    ['a URL of a megabyte', undefined],
  ])('%s are rejected', async (_title, headers) => {
    const client = openRawClient(product.url);
    if (headers === undefined)
      client.send(`GET /${'x'.repeat(MEGABYTE)} HTTP/1.1\r\nhost: crossbook\r\n\r\n`);
    else client.send(`GET /livez HTTP/1.1\r\nhost: crossbook\r\n${headers}\r\n`);
    // The connection may be closed before the client has read the response.
    expect(await client.ended).toMatch(/^$|^HTTP\/1.1 431 /);
  });
});

describe('Invalid UTF-8', () => {
  test('is rejected as 400 and never sent to a provider', async () => {
    const body = Buffer.concat([
      Buffer.from('{"filter":{"email":"'),
      Buffer.from([0xff, 0xfe, 0xc0]),
      Buffer.from('@a.b"}}'),
    ]);
    const answer = await ask(body, '/contacts/_search');
    expect(answer.status).toBe(400);
    const inQuery = Buffer.concat([
      Buffer.from('{"query":"{'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('}"}'),
    ]);
    expect(await (await ask(inQuery)).text()).toContain('"code":"BAD_REQUEST"');
  });
});

describe('Ambiguous requests (request smuggling)', () => {
  const INNER = 'GET /livez HTTP/1.1\r\nhost: crossbook\r\nx-request-id: smuggled\r\n\r\n';
  test.each([
    [
      'Content-Length before Transfer-Encoding',
      `content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${INNER}`,
    ],
    [
      'Transfer-Encoding before Content-Length',
      `transfer-encoding: chunked\r\ncontent-length: ${INNER.length}\r\n\r\n0\r\n\r\n${INNER}`,
    ],
    [
      'two Content-Length headers',
      `content-length: 0\r\ncontent-length: ${INNER.length}\r\n\r\n${INNER}`,
    ],
    ['a signed Content-Length', `content-length: +0\r\n\r\n${INNER}`],
    ['a Content-Length that is a list', `content-length: 0, 0\r\n\r\n${INNER}`],
    ['an unknown transfer encoding', `transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${INNER}`],
    [
      'chunked that is not the last encoding',
      `transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${INNER}`,
    ],
    ['a space before the colon', `transfer-encoding : chunked\r\n\r\n0\r\n\r\n${INNER}`],
    ['a folded header', `x-a: b\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n${INNER}`],
    ['bare LF line endings', `x-a: b\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${INNER}`],
    ['an invalid chunk size', `transfer-encoding: chunked\r\n\r\n0x5\r\n${INNER}`],
    [
      'a chunk longer than its size',
      `transfer-encoding: chunked\r\n\r\n1\r\nZZ\r\n0\r\n\r\n${INNER}`,
    ],
    ['a NUL in a header', `x-a: b\u0000c\r\n\r\n${INNER}`],
  ])('with %s: a request hidden in the body gets no response', async (_title, rest) => {
    const client = openRawClient(product.url);
    client.send(`POST /graphql HTTP/1.1\r\nhost: crossbook\r\n${rest}`);
    const received = await client.ended;
    expect(received).toMatch(/HTTP\/1.1 400 /);
    expect(received).not.toContain('smuggled');
  });

  test.each([
    ['a request without Host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    ['a request with two Host headers', 'GET /livez HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', 400],
    [
      'a request whose target and Host header differ',
      'GET http://b/livez HTTP/1.1\r\nhost: a\r\n\r\n',
      400,
    ],
    ['an absolute URL', 'GET http://A:80/livez HTTP/1.1\r\nhost: a\r\n\r\n', 200],
    ['an invalid Host', 'GET /livez HTTP/1.1\r\nhost: a b/\\\r\n\r\n', 400],
    ['a malformed path', 'GET //livez?%zz#\\ HTTP/1.1\r\nhost: a\r\n\r\n', 404],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    [
      'an upgrade request',
      'GET /livez HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
      200,
    ],
  ])('%s gets the defined status, and the server keeps running', async (_title, text, status) => {
    const client = openRawClient(product.url);
    client.send(text);
    await expect.poll(client.heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    client.close();
  });
});

describe('A CRM with an oversized response', () => {
  test.each([
    ['a gigabyte', { kind: 'oversized', megabytes: 1_024 }],
    ['256 MB in a gzip bomb', { kind: 'gzip-bomb', megabytes: 256 }],
  ])('fails only its custom field: %s', async (_title, fault) => {
    await sandbox.fail(fault, { times: 2 });
    const answers = await Promise.all(
      Array.from({ length: 2 }, async () => (await ask(FIND)).text()),
    );
    await sandbox.clearFaults();
    expect(answers.join()).toContain('REMOTE_PROVIDER_BAD_RESPONSE');
  });
});

test('after all attacks no connection or memory is left behind', async () => {
  await expect.poll(readDescriptors).toBeLessThan(before.descriptors + 20);
});

const FIND = JSON.stringify({
  query: '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }',
});
const ELSEWHERE = JSON.stringify({
  query:
    '{ searchContacts(provider: SALESFORCE, filter: { email: "ada@example.com" }) { totalCount } }',
});
const SERVED = '{"data":{"searchContacts":{"totalCount":1}}}';
const DEMO = { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };

/**
 * Another client that must not be affected meanwhile. Each of its requests is a single write on an open connection,
 * so the timeouts for slow clients cannot hit it, however busy the machine is.
 */
async function startBystander(): Promise<Bystander> {
  const tally = { served: 0, failures: [] as string[] };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const search = () =>
    sendWhole(`${product.url}/graphql`, {
      agent,
      headers: { ...product.headers, ...DEMO },
      body: ELSEWHERE,
    });
  expect(await search()).toBe(SERVED);
  let stopped = false;
  const bystander: Bystander = {
    async stop() {
      stopped = true;
      await done;
      agent.destroy();
      return tally;
    },
  };
  const done = (async () => {
    while (!stopped) {
      const answer = await search().catch(String);
      if (answer === SERVED) tally.served += 1;
      else tally.failures.push(answer);
    }
  })();
  return bystander;
}

function ask(body: string | Uint8Array<ArrayBuffer>, path = '/graphql'): Promise<Response> {
  return fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: { ...product.headers, ...DEMO },
    body,
  });
}

function toHead({ headers }: Product): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /graphql HTTP/1.1\r\nhost: crossbook\r\n${lines.join('')}`;
}

function readDescriptors(): number {
  return readdirSync(`/proc/${product.child.pid}/fd`).length;
}

interface Bystander {
  stop(): Promise<{ readonly served: number; readonly failures: readonly string[] }>;
}
