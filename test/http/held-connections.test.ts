import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServerLimits } from '../../src/http/listen.ts';
import { UnreadBytes } from '../../src/http/unread-bytes.ts';
import type { HttpRequest } from '../../src/lib/http-message.ts';
import { type Listener, listen } from '../support/listen.ts';
import { openHandler } from '../support/open-handler.ts';

const MB = 1024 * 1024;
/** Larger than the buffers of two sockets. */
const LARGE = 'x'.repeat(16 * MB);
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('clients that do not read', () => {
  test('use at most the memory share of unauthenticated clients, and a caller gets responses', async () => {
    const { port, held, ask } = await open({ maxBytes: 160 * MB });
    for (let n = 0; n < 200; n++) (await dial(port)).pause().write(get('/large'));
    await expect.poll(() => held.counts().refused).toBeGreaterThan(0);
    expect(held.counts().held).toBeLessThanOrEqual(40 * MB);
    expect(await ask('/large', { key: 'mine' })).toHaveLength(LARGE.length);
  });

  test('leave no memory reserved when they disconnect', async () => {
    const { port, held } = await open({ maxBytes: 1_600 * MB });
    const clients = await Promise.all(Array.from({ length: 10 }, () => dial(port)));
    for (const client of clients) client.pause().write(get('/large').repeat(3));
    await expect.poll(() => held.counts().held).toBe(10 * LARGE.length);
    for (const client of clients) client.destroy();
    await expect.poll(() => held.counts().held).toBe(0);
  });
});

test('a small response that its socket takes immediately is not counted, even without free memory', async () => {
  const { ask, refused } = await open({ maxBytes: 0 });
  expect(await ask('/small')).toBe('small');
  expect(refused).toEqual([]);
});

