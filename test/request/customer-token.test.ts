import { pbkdf2 } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import type { TokenSubject } from '../../src/domain/caller.ts';
import { createCustomerTokens } from '../../src/request/customer-token.ts';
import { createSigningKeys } from '../../src/storage/signing.ts';
import { ringOf } from '../support/databases.ts';

const APPLICATION = { id: '11111111-1111-4111-8111-111111111111', name: 'Mine' };
const START = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 3_600_000;

/** Two processes of one installation share the subjects, and not always the ring. */
function open(...ids: readonly string[]) {
  let now = START;
  const keys = createSigningKeys(ringOf(...(ids.length > 0 ? ids : ['k1'])), 'customer token');
  const tokens = createCustomerTokens({
    keys,
    wall: () => now,
    findSubject: async ({ applicationId, customerId }) =>
      subjects.get(`${applicationId} ${customerId}`),
  });
  return { tokens, keys, advance };

  function advance(byMs: number): void {
    now += byMs;
  }
}

const subject: TokenSubject = {
  application: APPLICATION,
  generation: 3,
  since: new Date(START - HOUR),
};
const subjects = new Map([[`${APPLICATION.id} acme`, subject]]);

const sign = (from: ReturnType<typeof open>, patch = {}) =>
  from.tokens.sign(APPLICATION.id, {
    customerId: 'acme',
    expiresAt: new Date(START + HOUR),
    ...patch,
  }) as Promise<string>;

test('a token contains its customer and providers, and nothing else of use to an attacker', async () => {
  const opened = open();
  const token = await sign(opened, { providers: ['hubspot'] });
  expect(await opened.tokens.verify(token)).toEqual({
    caller: {
      application: APPLICATION,
      credentialId: decodeJwt(token).jti,
      customer: { customerId: 'acme', providers: ['hubspot'] },
    },
    expiresAt: START + HOUR,
  });
  expect(decodeProtectedHeader(token)).toEqual({
    alg: 'HS256',
    typ: 'crossbook-customer+jwt',
    kid: 'k1',
  });
  expect(Object.keys(decodeJwt(token)).sort()).toEqual(
    ['aud', 'exp', 'generation', 'iat', 'iss', 'jti', 'providers', 'since', 'sub'].sort(),
  );
});

test.each(['canList', 'canWrite'])(
  'a token has the right %s only if it was issued with it',
  async (right) => {
    const opened = open();
    const customerOf = async (patch: object) =>
      (await opened.tokens.verify(await sign(opened, patch)))?.caller?.customer;
    expect(await customerOf({ [right]: true })).toMatchObject({ [right]: true });
    for (const patch of [{}, { [right]: false }, { [right]: undefined }])
      expect(await customerOf(patch)).not.toHaveProperty(right);
  },
);

test('a token expires at its stated time, and is valid for a day at most', async () => {
  const opened = open();
  const [short, long] = [
    await sign(opened),
    await sign(opened, { expiresAt: new Date(START + 48 * HOUR) }),
  ];
  opened.advance(HOUR - 1);
  expect(await opened.tokens.verify(short)).toBeDefined();
  opened.advance(1);
  expect(await opened.tokens.verify(short)).toBeUndefined();
  opened.advance(23 * HOUR - 1_000);
  expect(await opened.tokens.verify(long)).toBeDefined();
  opened.advance(1_000);
  expect(await opened.tokens.verify(long)).toBeUndefined();
});

test('every key of the ring verifies tokens, and the first one signs them', async () => {
  const old = await sign(open('old'));
  const both = open('new', 'old');
  expect(await both.tokens.verify(old)).toBeDefined();
  expect(decodeProtectedHeader(await sign(both)).kid).toBe('new');
  expect(await open('new').tokens.verify(old)).toBeUndefined();
});

test.each<[string, Partial<TokenSubject>]>([
  ['the generation was raised', { generation: 4 }],
  ['the customer was deleted and created again', { since: new Date(START - 1) }],
])('a token is invalid when %s', async (_when, change) => {
  const opened = open();
  const token = await sign(opened);
  subjects.set(`${APPLICATION.id} acme`, { ...subject, ...change });
  expect((await opened.tokens.verify(token))?.caller).toBeUndefined();
  subjects.delete(`${APPLICATION.id} acme`);
  expect((await opened.tokens.verify(token))?.caller).toBeUndefined();
  expect(await sign(opened)).toBeUndefined();
  subjects.set(`${APPLICATION.id} acme`, subject);
  expect(await opened.tokens.verify(token)).toBeDefined();
});

