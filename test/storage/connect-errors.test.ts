import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { administer } from '../support/administer.ts';
import { createTestDatabase, TEST_RING } from '../support/databases.ts';
import { openRival } from '../support/postgres-rival.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const SELECT = { name: 'test_select', text: 'select 1' };

describe('A server that does not accept this client', () => {
  test.each([
    ['a wrong password', '28P01', { password: 'wrong' }],
    ['a role that is not there', '28P01', { username: 'nobody' }],
    ['a database that is not there', '3D000', { pathname: '/nowhere' }],
    ['TLS that it does not speak', '', { search: 'sslmode=require' }],
  ] as const)('is unavailable and no bug: %s', async (_, code, changed) => {
    const url = new URL(inject('databaseServer'));
    Object.assign(url, changed);
    const outages: string[] = [];
    const onOutage = (outage: { code: string }) => void outages.push(outage.code);
    const engine = await openEngine({ url: url.href }, { deadlineMs: 0, onOutage });
    closing.push(engine.close);
    const refused = { code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 };
    await expect(engine.query(SELECT, [])).rejects.toMatchObject(refused);
    await expect(engine.ping()).rejects.toMatchObject(refused);
    expect(outages).toEqual([code]);
  });

  test('is unavailable whatever reason it gives, also one that no PostgreSQL has', async () => {
    const fields = ['SFATAL', 'C99999', 'Mnot today'].map((field) => `${field}\0`).join('');
    const reply = Buffer.alloc(5);
    reply.write('E');
    reply.writeInt32BE(4 + fields.length + 1, 1);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(`${reply.toString('latin1')}${fields}\0`, 'latin1'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `postgres://me@127.0.0.1:${port}/mine`;
    const engine = await openEngine({ url }, { deadlineMs: 0 });
    await expect(engine.query(SELECT, [])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { code: '99999' },
    });
    await engine.close();
    server.close();
  });

  test('opens the circuit breaker, so that further statements fail without another login', async () => {
    const { url, drop } = await createTestDatabase();
    closing.push(drop);
    const role = `crossbook_${randomBytes(4).toString('hex')}`;
    await administer(url, `create role ${role} login superuser password 'first'`);
    closing.push(() => administer(inject('databaseServer'), `drop role ${role}`));
    const own = new URL(url);
    own.username = role;
    own.password = 'first';
    const database = await openDatabase({ url: own.href }, { keyRing: TEST_RING });
    closing.push(database.close);
    await administer(url, `alter role ${role} password 'second'`);
    const rival = await openRival(url);
    closing.push(rival.close);
    await rival.run(`select pg_terminate_backend(pid) from pg_stat_activity where usename = $1`, [
      role,
    ]);
    const refused = { code: 'SERVICE_UNAVAILABLE', cause: { code: '28P01' } };
    await expect(database.admin.listApplications()).rejects.toMatchObject(refused);
    // The breaker is open: the rejection is already there when the next one is asked for.
    const [first] = await Promise.allSettled([database.admin.listApplications()]);
    expect(first).toMatchObject({ status: 'rejected', reason: refused });
    await administer(url, `alter role ${role} password 'first'`);
    await expect.poll(() => database.admin.listApplications().catch(String)).toEqual([]);
  });
});

describe('A server without a free connection', () => {
  test('counts as reachable, because it answers, and what has a connection continues', async () => {
    const { url, drop } = await createTestDatabase();
    closing.push(drop);
    const role = `crossbook_${randomBytes(4).toString('hex')}`;
    await administer(url, `create role ${role} login password 'x' connection limit 1`);
    closing.push(() => administer(inject('databaseServer'), `drop role ${role}`));
    const own = new URL(url);
    own.username = role;
    own.password = 'x';
    const engine = await openEngine({ url: own.href }, { poolSize: 1, deadlineMs: 0 });
    closing.push(engine.close);
    // The only connection is in use, and the probe cannot have another.
    const rival = await openRival(url);
    closing.push(rival.close);
    await rival.run('begin');
    await rival.run('select pg_advisory_xact_lock(1)');
    const waiting = { name: 'test_wait', text: 'select pg_advisory_xact_lock(1)' };
    // Each statement gives up the lock after its timeout, which a busy machine may not see.
    let isSeen = false;
    const busy = (async () => {
      while (!isSeen) await engine.query(waiting, []).catch(() => undefined);
    })();
    await rival.untilSomebodyWaits();
    isSeen = true;
    expect(await engine.ping()).toEqual({ isReadOnly: false });
    await rival.run('rollback');
    await busy;
    // The pool's connection is idle: the probe uses it, and opens none.
    const opened = engine.connections().open;
    expect(await engine.ping()).toEqual({ isReadOnly: false });
    expect(engine.connections().open).toBe(opened);
  });
});
