import { expect, test } from 'vitest';
import type { CrossbookError } from '../../../src/domain/errors.ts';
import { PLAIN } from '../../provider-kit/contact-port-subject.ts';
import { byDomain } from '../../support/by-domain.ts';
import { useHubSpot } from './use-sandbox.ts';

const subject = useHubSpot();

test('a 404 without missing records is an error, not an empty result', async () => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  const refused = { code: 'REMOTE_PROVIDER_ERROR', remote: { code: 404 } };
  account.fail('not-found');
  await expect(openPort().findByKey(['a@b.example'], PLAIN)).rejects.toMatchObject(refused);
  account.fail('not-found');
  await expect(openPort().findByIds([account.recordId(1)], PLAIN)).rejects.toMatchObject(refused);
});

test('a 404 of a search is an error, not an empty result', async () => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  account.fail('not-found');
  await expect(openPort().count(byDomain('b.example'))).rejects.toMatchObject({
    code: 'REMOTE_PROVIDER_ERROR',
  });
});

test('the error has HubSpot’s message and correlation id', async () => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  account.fail('missing-scopes');
  const error = (await openPort()
    .findByKey(['a@b.example'], PLAIN)
    .catch((refusal: unknown) => refusal)) as CrossbookError;
  expect(error.message).toMatch(/^HubSpot responded with 403: This app hasn't been granted/);
  expect(error.remote?.headers['x-hubspot-correlation-id']).toEqual(expect.any(String));
  expect(error.remote?.body).toMatchObject({ category: 'MISSING_SCOPES' });
});

test('an expired, revoked or unknown token is distinguished from other errors', async () => {
  const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
  account.expireAccessToken();
  const expired = openPort().findByKey(['a@b.example'], PLAIN);
  await expect(expired).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_UNAUTHORIZED' });
  for (const status of [200, 400, 403, 429, 500])
    expect(subject.access.needsRefresh({ status, headers: {}, body: '' })).toBe(false);
  expect(subject.access.needsRefresh({ status: 401, headers: {}, body: '' })).toBe(true);
});
