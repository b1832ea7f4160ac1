import type { Fault } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { toGlobalId } from '../../src/graphql/define/global-id.ts';
import { type Connected, connectAccount, connectCustomer } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

const HTML = '<!DOCTYPE html><html><body><h1>Not today</h1></body></html>';
const EMAILS = Array.from({ length: 10 }, (_, index) => `p.${index}@here.example`);
const READS = {
  lookup: '{ read: searchContacts(filter: { email: "p.0@here.example" }) { nodes { remoteId } } }',
  page: '{ read: searchContacts(filter: { emailDomain: "here.example" }, first: 50) { nodes { remoteId } } }',
  node: '{ read: node(id: "$id") { id } }',
};
/** Longer than any request waits before it gives up. */
const LATER = { 'retry-after': '700' };
const answer = (
  status: number,
  headers: Record<string, string> = {},
  body: unknown = HTML,
): Fault => ({
  kind: 'answer',
  status,
  body,
  headers,
});

/** The fault, and the error code and provider status that the client gets. */
const ANOMALIES: readonly (readonly [string, Fault, code: string, status: number | undefined])[] = [
  ['401', answer(401, {}, {}), 'UNAUTHORIZED', 401],
  ['403', answer(403, {}, {}), 'FORBIDDEN', 403],
  ['404', answer(404), 'ERROR', 404],
  ['409', answer(409, {}, {}), 'ERROR', 409],
  ['423 with Retry-After', answer(423, LATER, {}), 'UNAVAILABLE', 423],
  ['429 with Retry-After', answer(429, LATER), 'RATE_LIMITED', 429],
  ['429 without Retry-After', answer(429, {}, {}), 'RATE_LIMITED', 429],
  ['500 with HTML', answer(500), 'UNAVAILABLE', 500],
  ['502 with HTML', answer(502), 'UNAVAILABLE', 502],
  ['503 with HTML', answer(503), 'UNAVAILABLE', 503],
  ['504 with HTML', answer(504), 'UNAVAILABLE', 504],
  ['302 redirect', answer(302, { location: 'https://evil.example' }, ''), 'BAD_RESPONSE', 302],
  ['no response', { kind: 'hang' }, 'TIMEOUT', undefined],
  ['a response that stalls', { kind: 'stall' }, 'TIMEOUT', 200],
  ['a connection reset', { kind: 'reset' }, 'UNAVAILABLE', undefined],
  ['a reset within the response', { kind: 'reset-midway' }, 'UNAVAILABLE', 200],
  ['truncated JSON', { kind: 'truncated' }, 'BAD_RESPONSE', 200],
  ['JSON of an unknown shape', answer(200, {}, { hello: 'world' }), 'BAD_RESPONSE', 200],
  ['an HTML page', answer(200), 'BAD_RESPONSE', 200],
  ['an oversized response', { kind: 'oversized', megabytes: 40 }, 'BAD_RESPONSE', 200],
  ['a gzip bomb', { kind: 'gzip-bomb', megabytes: 40 }, 'BAD_RESPONSE', 200],
];
const CONTACT = { type: 'Contact', applicationId: DEMO_APPLICATION.id } as const;
const RETRYABLE = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'TIMEOUT']);

/**
 * `impatient` has a short deadline, for responses that never come; `patient` has a long one, so that slow responses
 * arrive and retries happen.
 */
let impatient: TestApp;
let patient: TestApp;
/** A 429 without Retry-After pauses the rate limiter for one window: this deadline is longer than a window. */
let usual: TestApp;
beforeAll(async () => {
  const random = () => 0;
  impatient = await openApp({ providerDeadlineMs: 500 }, { random });
  patient = await openApp({}, { random });
  usual = await openApp({ providerDeadlineMs: 9_500 }, { random });
});
afterAll(async () => {
  await impatient.close();
  await patient.close();
  await usual.close();
});

describe.each(['hubspot', 'salesforce'] as const)('Faults of %s, end to end', (provider) => {
  let served = 0;
  const open = (crossbook: TestApp) =>
    connectAccount(crossbook, {
      provider,
      people: EMAILS.map((email) => ({ email })),
      customerId: `${provider}-${++served}`,
    });

  test.each(ANOMALIES)(
    '%s becomes the same error on every read',
    async (what, fault, code, status) => {
      const crossbook =
        code === 'TIMEOUT' ? impatient : what === '429 without Retry-After' ? usual : patient;
      const { account, headers } = await open(crossbook);
      account.fail(fault, { times: 1_000 });
      const read = async ([name, query]: [string, string]) => {
        // Each read has a connection of its own, so that an open circuit breaker or a cached failure of one cannot
        // affect another.
        const customerId = `${headers['x-customer-id']}-${name}`;
        await connectCustomer(crossbook, { provider, account, customerId });
        const id = toGlobalId({ ...CONTACT, provider, customerId, remoteId: account.recordId(1) });
        return ask(crossbook, query.replace('$id', id), {
          ...headers,
          'x-customer-id': customerId,
        });
      };
      for (const { data, errors } of await Promise.all(Object.entries(READS).map(read))) {
        expect(data).toEqual({ read: null });
        expect(errors).toHaveLength(1);
        const { meta, ...error } = errors[0].extensions;
        expect(error).toMatchObject({ code: `REMOTE_PROVIDER_${code}`, status: '499' });
        expect(meta).toMatchObject({ origin: 'remote-provider', retryable: RETRYABLE.has(code) });
        expect(meta.cause?.code).toBe(status);
        expect(meta.retry_after_ms === 700_000).toBe(what.endsWith('with Retry-After'));
        expect(JSON.stringify(errors)).not.toContain(account.accessToken);
      }
    },
  );

  test('an empty page gives no contacts, and a partial batch gives those that it contains', async () => {
    const { account, headers } = await open(patient);
    account.fail({ kind: 'empty' });
    expect((await ask(patient, READS.page, headers)).data.read.nodes).toEqual([]);
    account.fail({ kind: 'partial' });
    const list = EMAILS.map((email) => JSON.stringify(email)).join(' ');
    const query = `{ read: searchContacts(filter: { emails: [${list}] }) { nodes { remoteId } } }`;
    expect((await ask(patient, query, headers)).data.read.nodes).toHaveLength(5);
    expect((await ask(patient, query, headers)).data.read.nodes).toHaveLength(10);
  });

  test('a transient failure is retried and not reported to the client', async () => {
    for (const fault of [
      { kind: 'reset' },
      { kind: 'reset-midway' },
      answer(503),
      answer(500),
    ] as const) {
      const { account, headers } = await open(patient);
      account.fail(fault);
      expect((await ask(patient, READS.lookup, headers)).data.read.nodes).toHaveLength(1);
      expect(account.callCount()).toBe(2);
    }
  });
});

function ask(crossbook: TestApp, query: string, headers: Connected['headers']): Promise<Json> {
  return crossbook.execute(query, {}, headers);
}
