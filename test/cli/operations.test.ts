import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCustomerTokens } from '../../src/request/customer-token.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createSigningKeys } from '../../src/storage/signing.ts';
import { ringOf } from '../support/databases.ts';
import { findCallerByKey } from '../support/find-caller.ts';
import { runCli } from '../support/run-cli.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const [OLD, NEW] = ['old', 'new'].map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`);
const SECRET = 'a-token-that-nobody-may-see';

function verifyToken(token: string, findSubject: Database['findTokenSubject']) {
  const keys = createSigningKeys(ringOf('old'), 'customer token');
  const tokens = createCustomerTokens({ keys, findSubject, wall: Date.now });
  return tokens.verify(token).then((verified) => verified?.caller);
}

let root: string;
let env: Record<string, string>;
let applicationId: string;
const run = (...args: string[]) => runCli(args, { env });

beforeAll(async () => {
  root = makeTemporaryFolder();
  env = { CROSSBOOK_DATA: join(root, 'data'), CROSSBOOK_KEYS: OLD ?? '' };
  applicationId = (
    await run('apps', 'create', 'Acme', '--origin', 'https://a.example', '--json')
  ).json().id;
});
afterAll(() => rmSync(root, { recursive: true }));

const withStores = async <T>(
  work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
) => {
  const database = await openDatabase(
    { directory: join(root, 'data/data') },
    { keyRing: ringOf('old') },
  );
  return work(database).finally(() => database.close());
};

