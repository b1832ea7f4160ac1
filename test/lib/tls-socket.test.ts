import { once } from 'node:events';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import {
  connect,
  createServer as createTlsServer,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { OUTBOUND_TLS } from '../../src/lib/tls.ts';
import { HandshakeRefused } from '../../src/lib/tls-handshake.ts';
import { CheckedSocket } from '../../src/lib/tls-socket.ts';
import { Turns } from '../../src/lib/turns.ts';
import { SELF_SIGNED } from '../fixtures/self-signed.ts';
import { toCertificate, toPemText, toRsaKey } from '../support/certificates.ts';
import {
  type LoopbackServer,
  listenOnLoopback,
  openReplying,
  toCertificates,
  toHello,
} from '../support/tls-server.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

const HEAVY = toCertificate(toRsaKey(384));
const LIGHT = toCertificate(toRsaKey(3));

function keep(server: Promise<LoopbackServer>): Promise<LoopbackServer> {
  void server.then((listening) => opened.push(listening));
  return server;
}

/** A server of Node that sends back what it receives. */
function openEcho(options: TlsOptions = {}): Promise<LoopbackServer> {
  const onConnection = (socket: TLSSocket) =>
    socket.on('data', (chunk) => socket.write(chunk)).on('error', () => undefined);
  return keep(listenOnLoopback(createTlsServer({ ...SELF_SIGNED, ...options }, onConnection)));
}

/** Passes on what a server sends one byte at a time. */
function openSlicing(port: number): Promise<LoopbackServer> {
  return keep(
    listenOnLoopback(
      createServer((client) => {
        client.setNoDelay();
        const upstream = connectTcp(port, '127.0.0.1').on('error', () => undefined);
        client.pipe(upstream);
        client.on('close', () => upstream.destroy());
        upstream.on('data', async (chunk: Buffer) => {
          upstream.pause();
          for (const byte of chunk) {
            client.write(Buffer.from([byte]));
            await new Promise(setImmediate);
          }
          upstream.resume();
        });
      }),
    ),
  );
}

function open(port: number, { session, turns = new Turns(systemClock) }: OpenOptions = {}) {
  const tcp = connectTcp(port, '127.0.0.1').setNoDelay();
  const checked = new CheckedSocket(tcp, turns);
  let passed = 0;
  const secure = connect({
    ...OUTBOUND_TLS,
    socket: checked,
    ca: SELF_SIGNED.cert,
    servername: 'acme.my.salesforce.com',
    session,
  });
  checked.check(secure);
  checked.on('data', (chunk: Buffer) => {
    passed += chunk.length;
  });
  const failed = once(secure, 'error').then(([error]) => error as Error & { code?: string });
  failed.catch(() => undefined);
  const closed = Promise.all(
    [secure, checked, tcp].map((socket) => new Promise((resolve) => socket.on('close', resolve))),
  );
  return { tcp, checked, secure, failed, closed, countPassed: () => passed };
}

async function echo(secure: TLSSocket): Promise<string> {
  await once(secure, 'secureConnect');
  secure.write('hello');
  return String((await once(secure, 'data'))[0]);
}

describe('an ordinary handshake is complete', () => {
  test.each<[string, TlsOptions]>([
    ['TLS 1.3', {}],
    ['TLS 1.3 with AES-128', { ciphers: 'TLS_AES_128_GCM_SHA256' }],
    ['TLS 1.3 with ChaCha20', { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' }],
    ['TLS 1.3 with a second ServerHello', { ecdhCurve: 'P-384' }],
    ['TLS 1.3 and a server that asks for a certificate', { requestCert: true }],
    ['TLS 1.2', { maxVersion: 'TLSv1.2' }],
    [
      'TLS 1.2 and a server that asks for a certificate',
      { requestCert: true, maxVersion: 'TLSv1.2' },
    ],
  ])('in %s, byte for byte, and so is one that resumes it', async (_, options) => {
    const server = await openEcho({ ...options, rejectUnauthorized: false });
    const { port } = await openSlicing(server.port);
    let session: Buffer | undefined;
    for (const isReused of [false, true]) {
      const { secure, closed } = open(port, { session });
      secure.on('session', (latest: Buffer) => {
        session = latest;
      });
      expect(await echo(secure)).toBe('hello');
      expect(secure.isSessionReused()).toBe(isReused);
      secure.destroy();
      await closed;
    }
  });

  test('and more than the limit is received after it', async () => {
    const { port } = await openEcho();
    const { secure, closed } = open(port);
    await once(secure, 'secureConnect');
    const sent = Buffer.alloc(1_000_000, 'x');
    const received: Buffer[] = [];
    secure.on('data', (chunk: Buffer) => received.push(chunk));
    secure.end(sent);
    await closed;
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });
});

describe('OpenSSL does not get', () => {
  test.each([
    ['a key that takes long', [LIGHT, HEAVY], 'key is not supported'],
    ['many certificates', Array(11).fill(LIGHT), 'more than 10 TLS certificates'],
    ['a long message', Array(10).fill(toCertificate(toRsaKey(3), 600)), 'more than 16 KiB'],
  ])('%s in TLS 1.2', async (_, certificates, problem) => {
    const server = await keep(openReplying(toHello(), toCertificates(...certificates)));
    const { failed, closed, countPassed } = open(server.port);
    const error = await failed;
    expect(error).toBeInstanceOf(HandshakeRefused);
    expect(error.message).toContain(problem);
    await closed;
    // Both may arrive at once.
    expect(countPassed()).toBeLessThanOrEqual(toHello().length);
  });

  test.each([
    ['a key that takes long', [SELF_SIGNED.cert, toPemText(HEAVY)], 'key is not supported'],
    ['many certificates', Array(11).fill(SELF_SIGNED.cert), 'more than 10 TLS certificates'],
    ['a long message', Array(50).fill(SELF_SIGNED.cert), 'more than 16 KiB'],
  ])('%s in TLS 1.3, which encrypts it', async (_, certificates, problem) => {
    const { port } = await openEcho({ cert: certificates.join('\n') });
    const { failed, closed, countPassed } = open(port);
    const error = await failed;
    expect(error).toBeInstanceOf(HandshakeRefused);
    expect(error.message).toContain(problem);
    await closed;
    expect(countPassed()).toBeLessThan(300);
  });

  test('more than the header of what is not TLS', async () => {
    const server = await keep(openReplying(Buffer.from(`HTTP/1.1 400 ${'x'.repeat(1_000)}`)));
    const { failed, closed, countPassed } = open(server.port);
    expect(await failed).toMatchObject({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
    await closed;
    expect(countPassed()).toBe(5);
  });

  test.each([
    ['encrypted data before a key', '170303000100'],
    ['a ServerHello that is too short', '1603030008020000040303ffff'],
  ])('%s', async (_, bytes) => {
    const server = await keep(openReplying(Buffer.from(bytes, 'hex')));
    const { failed, countPassed } = open(server.port);
    expect((await failed).message).toBe('The server violated the TLS protocol.');
    expect(countPassed()).toBe(0);
  });

  test('anything before its turn, so that handshakes do not add up', async () => {
    const server = await openEcho();
    const waiting: (() => void)[] = [];
    const turns = { take: () => new Promise<void>((resolve) => waiting.push(resolve)) };
    const all = [1, 2, 3].map(() => open(server.port, { turns }));
    await until(() => waiting.length === all.length);
    expect(all.map(({ countPassed }) => countPassed())).toEqual([0, 0, 0]);
    const echoes = all.map(({ secure }) => echo(secure));
    await until(() => {
      waiting.shift()?.();
      return all.every(({ secure }) => secure.authorized);
    });
    expect(await Promise.all(echoes)).toEqual(['hello', 'hello', 'hello']);
    for (const { secure } of all) secure.destroy();
  });
});

describe('nothing that was received is lost', () => {
  test.each<[string, (socket: Socket) => unknown, string]>([
    ['end', (socket) => socket.end(), 'Client network socket disconnected'],
    ['close', (socket) => socket.resetAndDestroy(), 'read ECONNRESET'],
  ])('when the server disconnects before its turn: %s', async (event, disconnect, words) => {
    const server = await keep(openReplying(toHello()));
    let takeTurn: (() => void) | undefined;
    const turn = new Promise<void>((resolve) => {
      takeTurn = resolve;
    });
    const { tcp, failed, closed, countPassed } = open(server.port, { turns: { take: () => turn } });
    await once(tcp, 'data');
    for (const socket of server.sockets) disconnect(socket);
    await new Promise((resolve) => tcp.on(event, resolve));
    takeTurn?.();
    expect((await failed).message).toContain(words);
    await closed;
    expect(countPassed()).toBe(toHello().length);
  });

  test('when the server ends the connection before the client reads', async () => {
    // More than the TLS socket reads ahead.
    const sent = Buffer.alloc(100 * 1024);
    const server = await keep(
      listenOnLoopback(createTlsServer(SELF_SIGNED, (socket) => socket.end(sent))),
    );
    const { tcp, checked, secure, failed, closed } = open(server.port);
    const errors: Error[] = [];
    void failed.then((error) => errors.push(error));
    await once(secure, 'secureConnect');
    await until(() => tcp.readableEnded);
    expect(checked.readableLength).toBeGreaterThan(0);
    let bytes = 0;
    secure.on('data', ({ length }: Buffer) => {
      bytes += length;
    });
    await closed;
    expect(bytes).toBe(sent.length);
    expect(errors).toEqual([]);
  });

  test('without TLS, when both have ended the connection before the client reads', async () => {
    const server = await keep(openReplying(Buffer.alloc(20_000)));
    const tcp = connectTcp(server.port, '127.0.0.1');
    const checked = new CheckedSocket(tcp, new Turns(systemClock));
    checked.end('x');
    await once(tcp, 'close');
    expect(Buffer.concat(await checked.toArray())).toHaveLength(20_000);
    expect(checked.destroyed).toBe(true);
  });
});

describe('nothing stays open', () => {
  test('when the server disconnects before the handshake is complete', async () => {
    const server = await keep(
      listenOnLoopback(createServer((socket) => socket.once('data', () => socket.end(toHello())))),
    );
    const { failed, closed, countPassed } = open(server.port);
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    await closed;
    // What came before the end was not lost.
    expect(countPassed()).toBe(toHello().length);
  });

  test('when the server resets the connection', async () => {
    const server = await keep(
      listenOnLoopback(
        createServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
      ),
    );
    const { failed, closed } = open(server.port);
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    await closed;
  });

  test('when no one listens', async () => {
    const server = await openReplying();
    await server.close();
    const { failed, closed } = open(server.port);
    expect(await failed).toMatchObject({ code: 'ECONNREFUSED' });
    await closed;
  });

  test.each([
    ['waits for its turn', toHello()],
    ['waits for more of a record', toHello().subarray(0, 20)],
  ])('when the client closes it while it %s', async (_, bytes) => {
    const server = await keep(openReplying(bytes));
    const { tcp, secure, closed } = open(server.port, {
      turns: { take: () => new Promise(() => undefined) },
    });
    await once(tcp, 'data');
    secure.destroy();
    await closed;
    await until(() => server.sockets.size === 0);
  });
});

test('a client that does not read makes the server wait', async () => {
  const chunk = Buffer.alloc(1024 * 1024);
  const server = await keep(
    listenOnLoopback(
      createTlsServer(SELF_SIGNED, (socket) => {
        for (let count = 0; count < 32; count += 1) socket.write(chunk);
        socket.end();
      }),
    ),
  );
  const { tcp, checked, secure, closed } = open(server.port);
  await once(secure, 'secureConnect');
  await until(() => tcp.isPaused());
  expect(tcp.bytesRead).toBeLessThan(chunk.length);
  expect(checked.readableLength).toBeLessThan(chunk.length);
  let bytes = 0;
  secure.on('data', ({ length }: Buffer) => {
    bytes += length;
  });
  await closed;
  expect(bytes).toBe(32 * chunk.length);
});

test('each iteration of the event loop processes at most one long chunk of a connection', async () => {
  const sent = Buffer.alloc(4 * 1024 * 1024);
  const server = await keep(
    listenOnLoopback(createTlsServer(SELF_SIGNED, (socket) => socket.end(sent))),
  );
  const { checked, secure, closed } = open(server.port);
  let iteration = 0;
  let ticking = setImmediate(function tick() {
    iteration += 1;
    ticking = setImmediate(tick);
  });
  const long: number[] = [];
  checked.on('data', (chunk: Buffer) => {
    if (chunk.length === 64 * 1024) long.push(iteration);
  });
  secure.resume();
  await closed;
  clearImmediate(ticking);
  expect(long.length).toBeGreaterThan(10);
  expect(new Set(long).size).toBe(long.length);
});

test('a connection that is not used does not keep the process running', async () => {
  const { port } = await openEcho();
  const { tcp, secure } = open(port);
  const calls = (['ref', 'unref'] as const).map((name) => vi.spyOn(tcp as Socket, name));
  expect(await echo(secure)).toBe('hello');
  expect(secure.unref().ref()).toBe(secure);
  expect(calls.map((call) => call.mock.calls.length)).toEqual([1, 1]);
  secure.destroy();
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

interface OpenOptions {
  readonly session?: Buffer | undefined;
  readonly turns?: Pick<Turns, 'take'>;
}
