import { type AddressInfo, connect, createServer } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { HostLookup } from '../../src/lib/addresses.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { isTransientFailure } from '../../src/outbound/failures.ts';
import { createGuardedConnector } from '../../src/outbound/http/addresses.ts';
import { createTransport } from '../../src/outbound/http/transport.ts';
import { SELF_SIGNED, SELF_SIGNED_RSA } from '../fixtures/self-signed.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});

describe("a customer's host", () => {
  test.each([
    ['10.0.0.1', 4],
    ['127.0.0.1', 4],
    ['169.254.169.254', 4],
    ['192.168.0.10', 4],
    ['100.100.100.200', 4],
    ['0.0.0.0', 4],
    ['::1', 6],
    ['::ffff:169.254.169.254', 6],
    ['fd00:ec2::254', 6],
    ['64:ff9b::a00:1', 6],
  ])('is not connected to when it resolves to %s', async (address, family) => {
    const error = await fail('https://acme.my.salesforce.com', async () => [{ address, family }]);
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
      message: 'acme.my.salesforce.com resolves to a private address.',
    });
    expect(isTransientFailure(error)).toBe(false);
  });

  test('gives a retryable error when it does not resolve', async () => {
    const error = await fail('https://acme.my.salesforce.com', async () => {
      throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
    });
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
      message: 'The host name acme.my.salesforce.com cannot be resolved.',
    });
    expect(isTransientFailure(error)).toBe(true);
  });

  test('is resolved once, so that the checked address is the connected one', async () => {
    let lookups = 0;
    await fail('https://acme.my.salesforce.com', async () => {
      lookups++;
      return [{ address: lookups === 1 ? '10.0.0.1' : '127.0.0.1', family: 4 }];
    });
    expect(lookups).toBe(1);
  });

  test.each([
    'https://127.0.0.1',
    'https://[::1]',
    'https://169.254.169.254',
    'http://acme.my.salesforce.com',
    'https://8.8.8.8',
  ])('is rejected when it is %s: a literal address or plain HTTP', async (origin) => {
    const error = await fail(origin, async () => [{ address: '1.1.1.1', family: 4 }]);
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
      message: expect.stringMatching(/^Calls to the host .* are not allowed/),
    });
  });

  test('on this machine is rejected although the sandbox runs on another port of it', async () => {
    let connections = 0;
    const server = createServer(() => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as { port: number };
    const error = await fail(`http://127.0.0.1:${port}`, async () => [], ['http://127.0.0.1:1']);
    expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_UNAVAILABLE' });
    expect(connections).toBe(0);
  });

  test.each([[undefined], ['0']])(
    'must have a valid certificate, also when NODE_TLS_REJECT_UNAUTHORIZED is %s',
    async (variable) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', variable);
      const server = createTlsServer(SELF_SIGNED);
      // The client hangs up on it.
      server.on('tlsClientError', () => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(() => new Promise((resolve) => server.close(() => resolve())));
      expect(await secure(server.address() as AddressInfo)).toMatchObject({
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      });
    },
  );

  test.each<[string, TlsOptions]>([
    ['TLS 1.2', { ciphers: 'kDHE', dhparam: 'auto', maxVersion: 'TLSv1.2' }],
    ['TLS 1.3', { ecdhCurve: 'ffdhe8192', minVersion: 'TLSv1.3' }],
  ])(
    'must not choose Diffie-Hellman over finite fields in %s, which takes long',
    async (_, options) => {
      const server = createTlsServer({ ...SELF_SIGNED_RSA, ...options });
      server.on('tlsClientError', () => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(() => new Promise((resolve) => server.close(() => resolve())));
      expect(await secure(server.address() as AddressInfo)).toMatchObject({
        code: 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      });
    },
  );
});

/** Over an existing socket, because no DNS look-up may resolve to this machine. Null: the connection was accepted. */
function secure({ port }: AddressInfo): Promise<Error | null> {
  const httpSocket = connect(port, '127.0.0.1');
  const target = {
    hostname: 'acme.my.salesforce.com',
    protocol: 'https:',
    port: '443',
    httpSocket,
  };
  return new Promise((resolve) => {
    createGuardedConnector({ timeoutMs: 60_000 })(target, (...[error]) => {
      httpSocket.destroy();
      resolve(error);
    });
  });
}

async function fail(
  origin: string,
  lookup: HostLookup,
  sandboxOrigins: readonly string[] = [],
): Promise<unknown> {
  const transport = createTransport({
    clock: systemClock,
    connectTimeoutMs: 60_000,
    bodyTimeoutMs: 60_000,
    maxAnswerBytes: 1_024,
    sandboxOrigins,
    lookup,
  });
  closing.push(transport.close);
  const request = { method: 'GET', path: '/', budget: 'general', retry: 'safe' } as const;
  const target = { provider: 'salesforce', connectionId: undefined } as const;
  return transport
    .send({ target, origin, request, headers: {}, deadline: Date.now() + 600_000 })
    .catch((error) => error);
}