describe('commands on the embedded database', () => {
  test('an API key is shown once, authenticates, is listed without its secret, rotated and revoked', async () => {
    const created = await run('keys', 'create', 'Acme', '--name', 'backend');
    const key = created.stdout.trim();
    expect(key).toMatch(/^cbk_old\.[0-9a-f]{16}_[\w-]{43}_[\w-]{22}$/);
    const caller = await withStores((database) => findCallerByKey(database, key));
    expect(caller?.application).toEqual({ id: applicationId, name: 'Acme' });

    const id = caller?.keyId ?? '';
    const fresh = (await run('keys', 'rotate', id, '--overlap', '1', '--json')).json();
    expect(fresh).toMatchObject({ replaces: id, key: expect.stringMatching(/^cbk_/) });
    const listed = await run('keys', 'list', applicationId);
    expect(listed.stdout).toMatch(new RegExp(`${id} +backend +ending`));
    expect(listed.stdout).toMatch(new RegExp(`${fresh.id} +backend +active`));
    // A secret may have underscores of its own.
    for (const { key: whole } of [{ key }, fresh])
      expect(listed.stdout).not.toContain(whole.slice(-66, -23));

    expect((await run('keys', 'revoke', id)).code).toBe(0);
    const again = await run('keys', 'revoke', id);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(await withStores((database) => findCallerByKey(database, key))).toBeUndefined();
  });

  test('a duplicate name is rejected with a message, and the existing one is kept', async () => {
    const again = await run('apps', 'create', 'Acme');
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toBe('An application called "Acme" already exists.\n');
    expect((await run('apps', 'list', '--json')).json()).toHaveLength(1);

    const { id } = (await run('keys', 'create', 'Acme', '--name', 'twice', '--json')).json();
    const second = await run('keys', 'create', 'Acme', '--name', 'twice');
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain('an active key called "twice"');
    expect((await run('keys', 'rotate', id)).code).toBe(0);
    expect((await run('keys', 'create', 'Acme', '--name', 'twice')).code).toBe(1);
  });

  test('a name must be one readable line', async () => {
    for (const name of ['', ' ', 'two\nlines', 'x'.repeat(201), 'null\0']) {
      const { code, stderr } = await run('apps', 'create', name);
      expect([code, stderr]).toEqual([
        1,
        'A name must have 1 to 200 characters, and no control characters.\n',
      ]);
    }
  });

  test('origins are added and removed', async () => {
    const changed = await run(
      'apps',
      'origins',
      'Acme',
      '--add',
      'https://b.example',
      '--remove',
      'https://a.example',
    );
    expect(changed.stdout).toBe('https://b.example\n');
    expect((await run('apps', 'list', '--json')).json()).toEqual([
      { id: applicationId, name: 'Acme', origins: ['https://b.example'] },
    ]);
    expect((await run('apps', 'origins', 'nobody')).stderr).toContain(
      'There is no application "nobody"',
    );
  });

  test('tokens are issued and revoked, data are encrypted again for a new key, and a deleted customer leaves no data', async () => {
    const credentials = { type: 'token', value: SECRET } as const;
    await withStores(({ forApplication }) =>
      forApplication(applicationId).customers.upsert({
        customerId: 'ada',
        name: 'Ada',
        email: 'ada@example.com',
        connections: [{ providerName: 'hubspot', credentials }],
      }),
    );
    const issued = await run('tokens', 'create', 'Acme', 'ada', '--json', '--provider', 'hubspot');
    const { token, expiresAt } = issued.json();
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    const verify = () => withStores(({ findTokenSubject }) => verifyToken(token, findTokenSubject));
    expect(await verify()).toMatchObject({
      application: { id: applicationId },
      customer: { customerId: 'ada', providers: ['hubspot'] },
    });
    const listing = await run('tokens', 'create', 'Acme', 'ada', '--json', '--can-list');
    expect(
      await withStores(({ findTokenSubject }) =>
        verifyToken(listing.json().token, findTokenSubject),
      ),
    ).toMatchObject({ customer: { canList: true } });
    const refused = [
      await run('tokens', 'create', 'Acme', 'nobody'),
      await run('tokens', 'create', 'Acme', 'ada', '--expires-in', '86401'),
    ];
    for (const { code, stdout } of refused) expect([code, stdout]).toEqual([1, '']);
    for (const option of [
      ['--provider', 'x'],
      ['--expires-in', '0x10'],
    ])
      expect((await run('tokens', 'create', 'Acme', 'ada', ...option)).code).toBe(2);
    expect((await run('tokens', 'revoke', 'Acme', 'ada', '--json')).json()).toMatchObject({
      generation: 1,
    });
    expect(await verify()).toBeUndefined();
    env = { ...env, CROSSBOOK_KEYS: `${NEW},${OLD}` };
    // The credentials of one connection, and the check value of each API key.
    const keys = (await run('keys', 'list', applicationId, '--json')).json().length;
    const rotated = (await run('seal', 'rotate', '--json')).json();
    expect(rotated).toEqual({ resealed: 1 + keys, unreadable: 0 });
    env = { ...env, CROSSBOOK_KEYS: NEW ?? '' };
    expect((await run('customers', 'delete', 'Acme', 'ada', '--yes')).code).toBe(0);
    expect((await run('customers', 'delete', 'Acme', 'ada', '--yes')).stderr).toContain(
      'no customer "ada"',
    );
    env = { ...env, CROSSBOOK_KEYS: `${OLD},${NEW}` };
    expect((await run('seal', 'rotate', '--json')).json()).toEqual({
      resealed: keys,
      unreadable: 0,
    });
    env = { ...env, CROSSBOOK_KEYS: OLD ?? '' };
  });

  test('a backup is readable by its owner only, overwrites nothing, and is restored into an empty database', async () => {
    const file = join(root, 'backup.tgz');
    expect((await run('backup', file)).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run('backup', file)).stderr).toContain('already exists');
    expect((await run('restore', file)).stderr).toContain('This database is not empty');

    env = { ...env, CROSSBOOK_DATA: join(root, 'elsewhere') };
    const wrong = join(root, 'wrong.tgz');
    writeFileSync(wrong, 'not a backup');
    expect((await run('restore', wrong)).stderr).toContain('is not a backup');
    expect(existsSync(join(root, 'elsewhere/data'))).toBe(false);
    expect((await run('restore', file)).code).toBe(0);
    expect((await run('apps', 'list', '--json')).json()).toMatchObject([{ id: applicationId }]);
    env = { ...env, CROSSBOOK_DATA: join(root, 'data') };
  });

  test('commands work on the data of a running server, which sees their changes', async () => {
    await withStores(async ({ admin }) => {
      const created = await Promise.all(
        ['One', 'Two', 'Three'].map((name) => run('apps', 'create', name)),
      );
      expect(created.map(({ code, stderr }) => [code, stderr])).toEqual(created.map(() => [0, '']));
      const names = (await admin.listApplications()).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['One', 'Two', 'Three']));
      expect((await run('backup', join(root, 'beside.gz'))).code).toBe(0);
      expect((await run('restore', join(root, 'beside.gz'))).stderr).toContain('in use by process');
    });
  });

  test('concurrent commands share the database server of the first, which waits for the others', async () => {
    const lists = await Promise.all(Array.from({ length: 5 }, () => run('apps', 'list', '--json')));
    for (const { code, stderr } of lists) expect([code, stderr]).toEqual([0, '']);
  });

  test('a command fails with a message when another process uses the data and does not respond', async () => {
    const lock = join(root, 'data/data.lock');
    writeFileSync(lock, JSON.stringify({ pid: 1, host: 'elsewhere', token: 'theirs' }));
    for (const args of [
      ['apps', 'list'],
      ['backup', join(root, 'other.tgz')],
    ]) {
      const { code, stderr } = await run(...args);
      expect(code).toBe(1);
      expect(stderr).toContain('in use by process 1 on elsewhere');
    }
    rmSync(lock);
  });
});

test('the printed schema equals the committed one', async () => {
  const { stdout } = await run('schema', 'print');
  expect(stdout).toMatch(/^type Query \{$/m);
});

test('the schema is printed with the names of the server', async () => {
  const env = {
    CROSSBOOK_GRAPHQL_TYPE_PREFIX: 'Crm_',
    CROSSBOOK_GRAPHQL_ROOT_FIELD_PREFIX: 'crm_',
  };
  const { stdout } = await runCli(['schema', 'print'], { env });
  expect(stdout).toMatch(/^type Crm_Contact implements Node \{$/m);
  expect(stdout).toMatch(/^ {2}crm_customer\($/m);
  expect(stdout).toMatch(/^ {2}node\($/m);
  const subgraph = await runCli(['schema', 'print', '--subgraph'], { env });
  expect(subgraph.stdout).toMatch(/^type Crm_Contact implements Node @key/m);
  expect(subgraph.stdout).toMatch(/^type Crm_ContactsByEmail @key/m);
  expect(subgraph.stdout).toMatch(/^ {2}crm_upsertCustomer\(/m);
});

test('--relay-node without --subgraph is a usage error', async () => {
  const { code, stdout, stderr } = await runCli(['schema', 'print', '--relay-node']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('--relay-node needs --subgraph');
});
