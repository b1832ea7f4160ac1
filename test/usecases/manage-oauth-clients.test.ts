import { expect, test } from 'vitest';
import type { Caller } from '../../src/domain/caller.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { deleteOAuthClient, setOAuthClient } from '../../src/usecases/manage-oauth-clients.ts';
import { createFakeOAuthClients } from '../support/fake-oauth-clients.ts';

const CLIENT = { provider: 'hubspot', clientId: 'id', clientSecret: 'secret' } as const;

function setUp(customer?: Caller['customer']) {
  const application = { id: 'app', name: 'Acme' };
  const requireCaller = (): Caller => ({ application, credentialId: 'c', customer });
  return { requireCaller, oauthClients: createFakeOAuthClients(), providers: createRegistry() };
}

test('an OAuth client is returned without its secret, and is found until it is deleted', async () => {
  const deps = setUp();
  const stored = await setOAuthClient(deps, CLIENT);
  expect(stored).toMatchObject({ providerName: 'hubspot', clientId: 'id' });
  expect(JSON.stringify(stored)).not.toContain('secret');
  expect(await deps.oauthClients.find('hubspot')).toMatchObject({ clientSecret: 'secret' });
  await deleteOAuthClient(deps, 'hubspot');
  await expect(deleteOAuthClient(deps, 'hubspot')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test.each([
  [{ clientId: '' }, 'UNPROCESSABLE_ENTITY'],
  [{ clientId: 'two words' }, 'UNPROCESSABLE_ENTITY'],
  [{ clientSecret: 'hush\nhush' }, 'UNPROCESSABLE_ENTITY'],
  [{ clientSecret: 'x'.repeat(1_001) }, 'UNPROCESSABLE_ENTITY'],
  [{ provider: 'gong' as const }, 'NOT_IMPLEMENTED'],
])('%j is rejected with %s, and the secret is not repeated', async (wrong, code) => {
  const refused = await setOAuthClient(setUp(), { ...CLIENT, ...wrong }).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ code });
  expect(String(refused)).not.toMatch(/hush|xxx/);
});

test('a customer token cannot change OAuth clients', async () => {
  const deps = setUp({ customerId: 'ada' });
  await expect(setOAuthClient(deps, CLIENT)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(deleteOAuthClient(deps, 'hubspot')).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
