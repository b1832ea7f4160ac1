import { createServer, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createDestinations } from '../../src/sync/destinations.ts';
import { LOOPBACK_DESTINATIONS } from '../support/sync-hosts.ts';

const opened: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of opened.splice(0)) server.close();
});

/** A server with one response to the start, and one to each statement. It never closes a connection. */
async function openServer(script: Script): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', (start: Buffer) => {
      script.onFirst?.(start);
      socket.write(script.first);
      socket.on('data', (chunk: Buffer) => {
        script.onLater?.(chunk);
        socket.write(script.later ?? '');
      });
    });
  });
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

async function check(script: Script): Promise<unknown> {
  const port = await openServer(script);
  const destinations = createDestinations({ clock: systemClock, hosts: LOOPBACK_DESTINATIONS });
  const secret = { host: '127.0.0.1', port, database: 'x', user: 'me', password: 'pass' };
  return destinations
    .check({ ...secret, caCertificate: null, schema: 'crm' })
    .catch((error: unknown) => error);
}

function message(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const header = Buffer.alloc(5);
  header.write(type, 'latin1');
  header.writeUInt32BE(4 + content.length, 1);
  return Buffer.concat([header, content]);
}

const int16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const READY = Buffer.concat([message('R', int32(0)), message('Z', 'I')]);
const toError = (code: string) => message('E', 'SERROR\0', `C${code}\0`, 'Mvalue of a row\0', '\0');
const afterReady = (reply: Buffer): Script => ({ first: READY, later: reply });

test.each<[string, Script, string]>([
  [
    'asks for a way to authenticate that the driver does not know',
    { first: message('R', int32(7)) },
    'sent a response that cannot be read',
  ],
  [
    'sends a value of megabytes',
    afterReady(message('D', int16(1), int32(2e6), Buffer.alloc(2e6, 65))),
    'sent a response of more than 1 MiB',
  ],
])('a server that %s is disconnected', async (_name, script, words) => {
  expect(await check(script)).toMatchObject({
    name: 'SyncFailure',
    code: 'DESTINATION_UNREACHABLE',
    message: expect.stringContaining(`${words}, and was disconnected.`),
  });
});

test.each(['__proto__', 'constructor', '', `40${'x'.repeat(50_000)}`, 'a password', 'XX000'])(
  'an error with the code %j has words of ours',
  async (code) => {
    const { message: words } = (await check({ first: toError(code) })) as Error;
    expect(words).toMatch(/^The database refused a statement on a table \(SQLSTATE \w+\)\.$/);
    expect(words).not.toContain('password');
  },
);

test.each(['c', 'n', 'M', 'D'])('no field of an error shows the password: %s', async (field) => {
  const told = message('E', 'SERROR\0', 'C23505\0', `${field}the pass\0`, '\0');
  const error = await check(afterReady(Buffer.concat([told, message('Z', 'I')])));
  expect(error).toMatchObject({
    message: 'A row violates a constraint of a table: drop the constraint.',
  });
  expect(inspect(error, { depth: 9 })).not.toContain('the pass');
});

test.each([
  [
    'a statement',
    afterReady(Buffer.concat([toError('42501'), message('Z', 'I')])),
    'may not write',
  ],
  ['the start', { first: toError('28P01') }, 'refused the user or the password'],
])(
  'after an error of %s a connection ends although the server keeps it',
  async (_, script, words) => {
    expect(await check(script)).toMatchObject({ message: expect.stringContaining(words) });
  },
);

test('a statement without a response is waited for once: nothing is sent after it', async () => {
  const statements: string[] = [];
  const onLater = (chunk: Buffer) => statements.push(chunk.toString('latin1'));
  const port = await openServer({ first: READY, onLater });
  const destinations = createDestinations({ clock: systemClock, hosts: LOOPBACK_DESTINATIONS });
  const secret = { host: '127.0.0.1', port, database: 'x', user: 'me', password: 'pass' };
  const stored = { ...secret, caCertificate: null, applicationId: 'a', version: 1 };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const deleted = destinations
      .open({ ...stored, schema: 'crm' })
      .deleteRows({ schema: 'crm', table: 'contacts' }, { applicationId: 'a', customerId: 'c' })
      .catch((error: unknown) => error);
    await expect.poll(() => statements).not.toEqual([]);
    vi.advanceTimersByTime(35_000);
    expect(await deleted).toMatchObject({
      code: 'DESTINATION_SLOW',
      message: expect.stringContaining('did not respond to a statement in time'),
    });
  } finally {
    vi.useRealTimers();
    await destinations.close();
  }
  expect(statements.join('')).not.toContain('rollback');
});

test('a server that accepts a connection and is not ready in time is slow, not unreachable', async () => {
  const starts: Buffer[] = [];
  const port = await openServer({ first: '', onFirst: (chunk) => starts.push(chunk) });
  const destinations = createDestinations({ clock: systemClock, hosts: LOOPBACK_DESTINATIONS });
  const secret = { host: '127.0.0.1', port, database: 'x', user: 'me', password: 'pass' };
  const destination = { ...secret, caCertificate: null, applicationId: 'a', version: 1 };
  const table = { schema: 'crm', table: 'contacts' };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const errors = [
      destinations.check({ ...destination, schema: 'crm' }),
      destinations
        .open({ ...destination, schema: 'crm' })
        .deleteRows(table, { applicationId: 'a', customerId: 'c' }),
    ].map((work) => work.catch((error: unknown) => error));
    await expect.poll(() => starts.length).toBe(2);
    vi.advanceTimersByTime(10_500);
    for (const error of errors) {
      expect(await error).toMatchObject({
        code: 'DESTINATION_SLOW',
        message: expect.stringContaining(
          `127.0.0.1:${port} accepts connections, but was not ready`,
        ),
      });
    }
  } finally {
    vi.useRealTimers();
    await destinations.close();
  }
});

interface Script {
  readonly onFirst?: (chunk: Buffer) => unknown;
  readonly onLater?: (chunk: Buffer) => unknown;
  readonly first: Buffer | string;
  readonly later?: Buffer;
}
