import { describe, expect, test } from 'vitest';
import { CrossbookError, ERROR_CODES, type ErrorCode } from '../../src/domain/errors.ts';
import { RemoteFailure } from '../../src/domain/remote.ts';
import { toError } from '../support/redacted.ts';
import { DEMO, failingWith, openRest } from './open-rest.ts';

const SEARCH = {
  method: 'POST',
  path: '/contacts/_search',
  body: { filter: { email: 'ada@example.com' } },
};
const UPSERT = {
  method: 'PUT',
  path: '/customers',
  body: { customer_id: 'new', name: 'New', email: 'new@example.com' },
};
const READ = { method: 'GET', path: '/customers/demo', body: undefined };

const ERROR_BODY = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  title: expect.any(String),
  detail: expect.any(String),
  meta: expect.objectContaining({ origin: expect.any(String), application_name: 'Demo' }),
};

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const HTTP_LEVEL = [
  'METHOD_NOT_ALLOWED',
  'NOT_ACCEPTABLE',
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'REQUEST_HEADER_FIELDS_TOO_LARGE',
];
const codesOf = (refused: (code: ErrorCode) => boolean) =>
  CODES.filter((code) => !HTTP_LEVEL.includes(code) && !refused(code));

describe('every error that a use case can end with is a documented answer', () => {
  test.each(codesOf(() => false))('search: %s', (code) => expectAnswer(SEARCH, code));
  test.each(codesOf((code) => code.startsWith('REMOTE')))('upsert: %s', (code) =>
    expectAnswer(UPSERT, code),
  );
});

async function expectAnswer(
  { method, path, body }: typeof SEARCH | typeof UPSERT,
  code: ErrorCode,
) {
  const { ask } = await openRest(
    await failingWith(new CrossbookError(code, 'Because.', { retryAfterMs: 1_500 })),
  );
  const answer = await ask(method, path, { body });
  const { status } = ERROR_CODES[code];
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('retry-after')).toBe('2');
  expect(answer.body.errors).toEqual([
    expect.objectContaining({ ...ERROR_BODY, code, problem_type: code, status: String(status) }),
  ]);
}

describe('the status of a request', () => {
  test.each([
    ['200', SEARCH, DEMO, 200],
    ['no key', SEARCH, { 'x-provider-name': 'hubspot' }, 401],
    ['a wrong key', SEARCH, { ...DEMO, 'x-api-key': 'nonsense' }, 401],
    ['no key for an upsert', UPSERT, {}, 401],
    ['no key for a customer', READ, {}, 401],
    ['a token of another customer', SEARCH, token({ 'x-customer-id': 'other' }), 403],
    [
      'a token for another provider',
      SEARCH,
      hubspotToken({ 'x-provider-name': 'salesforce' }),
      403,
    ],
    ['a token that upserts', UPSERT, token({}), 403],
    ['a token that upserts, in a way that nobody may', { ...UPSERT, body: {} }, token({}), 403],
    [
      'a token that reads a link of another customer',
      { ...READ, path: '/customers/other/connect_links/x' },
      token({}),
      403,
    ],
    ['a token that reads its customer', READ, token({}), 200],
    ['a token that reads another customer', { ...READ, path: '/customers/other' }, token({}), 403],
    ['an unknown customer', SEARCH, { ...DEMO, 'x-customer-id': 'nobody' }, 404],
    ['another application’s customer', SEARCH, { ...DEMO, 'x-api-key': 'other-key' }, 404],
    ['another application reads a customer', READ, { 'x-api-key': 'other-key' }, 404],
    ['no connection to the provider', SEARCH, { ...DEMO, 'x-customer-id': 'nobody' }, 404],
    ['no customer named', SEARCH, { 'x-api-key': 'demo-key', 'x-provider-name': 'hubspot' }, 400],
    ['a provider without search', SEARCH, { ...DEMO, 'x-provider-name': 'zendesk_sell' }, 501],
    ['an upsert', UPSERT, DEMO, 200],
    ['an upsert of another version', UPSERT, { ...DEMO, 'if-match': '"7"' }, 409],
  ])('%s', async (_, { method, path, body }, headers, status) => {
    const { ask } = await openRest();
    expect((await ask(method, path, { headers, body })).status).toBe(status);
  });

  test('the caller is authenticated before the body is read', async () => {
    const { ask } = await openRest();
    const answer = await ask('PUT', '/customers', { headers: {}, raw: 'not even JSON' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(answer.body.errors[0].meta).not.toHaveProperty('application_name');
  });

  test.each([
    ['GET', '/contacts/_search'],
    ['GET', '/nothing'],
  ])('%s %s is refused in the name of the caller’s application', async (method, path) => {
    const { ask } = await openRest();
    expect((await ask(method, path, {})).body.errors[0].meta).toMatchObject({
      application_name: 'Demo',
    });
  });

  test('a provider’s response is in its error, with status 499', async () => {
    const { ask, fake } = await openRest();
    const answer401 = { status: 401, body: '{"message":"expired"}', headers: { date: 'today' } };
    const failure = new RemoteFailure('REMOTE_PROVIDER_UNAUTHORIZED', 'Refused.', answer401);
    fake.faults.set('hubspot', (await toError(failure)) as CrossbookError);
    const answer = await ask('POST', '/contacts/_search', { body: SEARCH.body });
    expect(answer.status).toBe(499);
    expect(answer.body.errors[0]).toMatchObject({
      status: '499',
      meta: {
        origin: 'remote-provider',
        cause: { code: 401, body: { message: 'expired' }, headers: { date: 'today' } },
      },
    });
  });

  test('a bug is masked, and logged once with its cause and the id in the response', async () => {
    const { ask, fake } = await openRest();
    const bug = new Error('the secret is 42');
    fake.faults.set('hubspot', bug);
    const answer = await ask('POST', '/contacts/_search', { body: SEARCH.body });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(fake.requestLog.errors).toEqual([
      expect.objectContaining({
        id: answer.body.errors[0].id,
        code: 'INTERNAL_SERVER_ERROR',
        cause: bug,
      }),
    ]);
  });
});

function token(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { authorization: 'Bearer demo-token', 'x-provider-name': 'hubspot', ...headers };
}

function hubspotToken(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...token(headers), authorization: 'Bearer hubspot-token' };
}
