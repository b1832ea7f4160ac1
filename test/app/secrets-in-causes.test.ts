import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { SPELLINGS } from '../support/spellings.ts';

const STATUSES = [200, 207, 302, 400, 401, 403, 404, 409, 429, 500, 503] as const;
/** Longer than any request waits: a transient failure is reported immediately instead of being retried. */
const LATER = { 'retry-after': '700' };
const SEARCH = '{ searchContacts(filter: { email: "p.0@here.example" }) { nodes { id } } }';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce'] as const)(
  'An error cause of %s contains no secret of its connection',
  (provider) => {
    test.each(STATUSES)(
      'in any encoding, for a response of %i, in GraphQL and REST',
      async (status) => {
        for (const toBody of BODIES) {
          const { account, headers, spelled } = await connect(
            provider,
            `${provider}-${status}-${toBody.name}`,
          );
          const body = toBody(spelled);
          account.fail(
            { kind: 'answer', status, body, headers: { 'x-echo': account.accessToken, ...LATER } },
            { times: 100 },
          );
          for (const errors of await askBothApis(headers)) {
            expect(errors).toHaveLength(1);
            // Errors of an open circuit breaker and of our own rate limit have no provider response.
            const { meta } = errors[0].extensions ?? errors[0];
            if (meta.cause) expect(JSON.stringify(errors)).toContain('[withheld]');
            else expect(status).toBeGreaterThan(428);
            expect(findShown(errors, spelled)).toEqual([]);
          }
        }
      },
    );

    test('when the token endpoint repeats the secrets', async () => {
      const { account, headers, spelled } = await connect(provider, `${provider}-token`);
      const body = { error: 'invalid_request', error_description: spelled[1], all: spelled };
      account.expireAccessToken();
      account.fail({ kind: 'answer', status: 400, body }, { times: 100, operation: 'oauth.token' });
      for (const errors of await askBothApis(headers)) {
        expect(JSON.stringify(errors)).toContain('[withheld]');
        expect(findShown(errors, spelled)).toEqual([]);
      }
    });
  },
);

const BODIES = [
  function json(spelled: readonly string[]) {
    const errors = spelled.map((text) => ({ category: 'X', message: text }));
    return { status: 'error', message: spelled[0], errors };
  },
  function page(spelled: readonly string[]) {
    return `<html><body>${spelled.join('<br>')}</body></html>`;
  },
];

/** The encoded secrets that occur in the JSON. */
function findShown(errors: Json, spelled: readonly string[]): readonly string[] {
  const json = JSON.stringify(errors);
  return spelled.filter((text) => json.includes(JSON.stringify(text).slice(1, -1)));
}

async function connect(provider: 'hubspot' | 'salesforce', customerId: string) {
  const { sandbox, rest } = crossbook;
  const account =
    provider === 'hubspot'
      ? sandbox.hubspot.createAccount({ people: [], limits: null })
      : sandbox.salesforce.createAccount({ people: [], limits: null });
  const { accessToken, refreshToken } = account;
  const connection = {
    provider_name: provider,
    instance_url: provider === 'hubspot' ? sandbox.hubspot.origin : account.instanceUrl,
    credentials: { type: 'oauth2', access_token: accessToken, refresh_token: refreshToken },
  };
  const customer = {
    customer_id: customerId,
    name: 'C',
    email: 'c@example.com',
    connections: [connection],
  };
  expect((await rest('PUT', '/customers', customer)).status).toBe(200);
  const secrets = [accessToken, refreshToken, sandbox[provider].demo.clientSecret];
  const spelled = secrets.flatMap((secret) =>
    Object.values(SPELLINGS).map((spell) => spell(secret)),
  );
  return {
    account,
    spelled,
    headers: { 'x-customer-id': customerId, 'x-provider-name': provider },
  };
}

async function askBothApis(headers: Record<string, string>): Promise<readonly Json[]> {
  const { errors } = await crossbook.execute(SEARCH, {}, headers);
  const rest = await crossbook.rest(
    'POST',
    '/contacts/_search',
    { filter: { email: 'p.0@here.example' } },
    headers,
  );
  return [errors, rest.body.errors];
}
