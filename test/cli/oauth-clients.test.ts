import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { ringOf } from '../support/databases.ts';
import { useInstallation } from '../support/run-cli.ts';

const SECRET = 'a-secret-that-nobody-may-see';
const { run, findRoot } = useInstallation();

test('an OAuth client is set with its secret from standard input, listed without it, and deleted', async () => {
  const set = await run('oauth-clients set Acme hubspot --client-id id-1', `${SECRET}\n`);
  expect([set.code, set.stdout]).toEqual([0, 'Acme connects hubspot with id-1.\n']);
  const listed = [
    await run('oauth-clients list Acme'),
    await run('oauth-clients list Acme --json'),
  ];
  expect(listed[0]?.stdout).toMatch(/^hubspot +id-1 /);
  expect(listed[1]?.json()).toMatchObject([{ providerName: 'hubspot', clientId: 'id-1' }]);
  expect(JSON.stringify([set, listed])).not.toContain(SECRET);

  const database = await openDatabase(
    { directory: join(findRoot(), 'data') },
    { keyRing: ringOf('k1') },
  );
  const [application] = await database.admin.listApplications();
  const { oauthClients } = database.forApplication(application?.id ?? '');
  expect(await oauthClients.find('hubspot')).toEqual({ clientId: 'id-1', clientSecret: SECRET });
  await database.close();

  expect((await run('oauth-clients delete Acme hubspot')).code).toBe(0);
  expect((await run('oauth-clients list Acme')).stdout).toBe('There are no OAuth clients.\n');
  expect((await run('oauth-clients delete Acme hubspot')).code).toBe(1);
});

test.each([
  ['oauth-clients set Acme hubspot', SECRET, 2, 'Missing: --client-id'],
  ['oauth-clients set Acme hubspott --client-id x', SECRET, 2, 'is not a provider'],
  ['oauth-clients set Acme hubspot --client-id x', '', 1, 'client_secret must have'],
  [
    'oauth-clients set Acme hubspot --client-id x',
    `${SECRET} and more`,
    1,
    'client_secret must have',
  ],
  ['oauth-clients set Acme gong --client-id x', SECRET, 1, 'cannot be connected'],
  ['oauth-clients set Nobody hubspot --client-id x', SECRET, 1, 'There is no application'],
])('%s, given %j, ends with %i and repeats no secret', async (line, input, code, words) => {
  const ended = await run(line, input);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toContain(words);
  expect(ended.stderr).not.toContain(SECRET);
});