test('a token that is altered, unsigned, for another audience or lacks a claim is invalid', async () => {
  const { tokens, keys } = open();
  const good = await sign(open());
  const [header = '', payload = '', signature = ''] = good.split('.');
  const claims = decodeJwt(good);
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'other' })).toString('base64url');
  const resign = (change: object, head: object = {}) =>
    new SignJWT({ ...claims, ...change })
      .setProtectedHeader({ alg: 'HS256', typ: 'crossbook-customer+jwt', kid: 'k1', ...head })
      .sign(keys.current.secret);
  expect(await tokens.verify(await resign({}))).toBeDefined();
  for (const right of ['canList', 'canWrite'])
    for (const value of ['true', 1, {}])
      expect(
        (await tokens.verify(await resign({ [right]: value })))?.caller?.customer,
      ).not.toHaveProperty(right);
  const void_ = [
    `${header}.${forged}.${signature}`,
    `${header}.${payload}.`,
    new UnsecuredJWT(claims).encode(),
    await resign({ aud: 'another product' }),
    await resign({ iss: '22222222-2222-4222-8222-222222222222' }),
    await resign({ generation: '3' }),
    await resign({ providers: 'hubspot' }),
    await resign({}, { typ: 'JWT' }),
    await resign({}, { kid: 'k2' }),
    await resign({ nbf: START / 1_000 + 60 }),
    ...(await Promise.all(
      ['exp', 'iat', 'sub', 'jti', 'iss', 'aud'].map((name) => resign({ [name]: undefined })),
    )),
    'not.a.token',
    '',
  ];
  for (const token of void_) expect((await tokens.verify(token))?.caller, token).toBeUndefined();
});

test.each(['iss', 'sub', 'jti'])(
  'a token whose %s is empty or no string is invalid, even if such a customer exists',
  async (name) => {
    const { keys } = open();
    const tokens = createCustomerTokens({
      keys,
      wall: () => START,
      findSubject: async () => subject,
    });
    const claims = decodeJwt(await sign(open()));
    const resign = (value: unknown) =>
      new SignJWT({ ...claims, [name]: value })
        .setProtectedHeader({ alg: 'HS256', typ: 'crossbook-customer+jwt', kid: 'k1' })
        .sign(keys.current.secret);
    expect((await tokens.verify(await resign('somebody')))?.caller).toBeDefined();
    for (const value of ['', 7, null, ['acme'], {}]) {
      expect(await tokens.verify(await resign(value)), JSON.stringify(value)).toBeUndefined();
    }
  },
);

test.each([
  'a"c\\me',
  "' or 1=1 --",
  'a.b.c',
  '{"sub":"other"}',
  'Größe 🦄\u2028',
  '__proto__',
  ' acme',
  'Acme',
])('a token names its customer exactly: %j', async (customerId) => {
  const known = `${APPLICATION.id} ${customerId}`;
  const opened = open();
  subjects.set(known, subject);
  const token = await sign(opened, { customerId });
  expect((await opened.tokens.verify(token))?.caller?.customer).toEqual({
    customerId,
    providers: undefined,
  });
  subjects.delete(known);
  // The other customer is there all the while.
  expect((await opened.tokens.verify(token))?.caller).toBeUndefined();
});

test('a token is verified while the threads of the pool are busy with other work', async () => {
  const opened = open();
  const token = await sign(opened);
  const ended: string[] = [];
  const busy = Array.from(
    { length: 16 },
    () =>
      new Promise<void>((resolve) =>
        pbkdf2('a password', 'salt', 200_000, 32, 'sha256', () => {
          ended.push('a thread');
          resolve();
        }),
      ),
  );
  await opened.tokens.verify(token).then(() => ended.push('the token'));
  await Promise.all(busy);
  expect(ended[0]).toBe('the token');
});

test('a token has one spelling: others of the same signature are invalid', async () => {
  const opened = open();
  const token = await sign(opened);
  const [, , signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const others = alphabet
    .map((last) => `${signature.slice(0, -1)}${last}`)
    .filter((other) => other !== signature && Buffer.from(other, 'base64url').equals(bytes));
  expect(others).toHaveLength(3);
  for (const other of [...others, `${signature}=`]) {
    expect(await opened.tokens.verify(token.replace(signature, other)), other).toBeUndefined();
  }
  expect(await opened.tokens.verify(token)).toBeDefined();
});
