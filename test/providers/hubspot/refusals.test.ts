import { expect, test } from 'vitest';
import type { CrossbookError } from '../../../src/domain/errors.ts';
import { PLAIN } from '../../contract/contact-port-subject.ts';
import { useHubSpot } from './use-sandbox.ts';

const subject = useHubSpot();

/** HubSpot's own ways to refuse: what each means, and how long it says or implies to wait. */
test.each([
  ['expired-token', 'REMOTE_PROVIDER_UNAUTHORIZED', undefined],
  ['missing-scopes', 'REMOTE_PROVIDER_FORBIDDEN', undefined],
  ['missing-scopes-in-context', 'REMOTE_PROVIDER_FORBIDDEN', undefined],
  ['conflict', 'REMOTE_PROVIDER_ERROR', undefined],
  ['uri-too-long', 'REMOTE_PROVIDER_ERROR', undefined],
  ['locked', 'REMOTE_PROVIDER_UNAVAILABLE', 2_000],
  ['rate-limit-search', 'REMOTE_PROVIDER_RATE_LIMITED', 1_000],
  ['rate-limit-secondly-of-old', 'REMOTE_PROVIDER_RATE_LIMITED', 1_000],
  ['rate-limit-ten-secondly', 'REMOTE_PROVIDER_RATE_LIMITED', 10_000],
  ['rate-limit-daily', 'REMOTE_PROVIDER_RATE_LIMITED', undefined],
  ['rate-limit-retry-after', 'REMOTE_PROVIDER_RATE_LIMITED', 3_000],
  ['rate-limit-cloudflare', 'REMOTE_PROVIDER_RATE_LIMITED', undefined],
  ['migrating', 'REMOTE_PROVIDER_UNAVAILABLE', 120_000],
  ['server-error', 'REMOTE_PROVIDER_UNAVAILABLE', undefined],
  ['bad-gateway', 'REMOTE_PROVIDER_UNAVAILABLE', undefined],
  ['origin-down', 'REMOTE_PROVIDER_UNAVAILABLE', undefined],
  ['origin-timeout', 'REMOTE_PROVIDER_UNAVAILABLE', undefined],
  ['wrong-shape', 'REMOTE_PROVIDER_BAD_RESPONSE', undefined],
  ['redirect', 'REMOTE_PROVIDER_ERROR', undefined],
])('%s is %s', async (fault, code, retryAfterMs) => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  account.fail(fault);
  const refused = openPort().findByEmails(['a@b.example'], PLAIN);
  await expect(refused).rejects.toMatchObject({ code, retryAfterMs });
});

test('a 404 that names nobody is a failure, not an account without people', async () => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  const refused = { code: 'REMOTE_PROVIDER_ERROR', remote: { code: 404 } };
  account.fail('not-found');
  await expect(openPort().findByEmails(['a@b.example'], PLAIN)).rejects.toMatchObject(refused);
  account.fail('not-found');
  await expect(openPort().findByIds([account.recordId(1)], PLAIN)).rejects.toMatchObject(refused);
});

test('a 404 of a search is a failure, not an empty answer', async () => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  account.fail('not-found');
  await expect(openPort().countByDomain('b.example')).rejects.toMatchObject({
    code: 'REMOTE_PROVIDER_ERROR',
  });
});

test('what HubSpot said is in the error, with its correlation id', async () => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  account.fail('missing-scopes');
  const error = (await openPort()
    .findByEmails(['a@b.example'], PLAIN)
    .catch((refusal: unknown) => refusal)) as CrossbookError;
  expect(error.message).toMatch(/^HubSpot answered 403: This app hasn't been granted/);
  expect(error.remote?.headers['x-hubspot-correlation-id']).toEqual(expect.any(String));
  expect(error.remote?.body).toMatchObject({ category: 'MISSING_SCOPES' });
});

test('a token that expired, was revoked or never was is told from everything else', async () => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  account.expireAccessToken();
  const expired = openPort().findByEmails(['a@b.example'], PLAIN);
  await expect(expired).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_UNAUTHORIZED' });
  for (const status of [200, 400, 403, 429, 500])
    expect(subject.access.isTokenExpired({ status, headers: {}, body: '' })).toBe(false);
  expect(subject.access.isTokenExpired({ status: 401, headers: {}, body: '' })).toBe(true);
});