describe('a client whose body is too large', () => {
  test('gets the response, and is disconnected where it goes on sending', async () => {
    const { port } = await open();
    const client = await dial(port);
    const heard = hear(client);
    client.write(`POST / HTTP/1.1\r\nhost: crossbook\r\ncontent-length: ${1024 * MB}\r\n\r\n`);
    const sending = setInterval(() => client.write(Buffer.alloc(64 * 1024)), 10);
    closing.push(() => clearInterval(sending));
    expect(await heard).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('may use the connection again where the rest of it is short', async () => {
    const { port } = await open();
    const client = await dial(port);
    const heard = hear(client, '200 OK');
    client.write(`POST / HTTP/1.1\r\nhost: crossbook\r\ncontent-length: ${MB + 1}\r\n\r\n`);
    client.write(Buffer.alloc(MB + 1));
    client.write(get('/small'));
    expect(await heard).toMatch(/^HTTP\/1\.1 413 [\s\S]*200 OK/);
  });
});

describe('pipelined requests on one connection', () => {
  test('are not executed before the last response was sent', async () => {
    const { port, started, ask } = await open();
    const client = (await dial(port)).pause();
    client.write(get('/large').repeat(20));
    await expect.poll(() => started.length).toBe(1);
    // After a complete request of another client, only the first of the twenty has started.
    await ask('/small', { localAddress: '127.0.0.2' });
    expect(started).toEqual(['/large', '/small']);
  });

  test('are not read while one of them waits', async () => {
    const { port, started, refused, ask } = await open();
    const client = await dial(port);
    client.write(get('/never'));
    await expect.poll(() => started.length).toBe(1);
    client.write(get('/small'));
    await ask('/small');
    // If they were read, they would be more than a connection may have.
    for (let n = 0; n < 5; n += 1) {
      client.write(get('/small').repeat(50));
      await ask('/small');
    }
    expect(refused).toEqual([]);
  });

  test('get their responses in order when the client reads', async () => {
    const { port } = await open();
    const client = await dial(port);
    const paths = Array.from({ length: 20 }, (_, n) => `/echo/${n}`);
    client.write(paths.map(get).join(''));
    const last = 'echo/19';
    expect([...(await hear(client, last)).matchAll(/echo\/\d+/g)].map(String)).toEqual(
      paths.map((path) => path.slice(1)),
    );
    client.write(get('/echo/again'));
    expect(await hear(client, 'echo/again')).toContain('200 OK');
  });

  test('get their responses also when their bodies arrive in chunks', async () => {
    const { port } = await open();
    const client = await dial(port);
    const post = (body: string) =>
      `POST /body HTTP/1.1\r\nhost: crossbook\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const bytes = `${post('first')}${post('second')}${post('x'.repeat(300_000))}${post('last')}`;
    for (let at = 0; at < bytes.length; at += 50_000) {
      client.write(bytes.slice(at, at + 50_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await hear(client, '<4>')).toMatch(/<5>[\s\S]*<6>[\s\S]*<300000>[\s\S]*<4>/);
  });

  test('with chunked bodies, which may be in chunks of one byte, are few for one address', async () => {
    const { port, refused, started } = await open();
    const clients = await Promise.all(Array.from({ length: 10 }, () => dial(port)));
    const chunked = 'POST /body HTTP/1.1\r\nhost: crossbook\r\ntransfer-encoding: chunked\r\n\r\n';
    for (const client of clients) client.write(`${get('/never')}${chunked}1\r\nx\r\n`);
    await expect.poll(() => refused).toHaveLength(7);
    expect(refused[0]).toEqual({ status: undefined, code: 'PIPELINE_FULL' });
    const other = await dial(port, '127.0.0.2');
    other.write(`${get('/never')}${chunked}1\r\nx\r\n`);
    await expect.poll(() => started.filter((path) => path === '/never')).toHaveLength(11);
    expect(refused).toHaveLength(7);
  });

  test('are disconnected if they never end', async () => {
    const { port, started, refused } = await open();
    const client = (await dial(port)).pause();
    client.write(get('/large') + get('/small').repeat(1_000));
    await expect.poll(() => refused).toContainEqual({ status: undefined, code: 'PIPELINE_FULL' });
    await expect.poll(() => started).toEqual(['/large']);
  });
});

describe('connections of one address', () => {
  test('leave connection slots for another address', async () => {
    const { port, ask, refused } = await open({
      bounds: { maxConnections: 20, maxConnectionsPerAddress: 10 },
    });
    const silent = await Promise.all(Array.from({ length: 10 }, () => dial(port)));
    for (let n = 0; n < 10; n++) {
      const client = await dial(port);
      const [head, body = ''] = (await hear(client)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1/);
      expect(JSON.parse(body).errors).toEqual([
        expect.objectContaining({
          code: 'SERVICE_UNAVAILABLE',
          status: '503',
          detail: expect.any(String),
        }),
      ]);
    }
    expect(refused).toHaveLength(10);
    expect(refused[0]).toEqual({
      status: 503,
      code: 'ADDRESS_CONNECTIONS_FULL',
      errorId: expect.any(String),
    });
    expect(await ask('/small', { localAddress: '127.0.0.2' })).toBe('small');
    // A connection slot that was freed can be used again.
    silent[0]?.destroy();
    await expect
      .poll(async () => ask('/small', { localAddress: '127.0.0.1' }).catch(() => 'refused'))
      .toBe('small');
  });

  test('are not counted behind a trusted proxy, which opens them all', async () => {
    const { port } = await open({
      proxies: 1,
      bounds: { maxConnections: 20, maxConnectionsPerAddress: 1 },
    });
    const [, second] = [await dial(port), await dial(port)];
    second.write(get('/small'));
    expect(await hear(second, 'small')).toContain('200 OK');
  });
});

interface Asked {
  readonly localAddress?: string;
  readonly key?: string;
}

interface Options {
  readonly maxBytes?: number;
  readonly proxies?: number;
  readonly bounds?: Partial<ServerLimits>;
}

async function open({ maxBytes = 400 * MB, proxies = 0, bounds = {} }: Options = {}) {
  const held = new UnreadBytes(maxBytes);
  const started: string[] = [];
  const refused: object[] = [];
  const answer = async (request: HttpRequest) => {
    const { pathname, method } = request;
    started.push(pathname);
    if (pathname === '/never') await new Promise(() => {});
    const body = method === 'POST' ? request.readBody() : undefined;
    const text = body ? `<${body.length}>` : pathname === '/large' ? LARGE : pathname.slice(1);
    return { status: 200, headers: { 'content-length': `${text.length}` }, body: text };
  };
  const patch = {
    unread: held,
    bodyBytes: { caller: MB, unauthenticated: MB },
    responseBytes: { caller: LARGE.length, unauthenticated: LARGE.length },
  };
  const { handle } = openHandler({ max: 1_000, answer, patch });
  const listener: Listener = await listen({
    answer: handle,
    unread: held,
    proxies,
    host: '127.0.0.1',
    port: 0,
    onRefused: (refusal) => refused.push(refusal),
    bounds: { ...BOUNDS, ...bounds },
  });
  closing.push(() => listener.close(0));
  const port = Number(new URL(listener.url).port);
  return {
    port,
    held,
    started,
    refused,
    async ask(path: string, { localAddress, key }: Asked = {}) {
      const client = await dial(port, localAddress);
      const head = `GET ${path} HTTP/1.1\r\nhost: crossbook\r\nconnection: close\r\n`;
      client.write(`${head}${key ? `x-api-key: ${key}\r\n` : ''}\r\n`);
      const heard = await hear(client);
      return heard.slice(heard.indexOf('\r\n\r\n') + 4);
    },
  };
}

/** The time limits are longer than the test: they are never reached. */
const BOUNDS = {
  maxConnections: 1_000,
  maxConnectionsPerAddress: 1_000,
  headersTimeoutMs: 600_000,
  requestTimeoutMs: 600_000,
  keepAliveMs: 600_000,
};

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: crossbook\r\n\r\n`;
}

async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Up to these words, or up to the end. */
function hear(client: Socket, until?: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    client.setEncoding('latin1').on('data', (text: string) => {
      heard += text;
      if (until !== undefined && heard.includes(until)) resolve(heard);
    });
    client.once('close', () => resolve(heard));
  });
}
