import { expect, test } from 'vitest';
import type { UsageRow } from '../../src/domain/usage.ts';
import { describeEachServer } from '../support/databases.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 60 * 60_000;
const DAY = { since: new Date(NOON - 12 * HOUR), until: new Date(NOON + 12 * HOUR) };
const ONE = { requests: 1, errors: 2, providerCalls: 3, cost: 4 };
const times = (count: number) => ({
  requests: count,
  errors: 2 * count,
  providerCalls: 3 * count,
  cost: 4 * count,
});

describeEachServer('usage', (on) => {
  const open = async (...customerIds: string[]) => {
    const { id: applicationId } = await on.createApplication();
    const { customers, removals } = on.database().forApplication(applicationId);
    for (const customerId of customerIds)
      await customers.upsert({ customerId, name: 'C', email: 'c@example.com' });
    const { usage } = on.database();
    const row = (customerId: string, hour = NOON): UsageRow => ({
      applicationId,
      customerId,
      hour,
      ...ONE,
    });
    const byCustomer = () => usage.byCustomer({ ...DAY, applicationId, limit: 10 });
    const byHour = (customerId?: string) => usage.byHour({ ...DAY, applicationId, customerId });
    return { applicationId, customers, removals, usage, row, byCustomer, byHour };
  };

  test('is added up by customer and by hour, and customers that do not exist have none of their own', async () => {
    const { applicationId, usage, row, byCustomer, byHour } = await open('ada', 'grace');
    await usage.add([row('ada'), row('ada', NOON + HOUR), row('nobody'), row('')]);
    await usage.add([row('ada'), row('grace'), row('another nobody', NOON + HOUR)]);
    expect(await byCustomer()).toEqual([
      { customerId: '', ...times(3) },
      { customerId: 'ada', ...times(3) },
      { customerId: 'grace', ...times(1) },
    ]);
    expect(await byHour()).toEqual([
      { hour: new Date(NOON), ...times(5) },
      { hour: new Date(NOON + HOUR), ...times(2) },
    ]);
    expect(await byHour('ada')).toEqual([
      { hour: new Date(NOON), ...times(2) },
      { hour: new Date(NOON + HOUR), ...times(1) },
    ]);
    const all = await usage.byApplication({ ...DAY, limit: 1_000 });
    expect(all).toContainEqual(expect.objectContaining({ applicationId, ...times(7) }));
    const [first] = await usage.byCustomer({ ...DAY, applicationId, limit: 1 });
    expect(first?.customerId).toBe('');
    const before = { since: new Date(0), until: new Date(NOON) };
    expect(await usage.byHour({ ...before, applicationId, customerId: undefined })).toEqual([]);
  });

  test('of a customer of another application with the same id is apart', async () => {
    const [one, other] = [await open('ada'), await open('ada')];
    await one.usage.add([one.row('ada'), other.row('ada'), other.row('ada')]);
    expect(await one.byCustomer()).toEqual([{ customerId: 'ada', ...times(1) }]);
    expect(await other.byCustomer()).toEqual([{ customerId: 'ada', ...times(2) }]);
  });

  test('of a deleted customer stays in the sums of its application, without its id', async () => {
    const { usage, row, removals, byCustomer, applicationId } = await open('ada', 'grace');
    await usage.add([row('ada'), row('ada', NOON + HOUR), row('grace'), row('')]);
    await removals.removeCustomer('ada', undefined);
    expect(await byCustomer()).toEqual([
      { customerId: '', ...times(3) },
      { customerId: 'grace', ...times(1) },
    ]);
    // What was counted before the deletion arrives after it.
    await usage.add([row('ada')]);
    const left = 'select customer_id from crossbook.usage where application_id = $1::uuid';
    const rows = await on.rows<{ customer_id: string }>(left, [applicationId]);
    expect(rows.map(({ customer_id }) => customer_id)).not.toContain('ada');
  });

  test('leaves no id of a customer that is deleted at the same time, and loses no count', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `customer-${index}`);
    const { usage, row, removals, byCustomer } = await open(...ids);
    const rounds = Array.from({ length: 5 }, () =>
      usage.add(ids.flatMap((id) => [row(id), row(id, NOON + HOUR)])),
    );
    await Promise.all([...rounds, ...ids.map((id) => removals.removeCustomer(id, undefined))]);
    expect(await byCustomer()).toEqual([{ customerId: '', ...times(200) }]);
  });

  test('of an application that is deleted or unknown is not stored', async () => {
    const [gone, kept] = [await open(), await open()];
    await on.database().admin.markDeleted(gone.applicationId);
    const unknown = { ...gone.row(''), applicationId: '00000000-0000-4000-8000-000000000000' };
    await kept.usage.add([gone.row(''), unknown, kept.row('')]);
    expect(await gone.byCustomer()).toEqual([]);
    expect(await kept.byCustomer()).toEqual([{ customerId: '', ...times(1) }]);
  });

  test('that is old is deleted in batches', async () => {
    const { usage, row, byHour } = await open();
    const hours = Array.from({ length: 10 }, (_, index) => NOON - index * HOUR);
    await usage.add(hours.map((hour) => row('', hour)));
    const batches: number[] = [];
    for await (const count of on.database().sweeps.usage(new Date(NOON - 4 * HOUR), 2))
      batches.push(count);
    expect(batches.every((count) => count <= 2)).toBe(true);
    expect(await byHour()).toHaveLength(5);
  });
});
