import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createDestinations } from '../../src/sync/destinations.ts';
import { SELF_SIGNED, SELF_SIGNED_RSA } from '../fixtures/self-signed.ts';

const opened: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of opened.splice(0)) server.close();
});

const HOST = 'acme.my.salesforce.com';
const READY = 'R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I';

/** A server of PostgreSQL that accepts TLS and every user, and refuses every statement. */
async function openServer(): Promise<{ readonly port: number; countConnections(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      socket.write('S');
      const secureContext = createSecureContext(SELF_SIGNED);
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      secure.on('error', () => undefined);
      secure.once('data', () => {
        secure.write(READY, 'latin1');
        secure.on('data', () => secure.write(`${toRefusal('42501')}Z\0\0\0\x05I`, 'latin1'));
      });
    });
  });
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, countConnections: () => connections };
}

/** A response to a statement. */
function toRefusal(code: string): string {
  const fields = `SERROR\0C${code}\0\0`;
  return `E\0\0\0${String.fromCharCode(4 + fields.length)}${fields}`;
}

function check(port: number, caCertificate: string): Promise<unknown> {
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

test('a server gets statements if its certificate is for its name, of a trusted authority', async () => {
  const { port } = await openServer();
  expect(await check(port, SELF_SIGNED.cert)).toMatchObject({
    message: expect.stringContaining('may not write'),
  });
});

test('a destination is refused if the certificate of its server is not trusted', async () => {
  const { port } = await openServer();
  expect(await check(port, SELF_SIGNED_RSA.cert)).toMatchObject({
    code: 'DESTINATION_REFUSED',
    message: expect.stringContaining('(DEPTH_ZERO_SELF_SIGNED_CERT)'),
  });
});

test.each(['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'nothing'])(
  'a destination is refused before it is connected to if its caCertificate is %j',
  async (caCertificate) => {
    const { port, countConnections } = await openServer();
    expect(await check(port, caCertificate)).toMatchObject({
      code: 'DESTINATION_REFUSED',
      message: 'caCertificate has no valid certificate in PEM.',
    });
    expect(countConnections()).toBe(0);
  },
);
