import { expect, test, vi } from 'vitest';
import type { Caller, TokenRequest } from '../../src/domain/caller.ts';
import { issueCustomerToken } from '../../src/usecases/change-customers.ts';
import { createFakeRequestLog } from '../support/fake-request-log.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const APPLICATION: Caller = { application: { id: 'a', name: 'A' }, credentialId: 'k' };

function open(caller = APPLICATION) {
  const signToken = vi.fn(async ({ customerId }: TokenRequest) =>
    customerId === 'acme' ? 'signed' : undefined,
  );
  const { withSpan } = createFakeRequestLog();
  return { signToken, deps: { requireCaller: () => caller, wall: () => NOW, signToken, withSpan } };
}

test('a token is valid for an hour by default, and for a day at most', async () => {
  const { deps } = open();
  const issue = (expiresInSeconds?: number | null) =>
    issueCustomerToken(deps, { customerId: 'acme', expiresInSeconds });
  expect(await issue()).toEqual({ token: 'signed', expiresAt: '2026-11-20T13:00:00.000Z' });
  expect((await issue(null)).expiresAt).toBe('2026-11-20T13:00:00.000Z');
  expect((await issue(86_400)).expiresAt).toBe('2026-11-21T12:00:00.000Z');
  for (const wrong of [86_401, 0, -1, 1.5, Number.NaN]) {
    await expect(issue(wrong)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  }
});

test('only an application issues tokens', async () => {
  const { deps, signToken } = open({ ...APPLICATION, customer: { customerId: 'acme' } });
  const issued = issueCustomerToken(deps, { customerId: 'acme' });
  await expect(issued).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(signToken).not.toHaveBeenCalled();
});

test('a token for an unknown customer of the application is not issued', async () => {
  const issued = issueCustomerToken(open().deps, { customerId: 'nobody' });
  await expect(issued).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('duplicate providers are removed, and an empty list does not mean all providers', async () => {
  const { deps, signToken } = open();
  for (const providers of [['hubspot', 'hubspot'] as const, [], null]) {
    await issueCustomerToken(deps, { customerId: 'acme', providers });
  }
  expect(signToken.mock.calls.map(([request]) => request.providers)).toEqual([
    ['hubspot'],
    [],
    undefined,
  ]);
});
