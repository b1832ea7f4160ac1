import type { Fault } from '@crossbook/sandbox';
import { describe, expect, test } from 'vitest';
import { CrossbookError, type ErrorCode } from '../../src/domain/errors.ts';
import type { TestContacts } from '../support/redacted.ts';
import { idsOf, listingOf, PLAIN, type Subject } from './contact-port-subject.ts';

const HTML = '<!DOCTYPE html><html><body><h1>Not today</h1></body></html>';
const RUN = { direction: 'forward', from: undefined, limit: 5 } as const;

type Read = readonly [string, (port: TestContacts, id: string) => Promise<unknown>];

function readsOf(subject: Subject): readonly Read[] {
  const { filter } = listingOf(subject, 'here.example');
  const counts: readonly Read[] = [['a count', (port) => port.count(filter)]];
  return [
    ['a lookup', (port) => port.findByKey(['p0@here.example'], PLAIN)],
    ['a page', (port) => port.readList(filter, RUN, PLAIN)],
    ...(subject.access.records.CONTACT.isUncounted ? [] : counts),
    ['a read by id', (port, id) => port.findByIds([id], PLAIN)],
  ];
}

const REFUSALS: readonly (readonly [status: number, code: ErrorCode])[] = [
  [400, 'REMOTE_PROVIDER_ERROR'],
  [401, 'REMOTE_PROVIDER_UNAUTHORIZED'],
  [403, 'REMOTE_PROVIDER_FORBIDDEN'],
  [404, 'REMOTE_PROVIDER_ERROR'],
  [409, 'REMOTE_PROVIDER_ERROR'],
  [423, 'REMOTE_PROVIDER_UNAVAILABLE'],
  [429, 'REMOTE_PROVIDER_RATE_LIMITED'],
  [500, 'REMOTE_PROVIDER_UNAVAILABLE'],
  [502, 'REMOTE_PROVIDER_UNAVAILABLE'],
  [503, 'REMOTE_PROVIDER_UNAVAILABLE'],
  [504, 'REMOTE_PROVIDER_UNAVAILABLE'],
];

const NONSENSE: readonly (readonly [string, Fault])[] = [
  ['truncated JSON', { kind: 'truncated' }],
  ['an object of another shape', ok({ hello: 'world' })],
  [
    'values of the wrong types',
    ok({ results: 'none', records: 'none', totalSize: 'many', done: 'no' }),
  ],
  ['a bare array', ok([])],
  ['a number', ok(42)],
  ['an HTML page', { kind: 'answer', status: 200, body: HTML }],
  ['nothing', { kind: 'answer', status: 200, body: '' }],
];

export function testAnomalies(subject: Subject): void {
  describe.each(readsOf(subject))('%s of a failing CRM', (_, read) => {
    const failed = async (fault: Fault): Promise<CrossbookError> => {
      const { account, openPort } = subject.open([{ email: 'p0@here.example' }]);
      account.fail(fault);
      const outcome = await read(openPort(), account.recordId(1)).catch((error: unknown) => error);
      if (outcome instanceof CrossbookError) return outcome;
      throw new Error(`No CrossbookError but ${JSON.stringify(outcome)} ${outcome}`);
    };

    test.each(REFUSALS)('status %i becomes %s, with the CRM’s message', async (status, code) => {
      const error = await failed({
        kind: 'answer',
        status,
        body: { hello: 'world' },
        headers: {
          'content-type': 'application/json',
          'set-cookie': 'secret=1',
          'x-request-id': 'r1',
        },
      });
      expect(error.code).toBe(code);
      expect(error.remote).toMatchObject({
        code: status,
        body: { hello: 'world' },
        headers: { 'x-request-id': 'r1' },
      });
      expect(JSON.stringify(error.remote)).not.toContain('secret');
    });

    test.each([404, 429, 500, 502])(
      'status %i with an HTML body becomes the same error',
      async (status) => {
        const error = await failed({ kind: 'answer', status, body: HTML });
        expect(error.code).toBe(REFUSALS.find(([expected]) => expected === status)?.[1]);
        expect(error.remote).toMatchObject({ code: status, body: HTML });
        expect(error.message).not.toContain('<');
      },
    );

    test('Retry-After is passed on, in seconds or as a date', async () => {
      const seconds = await failed({
        kind: 'answer',
        status: 429,
        headers: { 'retry-after': '7' },
      });
      expect(seconds.retryAfterMs).toBe(7_000);
      const date = await failed({
        kind: 'answer',
        status: 503,
        body: HTML,
        headers: {
          date: 'Fri, 20 Nov 2026 21:00:00 GMT',
          'retry-after': 'Fri, 20 Nov 2026 21:00:30 GMT',
        },
      });
      expect(date.retryAfterMs).toBe(30_000);
      const nonsense = await failed({
        kind: 'answer',
        status: 503,
        headers: { 'retry-after': 'soon' },
      });
      expect(nonsense.retryAfterMs).toBeUndefined();
    });

    test.each(NONSENSE)('%s as the response body is a bad response', async (_what, fault) => {
      expect((await failed(fault)).code).toBe('REMOTE_PROVIDER_BAD_RESPONSE');
    });
  });

  test('an empty response finds no contacts', async () => {
    const { account, openPort } = subject.open([{ email: 'p0@here.example' }]);
    const port = openPort();
    account.fail({ kind: 'empty' }, { times: 99 });
    expect((await port.findByKey(['p0@here.example'], PLAIN)).get('p0@here.example')).toEqual([]);
    const { filter } = listingOf(subject, 'here.example');
    expect(await port.readList(filter, RUN, PLAIN)).toEqual([]);
    expect((await port.findByIds([account.recordId(1)], PLAIN)).size).toBe(0);
  });

  test('a partial batch response assigns no contact to the wrong email', async () => {
    const emails = Array.from({ length: 10 }, (_, index) => `p${index}@here.example`);
    const { account, openPort } = subject.open(emails.map((email) => ({ email })));
    account.fail({ kind: 'partial' }, { operation: subject.recordsOperation });
    const found = await openPort().findByKey(emails, PLAIN);
    expect([...found.keys()]).toEqual(emails);
    expect([...found.values()].flat()).toHaveLength(5);
    emails.forEach((email, index) => {
      for (const id of idsOf(found.get(email) ?? [])) expect(id).toBe(account.recordId(index + 1));
    });
  });
}

function ok(body: unknown): Fault {
  return { kind: 'answer', status: 200, body };
}
