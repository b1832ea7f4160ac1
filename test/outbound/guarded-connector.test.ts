import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { HostLookup } from '../../src/outbound/http/guarded-connector.ts';
import { createTransport } from '../../src/outbound/http/transport.ts';
import { isPassing } from '../../src/outbound/http/transport-failure.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
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
  ])('that resolves to %s is not connected to', async (address, family) => {
    const error = await fail('https://acme.my.salesforce.com', async () => [{ address, family }]);
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
      message: 'acme.my.salesforce.com resolves to a private address.',
    });
    expect(isPassing(error)).toBe(false);
  });

  test('that does not resolve says so, and may be tried again', async () => {
    const error = await fail('https://acme.my.salesforce.com', async () => {
      throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
    });
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
      message: 'The name acme.my.salesforce.com cannot be resolved.',
    });
    expect(isPassing(error)).toBe(true);
  });

  test('is looked up once: what is checked is what is connected to', async () => {
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
  ])('is never %s: a literal address or plain HTTP', async (origin) => {
    const error = await fail(origin, async () => [{ address: '1.1.1.1', family: 4 }]);
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
      message: expect.stringContaining('not a host that is called'),
    });
  });

  test('on this machine is no exception because another port of it is the sandbox', async () => {
    let connections = 0;
    const server = createServer(() => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as { port: number };
    const error = await fail(`http://127.0.0.1:${port}`, async () => [], ['http://127.0.0.1:1']);
    expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_UNAVAILABLE' });
    expect(connections).toBe(0);
  });
});

async function fail(
  origin: string,
  lookup: HostLookup,
  sandboxOrigins: readonly string[] = [],
): Promise<unknown> {
  const transport = createTransport({
    clock: systemClock,
    connectTimeoutMs: 60_000,
    headersTimeoutMs: 60_000,
    bodyTimeoutMs: 60_000,
    maxAnswerBytes: 1_024,
    sandboxOrigins,
    lookup,
  });
  closing.push(transport.close);
  const request = { method: 'GET', path: '/', budget: 'general' } as const;
  return transport
    .send({ origin, request, headers: {}, deadline: Date.now() + 600_000 })
    .catch((error) => error);
}
