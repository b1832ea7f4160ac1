import { expect, test } from 'vitest';
import { findFreePorts } from '../../../test/support/free-ports.ts';
import { openSandbox } from '../src/open-sandbox.ts';

test('the demo has the same tokens and people after every start', async () => {
  const first = await openSandbox();
  const second = await openSandbox();
  for (const crm of ['hubspot', 'salesforce'] as const) {
    expect(first[crm].demo.accessToken).toBe(second[crm].demo.accessToken);
    expect(first[crm].demo.refreshToken).toBe(second[crm].demo.refreshToken);
    expect(first[crm].demo.recordId(1)).toBe(second[crm].demo.recordId(1));
    expect(first[crm].demo.people.get(1)?.email).toBe('ada@example.com');
  }
  await Promise.all([first.close(), second.close()]);
});

test('a refresh token from a consent in one run is valid in the next', async () => {
  const first = await openSandbox();
  const [northwind = first.salesforce.demo] = first.salesforce.others;
  const { clientId, clientSecret } = first.salesforce.demo;
  const refresh_token = northwind.approve({ clientId, scopes: ['api'] });
  await first.close();
  const second = await openSandbox();
  const refresh = async (token: string) => {
    const client = { client_id: clientId, client_secret: clientSecret };
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      ...client,
    });
    return fetch(`${second.salesforce.origin}/services/oauth2/token`, { method: 'POST', body });
  };
  const answer = (await (await refresh(refresh_token)).json()) as { readonly id: string };
  expect(answer.id).toContain(northwind.id);
  expect((await refresh(`${refresh_token}0`)).status).toBe(400);
  await second.close();
});

test('a port in use is an error, and leaves nothing open', async () => {
  const salesforcePort = await findFreePorts();
  const first = await openSandbox({ salesforcePort });
  await expect(openSandbox({ salesforcePort })).rejects.toThrow('EADDRINUSE');
  await first.close();
  const again = await openSandbox({ salesforcePort });
  expect(again.salesforce.origin).toBe(first.salesforce.origin);
  await again.close();
});

test('closing the sandbox ends hanging calls', async () => {
  const sandbox = await openSandbox();
  const { demo, origin } = sandbox.hubspot;
  demo.fail({ kind: 'hang' });
  const pending = fetch(origin, { headers: { authorization: `Bearer ${demo.accessToken}` } });
  const outcome = expect(pending).rejects.toThrow();
  while (demo.running().length === 0) await new Promise(setImmediate);
  await sandbox.close();
  await outcome;
});

test('accounts are isolated: each has its own tokens, people, quirks and counters', async () => {
  const { hubspot, close } = await openSandbox();
  const one = hubspot.createAccount({
    people: [{ email: 'one@example.com' }],
    quirks: { searchLagMs: 1 },
  });
  const two = hubspot.createAccount();
  expect(new Set([hubspot.demo.id, one.id, two.id]).size).toBe(3);
  expect(new Set([hubspot.demo.accessToken, one.accessToken, two.accessToken]).size).toBe(3);
  expect([one.people.all().length, two.people.all().length]).toEqual([1, 0]);
  expect([one.quirks.searchLagMs, two.quirks.searchLagMs]).toEqual([1, 0]);
  await close();
});

test('an unknown quirk or fault is an error, so that no test passes because of a typo', async () => {
  const { hubspot, close } = await openSandbox();
  const slip = JSON.parse('{"serchLagMs":1}');
  expect(() => hubspot.createAccount({ quirks: slip })).toThrow('Unknown name: serchLagMs');
  expect(() => hubspot.demo.setQuirks(slip)).toThrow('Unknown name: serchLagMs');
  expect(() => hubspot.demo.fail('no-such-fault')).toThrow('Unknown fault: no-such-fault');
  await close();
});

test('revoking an account invalidates earlier tokens as well', async () => {
  const { hubspot, close } = await openSandbox();
  const account = hubspot.createAccount();
  const old = account.accessToken;
  account.issueToken('access');
  const send = () =>
    fetch(`${hubspot.origin}/account-info/v3/details`, {
      headers: { authorization: `Bearer ${old}` },
    });
  expect((await send()).status).toBe(200);
  account.revoke();
  expect((await send()).status).toBe(401);
  await close();
});
