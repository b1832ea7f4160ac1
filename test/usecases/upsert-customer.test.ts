import { beforeEach, describe, expect, test } from 'vitest';
import type { ConnectionUpsert, CustomerUpsert } from '../../src/domain/customer.ts';
import { upsertCustomer } from '../../src/usecases/change-customers.ts';
import { createFakeServices, type FakeServices } from '../support/fake-services.ts';

const ACME: CustomerUpsert = { customerId: 'acme', name: 'Acme', email: 'it@acme.example' };
const hubspot = (rest: Partial<ConnectionUpsert>): CustomerUpsert => ({
  ...ACME,
  connections: [{ providerName: 'hubspot', ...rest }],
});
const mapping = (object: string): CustomerUpsert =>
  hubspot({
    schemaMappingsConfig: { commonObjects: [{ object, fieldMappings: [] }], standardObjects: [] },
  });

let fake: FakeServices;
beforeEach(async () => {
  fake = await createFakeServices();
});

test('an upsert says whether it created the customer, and counts versions', async () => {
  expect(await run(ACME)).toMatchObject({ created: true, customer: { version: 1 } });
  expect(await run({ ...ACME, name: 'Acme Inc.' })).toMatchObject({
    created: false,
    customer: { version: 2 },
  });
});

test('the email is stored without surrounding spaces, in its given case', async () => {
  expect((await run({ ...ACME, email: '  IT@Acme.example ' })).customer.email).toBe(
    'IT@Acme.example',
  );
});

test('the instance URL is stored in its normalized form', async () => {
  const { customer } = await run(hubspot({ instanceUrl: 'https://APP.hubspot.example/' }));
  expect(customer.connections[0]?.instanceUrl).toBe('https://app.hubspot.example');
});

test('an unexpected version is a conflict, and nothing is written', async () => {
  await run(ACME);
  await expect(run({ ...ACME, name: 'late', expectedVersion: 0 })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect(fake.tenant.table.get('acme')?.name).toBe('Acme');
});

test('a customer that this request has cached is loaded again', async () => {
  const context = fake.openContext(new Headers({ 'x-api-key': 'demo-key' }));
  expect(await context.loadCustomer('acme')).toBeUndefined();
  await upsertCustomer(context, ACME);
  expect(await context.loadCustomer('acme')).toMatchObject({ name: 'Acme' });
});

test.each(['\\u0000', '\\\\u0000', '\\ud800', '\u{1F600}', '\u007f'])(
  'a configuration can contain the text %j',
  async (object) => {
    const { customer } = await run(mapping(object));
    expect(customer.connections[0]?.schemaMappingsConfig?.commonObjects?.[0]?.object).toBe(object);
  },
);

describe('permission for an upsert', () => {
  test('is refused without a key', async () => {
    await expect(run(ACME, {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('is refused with a customer token, even for its own customer', async () => {
    const own = { ...ACME, customerId: 'demo' };
    await expect(run(own, { authorization: 'Bearer demo-token' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});

describe('an invalid upsert is rejected as a whole', () => {
  test.each<[string, CustomerUpsert, RegExp]>([
    ['an empty id', { ...ACME, customerId: ' ' }, /^The customer id is empty/],
    ['a long id', { ...ACME, customerId: 'a'.repeat(256) }, /The customer id is longer than 255/],
    [
      'a control character in a name',
      { ...ACME, name: 'Ac\u0000me' },
      /The name contains control characters/,
    ],
    [
      'half a character in an id',
      { ...ACME, customerId: 'a\ud800' },
      /The customer id contains half of/,
    ],
    ['half a character in a name', { ...ACME, name: '\udc00' }, /name contains half of/],
    [
      'half a character in an email',
      { ...ACME, email: '\ud800@acme.example' },
      /The email must be an address/,
    ],
    ['what is not an email', { ...ACME, email: 'acme' }, /The email must be an address/],
    ['a version below zero', { ...ACME, expectedVersion: -1 }, /The expected version/],
    [
      'a provider twice',
      { ...ACME, connections: [{ providerName: 'slack' }, { providerName: 'slack' }] },
      /slack more than once/,
    ],
    [
      'an instance URL of somebody else',
      hubspot({ instanceUrl: 'https://evil.example' }),
      /connections\[0\]: the instance URL is not an address of HubSpot/,
    ],
    [
      'a token with a line break',
      hubspot({ credentials: { type: 'token', value: 'a\r\nb' } }),
      /connections\[0\]\.credentials: the token has characters that a token cannot have/,
    ],
    [
      'an empty token',
      hubspot({ credentials: { type: 'token', value: '' } }),
      /credentials: the token is empty\.$/,
    ],
    [
      'a token without end',
      hubspot({ credentials: { type: 'token', value: 'x'.repeat(16_385) } }),
      /credentials: the token is longer than 16384 characters\.$/,
    ],
    [
      'an empty refresh token',
      hubspot({
        credentials: {
          type: 'oauth2',
          accessToken: 'access-token',
          refreshToken: '',
          expiresAt: null,
        },
      }),
      /^connections\[0\]\.credentials: the refresh token is empty\.$/,
    ],
    [
      'a configuration without end',
      hubspot({
        schemaMappingsConfig: {
          commonObjects: [{ object: 'x'.repeat(70_000), fieldMappings: [] }],
          standardObjects: [],
        },
      }),
      /64 KiB/,
    ],
    ['what a database cannot keep', mapping('a\u0000'), /U\+0000/],
    ['a backslash and what a database cannot keep', mapping('\\\u0000'), /U\+0000/],
    ['half a character in a configuration', mapping('a\ud83d'), /half of a surrogate pair/],
  ])('%s', async (_what, upsert, detail) => {
    await expect(run(upsert)).rejects.toMatchObject({
      code: 'UNPROCESSABLE_ENTITY',
      message: expect.stringMatching(detail),
    });
    expect(fake.tenant.table.has(upsert.customerId)).toBe(false);
  });

  test('with all errors reported at once', async () => {
    const wrong = { ...hubspot({ instanceUrl: 'https://evil.example' }), name: '', email: 'x' };
    await expect(run(wrong)).rejects.toThrow(
      /^The name is empty\. The email .*\. connections\[0\]: the instance URL/,
    );
  });

  test('without repeating a secret value', async () => {
    const oauth2 = {
      type: 'oauth2',
      accessToken: 'hunter2 hunter2',
      refreshToken: null,
      expiresAt: 'soon',
    } as const;
    const refusal = run(hubspot({ credentials: oauth2 }));
    await expect(refusal).rejects.toThrow(/the expiry is not an RFC 3339 time/);
    await expect(refusal).rejects.toThrow(/^((?!hunter2).)*$/);
  });
});

async function run(
  upsert: CustomerUpsert,
  headers: Record<string, string> = { 'x-api-key': 'demo-key' },
) {
  return upsertCustomer(fake.openContext(new Headers(headers)), upsert);
}
