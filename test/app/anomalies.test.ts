import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toGlobalId } from '../../src/graphql/global-id.ts';
import { DEMO_APPLICATION } from '../../src/sandbox/demo.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import { type Connected, connectAccount, connectCustomer } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

const HTML = '<!DOCTYPE html><html><body><h1>Not today</h1></body></html>';
const EMAILS = Array.from({ length: 10 }, (_, index) => `p.${index}@here.example`);
const READS = {
  lookup: '{ read: searchContacts(filter: { email: "p.0@here.example" }) { nodes { remoteId } } }',
  page: '{ read: searchContacts(filter: { emailDomain: "here.example" }, first: 50) { nodes { remoteId } } }',
  node: '{ read: node(id: "$id") { id } }',
};
/** Longer than anybody here waits. */
const LATER = { 'retry-after': '700' };
const answer = (status: number, headers: Record<string, string> = {}, body: unknown = HTML): Fault => ({
  ...{ kind: 'answer', status, body, headers },
});

/** What goes wrong, what the client is told, and whether trying again may help. */
const ANOMALIES: readonly (readonly [string, Fault, code: string, status: number | undefined])[] = [
  ['401', answer(401, {}, {}), 'UNAUTHORIZED', 401],
  ['403', answer(403, {}, {}), 'FORBIDDEN', 403],
  ['404', answer(404), 'ERROR', 404],
  ['409', answer(409, {}, {}), 'ERROR', 409],
  ['423 with Retry-After', answer(423, LATER, {}), 'UNAVAILABLE', 423],
  ['429 with Retry-After', answer(429, LATER), 'RATE_LIMITED', 429],
  ['429 without', answer(429, {}, {}), 'RATE_LIMITED', 429],
  ['500 of HTML', answer(500), 'UNAVAILABLE', 500],
  ['502 of HTML', answer(502), 'UNAVAILABLE', 502],
  ['503 of HTML', answer(503), 'UNAVAILABLE', 503],
  ['504 of HTML', answer(504), 'UNAVAILABLE', 504],
  ['302', answer(302, { location: 'https://evil.example' }, ''), 'BAD_RESPONSE', 302],
  ['no answer', { kind: 'hang' }, 'TIMEOUT', undefined],
  ['half an answer', { kind: 'stall' }, 'TIMEOUT', 200],
  ['a reset', { kind: 'reset' }, 'UNAVAILABLE', undefined],
  ['a reset in the middle', { kind: 'reset-midway' }, 'UNAVAILABLE', 200],
  ['JSON that breaks off', { kind: 'truncated' }, 'BAD_RESPONSE', 200],
  ['another shape', answer(200, {}, { hello: 'world' }), 'BAD_RESPONSE', 200],
  ['a page of HTML', answer(200), 'BAD_RESPONSE', 200],
  ['far too much', { kind: 'oversized', megabytes: 40 }, 'BAD_RESPONSE', 200],
  ['far too much, compressed', { kind: 'gzip-bomb', megabytes: 40 }, 'BAD_RESPONSE', 200],
];
const CONTACT = { type: 'Contact', applicationId: DEMO_APPLICATION.id } as const;
const RETRYABLE = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'TIMEOUT']);

/** What never answers is given up soon; what answers is given all the time that it needs, and asked again at once. */
let impatient: TestApp;
let patient: TestApp;
/** A 429 that does not say for how long pauses a budget for its interval: this one waits for those of a second. */
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

describe.each(['hubspot', 'salesforce'] as const)('through the whole product, %s', (provider) => {
  let served = 0;
  const open = (crossbook: TestApp) =>
    connectAccount(crossbook, {
      provider,
      people: EMAILS.map((email) => ({ email })),
      customerId: `${provider}-${++served}`,
    });

  test.each(ANOMALIES)('%s is told as what it is, whatever was read', async (what, fault, code, status) => {
    const crossbook = code === 'TIMEOUT' ? impatient : what === '429 without' ? usual : patient;
    const { account, headers } = await open(crossbook);
    account.fail(fault, { times: 1_000 });
    const read = async ([name, query]: [string, string]) => {
      // Each by a connection of its own: none is spared a failure because another has had it.
      const customerId = `${headers['x-customer-id']}-${name}`;
      await connectCustomer(crossbook, { provider, account, customerId });
      const id = toGlobalId({ ...CONTACT, provider, customerId, remoteId: account.recordId(1) });
      return ask(crossbook, query.replace('$id', id), { ...headers, 'x-customer-id': customerId });
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
  });

  test('an empty page finds nobody, and half of a batch finds half of it', async () => {
    const { account, headers } = await open(patient);
    account.fail({ kind: 'empty' });
    expect((await ask(patient, READS.page, headers)).data.read.nodes).toEqual([]);
    account.fail({ kind: 'partial' });
    const list = EMAILS.map((email) => JSON.stringify(email)).join(' ');
    const query = `{ read: searchContacts(filter: { emails: [${list}] }) { nodes { remoteId } } }`;
    expect((await ask(patient, query, headers)).data.read.nodes).toHaveLength(5);
    expect((await ask(patient, query, headers)).data.read.nodes).toHaveLength(10);
  });

  test('what passes by itself is not told at all', async () => {
    for (const fault of [{ kind: 'reset' }, { kind: 'reset-midway' }, answer(503), answer(500)] as const) {
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
