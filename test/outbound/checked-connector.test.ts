import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { Agent, request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { HandshakeRefused } from '../../src/lib/tls-handshake.ts';
import { createGuardedConnector } from '../../src/outbound/http/addresses.ts';
import { createCheckedConnector } from '../../src/outbound/http/checked-connector.ts';
import { inShortPieces } from '../../src/outbound/http/short-pieces.ts';
import { createWebhookPost } from '../../src/outbound/webhooks/post.ts';
import { SELF_SIGNED } from '../fixtures/self-signed.ts';
import { toCertificate, toRsaKey } from '../support/certificates.ts';
import { listenOnLoopback, openReplying, toCertificates, toHello } from '../support/tls-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const HOST = 'acme.my.salesforce.com';
/** OpenSSL takes a quarter of a second or more for them. */
const HEAVY = Array.from({ length: 100 }, () => toCertificate(toRsaKey(384)));

/** Requests to a server of Node, which this client trusts, and the number of its connections. */
async function open(answer: RequestListener) {
  let connections = 0;
  const server = createServer(SELF_SIGNED, answer).on('connection', () => {
    connections += 1;
  });
  const { port, close } = await listenOnLoopback(server);
  const connect = createCheckedConnector({
    timeoutMs: 60_000,
    ca: SELF_SIGNED.cert,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const settings = { connections: 1, keepAliveTimeout: 60_000 };
  const dispatcher = new Agent({ ...settings, connect: inShortPieces(connect) });
  closing.push(close, () => dispatcher.destroy());
  return {
    countConnections: () => connections,
    async send(body: string): Promise<string> {
      const call = { method: 'POST', body, dispatcher } as const;
      return (await request(`https://${HOST}:${port}/`, call)).body.text();
    },
  };
}

test('an ordinary server gets requests over a connection that is kept', async () => {
  const long = 'x'.repeat(1_000_000);
  const { send, countConnections } = await open((received, response) =>
    received.resume().on('end', () => response.end(long)),
  );
  for (const body of ['', long, '']) expect(await send(body)).toBe(long);
  expect(countConnections()).toBe(1);
});

test('a response is complete although the server closes the connection after it', async () => {
  const { send, countConnections } = await open((_, response) =>
    response.writeHead(200, { connection: 'close' }).end('x'.repeat(1_000_000)),
  );
  for (const _ of [1, 2]) expect(await send('')).toHaveLength(1_000_000);
  expect(countConnections()).toBe(2);
});

test('a server whose certificates take long is disconnected', async () => {
  const server = await openReplying(toHello(), toCertificates(...HEAVY));
  closing.push(server.close);
  const httpSocket = connectTcp(server.port, '127.0.0.1');
  const target = { hostname: HOST, protocol: 'https:', port: '443', httpSocket };
  const refused = await new Promise<Error | null>((resolve) =>
    createGuardedConnector({ timeoutMs: 60_000, checksHandshakes: true })(target, (...[error]) =>
      resolve(error),
    ),
  );
  expect(refused).toBeInstanceOf(HandshakeRefused);
  expect(httpSocket.destroyed).toBe(true);
  expect(refused?.message).toBe(
    'The server sent a message of more than 16 KiB during the TLS handshake.',
  );
});

test('a webhook that fails for it says so', async () => {
  const post = createWebhookPost({
    clock: systemClock,
    mayLoopback: false,
    // The last step that a test on loopback gets to.
    lookup: () => Promise.reject(new HandshakeRefused('has more than 10 TLS certificates')),
  });
  closing.push(post.close);
  expect(await post.send({ url: `https://${HOST}/`, headers: {}, body: '{}' })).toEqual({
    kind: 'failed',
    reason: 'the host has more than 10 TLS certificates',
  });
});
