import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildServer } from '@crossbook/child-postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startEmbeddedServer } from '../../src/storage/embedded-server.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import type { Tuning } from '../../src/storage/engine/tuning.ts';
import { openRival } from '../support/postgres-rival.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const PORT = { name: 'test_port', text: 'select inet_server_port() as port' };
const WRITE = { name: 'test_write', text: 'insert into written values (1)' };

describe('A database URL with several hosts', () => {
  let root: string;
  let one: ChildServer;
  /** A copy of the first server that has been promoted, so that its timeline is a later one. */
  let promoted: ChildServer;
  beforeAll(async () => {
    root = makeTemporaryFolder();
    const [data, copy] = [mkdtempSync(join(root, 'one-')), join(root, 'other')];
    execFileSync('chmod', ['711', data]);
    const start = (folder: string, settings = {}) =>
      startEmbeddedServer({
        directory: join(folder, 'data'),
        tcp: true,
        settings: { wal_level: 'replica', fsync: 'off', ...settings },
      });
    const first = await start(data);
    await run(first, 'create table written (number int)');
    await first.close();
    execFileSync('cp', ['-a', data, copy]);
    // An empty file of the server's user.
    execFileSync('sh', ['-c', 'cp -a data/PG_VERSION data/recovery.signal'], { cwd: copy });
    one = await start(data);
    promoted = await start(copy, { restore_command: 'false' });
  });
  afterAll(async () => {
    await Promise.all([one?.close(), promoted?.close()]);
    rmSync(root, { recursive: true, force: true });
  });

  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    for (const server of [one, promoted]) await setReadOnly(server, 'off');
  });

  async function open(ports: readonly number[], tuning: Tuning = {}) {
    const url = new URL(one.url);
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const text = url.href.replace(url.host, hosts);
    const outages: string[] = [];
    const onOutage = ({ code, reason }: { code: string; reason: string }) =>
      void outages.push(`${code} ${reason}`);
    const engine = await openEngine(
      { url: `${text}?target_session_attrs=read-write` },
      { ...tuning, onOutage },
    );
    closing.push(engine.close);
    const read = async () => (await engine.query<{ port: number }>(PORT, []))[0]?.port;
    return { engine, read, outages, password: url.password };
  }

  test('uses the one that accepts writes, wherever it is in the list, and one that is down does not matter', async () => {
    await setReadOnly(promoted, 'on');
    const down = await openTcpProxy({ host: '127.0.0.1', port: portOf(one) });
    await down.cut();
    const { engine, read } = await open([down.port, portOf(promoted), portOf(one)]);
    expect(await read()).toBe(portOf(one));
    expect(await engine.query(WRITE, [])).toEqual([]);
    expect(await engine.ping()).toEqual({ isReadOnly: false });
    // The connections outside of the pool find it too.
    expect(await engine.session((query) => query(PORT.text))).toEqual([{ port: portOf(one) }]);
  });

  test('leaves a primary that has become read-only for the new one', async () => {
    await setReadOnly(promoted, 'on');
    const { engine, read } = await open([portOf(one), portOf(promoted)]);
    expect(await read()).toBe(portOf(one));
    await setReadOnly(one, 'on');
    await setReadOnly(promoted, 'off');
    await expect.poll(read).toBe(portOf(promoted));
    expect(await engine.query(WRITE, [])).toEqual([]);
    await expect.poll(() => sessionsOf(one)).toBe(0);
  });

  test('leaves a primary that says nothing, with the statements that wait for it', async () => {
    await setReadOnly(promoted, 'on');
    const proxy = await openTcpProxy({ host: '127.0.0.1', port: portOf(one) });
    closing.push(proxy.cut);
    const { read } = await open([proxy.port, portOf(promoted)], { deadlineMs: 600_000 });
    expect(await read()).toBe(portOf(one));
    proxy.freeze();
    const waiting = read();
    await setReadOnly(promoted, 'off');
    // A read is repeated when its connection is closed.
    expect(await waiting).toBe(portOf(promoted));
  });

  test('prefers the one that was promoted last while two accept writes, and leaves the other', async () => {
    await setReadOnly(promoted, 'on');
    const { read } = await open([portOf(one), portOf(promoted)]);
    expect(await read()).toBe(portOf(one));
    // The old primary has not noticed its successor.
    await setReadOnly(promoted, 'off');
    await expect.poll(read).toBe(portOf(promoted));
    await setReadOnly(promoted, 'on');
    // Nor is it used again: it lacks what was written to its successor.
    await expect.poll(() => read().catch(({ code }) => code)).toBe('SERVICE_UNAVAILABLE');
  });

  test('says of each server why it is not used, without the password', async () => {
    for (const server of [one, promoted]) await setReadOnly(server, 'on');
    const down = await openTcpProxy({ host: '127.0.0.1', port: portOf(one) });
    await down.cut();
    const { read, outages, password } = await open([portOf(one), down.port]);
    await expect(read()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(outages).toEqual([
      `ECONNREFUSED no server accepts writes (127.0.0.1:${portOf(one)}: is read-only; ` +
        `127.0.0.1:${down.port}: connect ECONNREFUSED 127.0.0.1:${down.port})`,
    ]);
    expect(password).not.toBe('');
    expect(outages.join()).not.toContain(password);
  });
});

function portOf({ url }: ChildServer): number {
  return Number(new URL(url).port);
}

async function run({ url }: ChildServer, ...statements: readonly string[]) {
  const client = await openRival(url);
  try {
    const all = [];
    for (const statement of statements) all.push(...(await client.run(statement)));
    return all;
  } finally {
    await client.close();
  }
}

async function setReadOnly(server: ChildServer, value: 'on' | 'off'): Promise<void> {
  await run(
    server,
    'set default_transaction_read_only = off',
    `alter system set default_transaction_read_only = ${value}`,
    'select pg_reload_conf()',
  );
  // Other sessions reload it when they are idle.
  await expect
    .poll(async () => (await run(server, 'show default_transaction_read_only'))[0])
    .toEqual({ default_transaction_read_only: value });
}

async function sessionsOf(server: ChildServer) {
  const text = `select count(*)::int as count from pg_stat_activity where application_name = 'crossbook'`;
  return (await run(server, text))[0]?.['count'];
}
