import { describe, expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { UsageRow } from '../../src/domain/usage.ts';
import { createUsageCounts } from '../../src/telemetry/usage.ts';
import { storeUsage } from '../../src/usecases/usage.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 60 * 60_000;
const NOTHING = { errors: 0, cost: 0 };

function open() {
  let wall = NOON + 59_000;
  const usage = createUsageCounts({ wall: () => wall });
  const count = (applicationId: string, customers: Iterable<string>) => {
    for (const customerId of customers) usage.request({ applicationId, customerId }, NOTHING);
  };
  const pass = (ms: number) => {
    wall += ms;
  };
  return { usage, count, pass };
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
/** The rows without the totals of applications, which have their own test. */
const countsOf = (rows: readonly UsageRow[]) =>
  rows
    .filter(({ requests, providerCalls }) => requests + providerCalls > 0)
    .map(({ tallies, recent, ...counts }) => counts);
const sum = (rows: readonly UsageRow[]) => rows.reduce((all, { requests }) => all + requests, 0);
const namedOf = (rows: readonly UsageRow[], applicationId: string) =>
  rows.filter((row) => row.applicationId === applicationId && row.customerId !== '').length;

describe('Usage in memory', () => {
  test('is counted by application, customer and hour, and taken once', () => {
    const { usage, pass } = open();
    usage.request({ applicationId: 'a', customerId: 'ada' }, { errors: 2, cost: 100 });
    usage.request({ applicationId: 'a', customerId: 'ada' }, { errors: 0, cost: 0.5 });
    usage.called({ applicationId: 'a', customerId: 'ada' });
    usage.request({ applicationId: 'b', customerId: undefined }, NOTHING);
    pass(HOUR);
    usage.request({ applicationId: 'a', customerId: 'ada' }, NOTHING);
    const ada = { applicationId: 'a', customerId: 'ada' };
    expect(countsOf(usage.take())).toEqual([
      { ...ada, hour: NOON, requests: 2, errors: 2, providerCalls: 1, cost: 101 },
      { applicationId: 'b', customerId: '', hour: NOON, ...ONE },
      { ...ada, hour: NOON + HOUR, ...ONE },
    ]);
    expect(usage.take()).toEqual([]);
  });

  test('counts errors, latencies and calls by name, of each customer and of the whole application', () => {
    const { usage } = open();
    const ada = { applicationId: 'a', customerId: 'ada' };
    const error = { id: 'e1', code: 'NOT_FOUND' } as const;
    const facts = { ms: 30, requestId: 'r1', errors: [error], providers: ['hubspot'] } as const;
    usage.request(ada, { errors: 1, cost: 1 }, facts);
    usage.request({ applicationId: 'a', customerId: undefined }, NOTHING, {
      ...facts,
      ms: 99_999,
      errors: [],
    });
    usage.called(ada, { provider: 'hubspot', outcome: 'answered', status: 429, waitedMs: 1.5 });
    const [whole, own] = usage.take();
    const calls = {
      'calls hubspot': 1,
      'wait hubspot': 2,
      'limited hubspot': 1,
      'failed hubspot': 1,
    };
    expect(own).toMatchObject({
      tallies: { 'ms 50': 1, 'error NOT_FOUND': 1, ...calls },
      recent: [{ id: 'e1', code: 'NOT_FOUND', provider: 'hubspot', requestId: 'r1' }],
    });
    expect(whole?.tallies).toEqual({
      requests: 2,
      'requests 0': 2,
      errors: 1,
      'errors 0': 1,
      calls: 1,
      'calls 0': 1,
      'ms 50': 1,
      'ms 60000': 1,
      'error NOT_FOUND': 1,
      ...calls,
    });
  });

  test('counts a limited number of customers of an application by themselves, and loses no request', () => {
    const { usage, count } = open();
    count('a', numbered('customer', 3_000));
    const first = usage.take();
    count('a', numbered('later', 10));
    const rows = [...first, ...usage.take()];
    expect(namedOf(rows, 'a')).toBe(1_000);
    expect(sum(rows)).toBe(3_010);
  });

  test('gives each application a share, however many customers the others have', () => {
    const { usage, count } = open();
    const many = numbered('application', 2_000);
    for (const application of many) count(application, numbered('customer', 100));
    count('newcomer', numbered('customer', 50));
    const rows = usage.take();
    expect(namedOf(rows, 'newcomer')).toBe(50);
    expect(rows.filter(({ customerId }) => customerId !== '').length).toBeLessThan(150_000);
    expect(sum(rows)).toBe(200_050);
  });

  test('counts ids that cannot be stored without a customer', () => {
    const { usage, count } = open();
    count('a', ['x'.repeat(10_000), 'nul\0', '\ud800', '']);
    expect(countsOf(usage.take())).toEqual([
      { applicationId: 'a', customerId: '', hour: NOON, ...ONE, requests: 4 },
    ]);
  });

  test('is kept while the database is unavailable, in a limited number of hours', async () => {
    const { usage, count, pass } = open();
    const unavailable = new CrossbookError('SERVICE_UNAVAILABLE', 'away');
    const store = { add: () => Promise.reject(unavailable) };
    for (let hour = 0; hour < 10; hour += 1) {
      count('a', ['ada']);
      await expect(storeUsage({ usage, store })).rejects.toBe(unavailable);
      pass(HOUR);
    }
    const rows = usage.take();
    expect(countsOf(rows).length).toBeLessThanOrEqual(3);
    expect(sum(rows)).toBe(10);
  });

  test('is stored in batches, and rows that the database refuses do not hold up the others', async () => {
    const { usage, count } = open();
    count('a', numbered('customer', 900));
    const stored: UsageRow[] = [];
    let calls = 0;
    const store = {
      async add(rows: readonly UsageRow[]) {
        calls += 1;
        if (calls === 1) throw new Error('refused');
        stored.push(...rows);
      },
    };
    await expect(storeUsage({ usage, store })).rejects.toThrow('refused');
    expect([calls, stored.length]).toEqual([2, 401]);
    expect(usage.take()).toEqual([]);
  });
});

const ONE = { requests: 1, errors: 0, providerCalls: 0, cost: 0 };
