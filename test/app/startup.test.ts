import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../support/databases.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { openRival } from '../support/postgres-rival.ts';
import { spawnProduct } from '../support/product.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test('while migrations run the process is live and not ready, and requests get 503 in the common format', async () => {
  const { url, drop } = await createEmptyDatabase();
  closing.push(drop);
  const rival = await openRival(url);
  closing.push(rival.close);
  await rival.run('begin');
  await rival.run(`select pg_advisory_xact_lock(hashtextextended('crossbook:alone', 0))`);
  const port = await findFreePorts();
  const { child, printed } = start({ DATABASE_URL: url, PORT: String(port) });
  const ask = async (path: string, init: RequestInit = {}): Promise<readonly [number, unknown]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return [response.status, await response.json()];
  };
  await expect.poll(() => ask('/livez').catch(() => 'not yet')).toEqual([200, { ok: true }]);
  expect(await ask('/readyz')).toEqual([503, { ok: false, started: false }]);
  const unavailable = {
    code: 'SERVICE_UNAVAILABLE',
    meta: expect.objectContaining({ retry_after_ms: 1_000 }),
  };
  expect(await ask('/customers/ada')).toEqual([
    503,
    { errors: [expect.objectContaining(unavailable)] },
  ]);
  const body = '{"query":"{ __typename }"}';
  expect(await ask('/graphql', { method: 'POST', body })).toEqual([
    503,
    { errors: [{ message: expect.any(String), extensions: expect.objectContaining(unavailable) }] },
  ]);
  const { headers } = await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', body });
  expect(headers.get('retry-after')).toBe('1');
  await rival.run('rollback');
  await expect.poll(() => ask('/readyz')).toMatchObject([200, { ok: true }]);
  await expect.poll(printed).toContain('is ready at');
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
});

test.each([
  ['a wrong password', { password: 'wrong' }, /password authentication failed/],
  ['a database that is not there', { pathname: '/nowhere' }, /does not exist/],
  ['a server that is not there', { port: '1' }, /ECONNREFUSED/],
] as const)('a start that fails prints the reason in one line: %s', async (_, changed, reason) => {
  const { url, drop } = await createTestDatabase();
  closing.push(drop);
  const bad = new URL(url);
  Object.assign(bad, changed);
  const { child, printed, complained } = start({ DATABASE_URL: bad.href });
  expect((await once(child, 'close'))[0]).toBe(1);
  expect(complained()).toMatch(reason);
  expect(complained().split('\n')).toHaveLength(2);
  expect(
    printed()
      .split('\n')
      .filter((line) => line.startsWith('{')),
  ).toEqual([]);
});

function start(env: Record<string, string>) {
  const folder = makeTemporaryFolder();
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawnProduct({ CROSSBOOK_DATA: folder, CROSSBOOK_SANDBOX: 'on', ...env });
  let printed = '';
  let complained = '';
  child.stdout?.on('data', (text: Buffer) => {
    printed += text;
  });
  child.stderr?.on('data', (text: Buffer) => {
    complained += text;
  });
  closing.push(() => child.kill('SIGKILL'));
  return { child, printed: () => printed, complained: () => complained };
}
