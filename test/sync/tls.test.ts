import { createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createDestinations } from '../../src/sync/destinations.ts';
import { SELF_SIGNED } from '../fixtures/self-signed.ts';
import { toCertificate, toPemText, toRsaKey } from '../support/certificates.ts';
import {
  type LoopbackServer,
  listenOnLoopback,
  toCertificates,
  toHello,
} from '../support/tls-server.ts';

const opened: LoopbackServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

const HOST = 'acme.my.salesforce.com';
const LIGHT = toCertificate(toRsaKey(3));
const HEAVY = toCertificate(toRsaKey(384));

/** A server of PostgreSQL up to TLS. */
async function openServer(secure: (socket: Socket) => void): Promise<LoopbackServer> {
  const server = await listenOnLoopback(
    createServer((socket) =>
      socket.once('data', () => {
        socket.write('S');
        secure(socket);
      }),
    ),
  );
  opened.push(server);
  return server;
}

/** Sends this when it has the client's first TLS message. */
function replying(...pieces: readonly Buffer[]) {
  return (socket: Socket) =>
    void socket.once('data', () => {
      for (const piece of pieces) socket.write(piece);
    });
}

/** Speaks TLS, and sends this for the first message and for each later one. */
function speaking(first: string, later = first) {
  return (socket: Socket) => {
    const secure = new TLSSocket(socket, {
      isServer: true,
      secureContext: createSecureContext(SELF_SIGNED),
    });
    secure.on('error', () => undefined);
    secure.once('data', () => {
      secure.write(first, 'latin1');
      secure.on('data', () => secure.write(later, 'latin1'));
    });
  };
}

function check({ port }: LoopbackServer, caCertificate = SELF_SIGNED.cert): Promise<unknown> {
  const destinations = createDestinations({
    clock: systemClock,
    hosts: { allowed: [{ host: HOST, port }], plain: [] },
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const secret = { host: HOST, port, database: 'x', user: 'me', password: 'pass' };
  return destinations
    .check({ ...secret, caCertificate, schema: 'crm' })
    .catch((error: unknown) => error);
}

const READY = 'R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I';

test('a server with an ordinary certificate gets statements', async () => {
  const server = await openServer(speaking(READY, `${toRefusal('42501')}Z\0\0\0\x05I`));
  expect(await check(server)).toMatchObject({ message: expect.stringContaining('may not write') });
});

/** A response to a statement. */
function toRefusal(code: string): string {
  const fields = `SERROR\0C${code}\0\0`;
  return `E\0\0\0${String.fromCharCode(4 + fields.length)}${fields}`;
}

describe('the destination is refused', () => {
  test.each([
    ['a long chain', Array(75).fill(HEAVY), 'sent a message of more than 16 KiB'],
    ['many certificates', Array(11).fill(LIGHT), 'has more than 10 TLS certificates'],
    ['a key that takes long', [LIGHT, HEAVY], 'has a TLS certificate whose key is not supported'],
  ])('if its server has %s', async (_, certificates, problem) => {
    const server = await openServer(replying(toHello(), toCertificates(...certificates)));
    expect(await check(server)).toMatchObject({
      name: 'SyncFailure',
      code: 'DESTINATION_REFUSED',
      message: expect.stringContaining(`The server at ${HOST}:${server.port} ${problem}`),
    });
  });

  test('if its certificate is not trusted', async () => {
    const server = await openServer(speaking(READY));
    expect(await check(server, toPemText(LIGHT))).toMatchObject({
      code: 'DESTINATION_REFUSED',
      message: expect.stringContaining('(DEPTH_ZERO_SELF_SIGNED_CERT)'),
    });
  });

  test.each([
    ['has a key that takes long', [LIGHT, HEAVY], 'has a TLS certificate whose key is not'],
    ['has many certificates', Array(11).fill(LIGHT), 'has more than 10 TLS certificates'],
    ['has no certificate', [], 'has no certificate in PEM'],
  ])('before it is connected to if caCertificate %s', async (_, certificates, problem) => {
    let connections = 0;
    const server = await openServer(() => {
      connections += 1;
    });
    expect(await check(server, toPemText(...certificates))).toMatchObject({
      code: 'DESTINATION_REFUSED',
      message: expect.stringContaining(`caCertificate ${problem}`),
    });
    expect(connections).toBe(0);
  });
});
