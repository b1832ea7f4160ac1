import { expect, test } from 'vitest';
import { createFindOAuthClient } from '../../src/foundation.ts';
import type { Database } from '../../src/storage/database.ts';
import { createFakeOAuthClients } from '../support/fake-oauth-clients.ts';

const OF_ALL = { clientId: 'of-all', clientSecret: 'secret of all' };
const OWN = { clientId: 'own', clientSecret: 'own secret' };
const SIMULATED = { clientId: 'simulated', clientSecret: 'simulated secret' };
const SANDBOX = 'http://127.0.0.1:4010';

async function setUp() {
  const [acme, other] = [createFakeOAuthClients(), createFakeOAuthClients()];
  await acme.set('hubspot', OWN);
  const stores = (id: string) => ({ oauthClients: id === 'acme' ? acme : other });
  const find = createFindOAuthClient({
    config: { oauthClients: { hubspot: OF_ALL } },
    database: { forApplication: stores as unknown as Database['forApplication'] },
    directions: {
      findSandboxOfLogin: () => undefined,
      findClient: (origin) => (origin === SANDBOX ? SIMULATED : undefined),
    },
  });
  const ask = (
    applicationId: string,
    clientId: string | null = null,
    origin = 'https://api.hubapi.com',
  ) =>
    find({ applicationId, provider: 'hubspot', origin, clientId }).then(
      (client) => client?.clientId,
    );
  return { ask, acme };
}

test('an application’s own OAuth client takes precedence over that of the environment, which serves all other applications', async () => {
  const { ask, acme } = await setUp();
  expect([await ask('acme'), await ask('other')]).toEqual(['own', 'of-all']);
  await acme.delete('hubspot');
  expect(await ask('acme')).toBe('of-all');
});

test('a grant is refreshed only with the OAuth client that it was issued to', async () => {
  const { ask } = await setUp();
  expect([await ask('acme', 'own'), await ask('acme', 'of-all')]).toEqual(['own', 'of-all']);
  expect([await ask('acme', 'gone'), await ask('other', 'own')]).toEqual([undefined, undefined]);
});

test('the sandbox never receives a real client secret', async () => {
  const { ask } = await setUp();
  expect([await ask('acme', null, SANDBOX), await ask('acme', 'own', SANDBOX)]).toEqual([
    'simulated',
    'simulated',
  ]);
});
