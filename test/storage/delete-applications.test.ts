import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { deleteApplications } from '../../src/usecases/delete-applications.ts';
import { describeEachServer } from '../support/databases.ts';

const CUSTOMERS = 250;
const EVENTS = 4_500;

describeEachServer('the deletion of an application', (on) => {
  /** An application that was marked as deleted a minute ago. */
  const addDeleted = async () => {
    const { id } = await on.createApplication();
    await on.rows(
      `insert into crossbook.customers (application_id, customer_id, name, email, version)
      select $1::uuid, 'customer-' || number, 'C', 'c@example.com', 1 from generate_series(1, $2::int) as number`,
      [id, CUSTOMERS],
    );
    await on.rows(
      `insert into crossbook.events (id, application_id, customer_id, type, data)
      select gen_random_uuid(), $1::uuid, 'customer-1', 'customer.updated', '{}' from generate_series(1, $2::int)`,
      [id, EVENTS],
    );
    expect(await on.database().admin.markDeleted(id)).toBe(true);
    await on.rows(
      `update crossbook.applications set deleted_at = deleted_at - interval '1 minute' where id = $1::uuid`,
      [id],
    );
    return id;
  };
  const count = async (table: string, id: string) => {
    const text = `select count(*)::int as count from crossbook.${table} where application_id = $1::uuid`;
    const [row] = await on.rows<{ count: number }>(text, [id]);
    return row?.count;
  };

  /** Runs the job, and records what is left of the application after each of its steps. */
  const run = async (
    id: string,
    { stopAfter = Number.POSITIVE_INFINITY, holder = randomUUID() } = {},
  ) => {
    const left: (number | undefined)[][] = [];
    const done: unknown[] = [];
    const { deletedApplications, forApplication } = on.database();
    await deleteApplications({
      deleted: {
        ...deletedApplications,
        async acquireJobLease(...lease) {
          left.push([await count('customers', id), await count('events', id)]);
          return deletedApplications.acquireJobLease(...lease);
        },
      },
      holder,
      isStopping: () => left.length >= stopAfter,
      removeCustomer: (applicationId, customerId) =>
        forApplication(applicationId).removals.removeCustomer(customerId, undefined),
      revoke: async () => 'REVOKED',
      onDeleted: (deleted) => done.push(deleted),
    });
    await on.rows(`update crossbook.job_leases set until = now() - interval '1 second'`);
    return { left, done };
  };

  test('is done in steps of at most 100 customers and 2,000 events', async () => {
    const id = await addDeleted();
    const { left, done } = await run(id);
    expect(done).toEqual([expect.objectContaining({ id, customers: CUSTOMERS, notRevoked: 0 })]);
    for (const [index, [customers = 0, events = 0]] of left.slice(1).entries()) {
      const [customersBefore = 0, eventsBefore = 0] = left[index] ?? [];
      expect(customersBefore - customers).toBeLessThanOrEqual(100);
      expect(eventsBefore - events).toBeLessThanOrEqual(2_000);
    }
    expect(await on.rows('select from crossbook.applications where id = $1::uuid', [id])).toEqual(
      [],
    );
  });

  test('continues where it was stopped', async () => {
    const id = await addDeleted();
    const stopped = await run(id, { stopAfter: 3 });
    expect(stopped.done).toEqual([]);
    const left = await count('customers', id);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(CUSTOMERS);
    const { done } = await run(id);
    expect(done).toEqual([expect.objectContaining({ id, customers: left })]);
  });

  test('is left to the process that holds the lease', async () => {
    const id = await addDeleted();
    await on.database().deletedApplications.acquireJobLease(randomUUID(), 60_000);
    expect((await run(id)).done).toEqual([]);
    expect(await count('customers', id)).toBe(CUSTOMERS);
    expect((await run(id)).done).toHaveLength(1);
  });

  test('begins when no process accepts a key of the application any more', async () => {
    const { id } = await on.createApplication();
    await on.database().admin.markDeleted(id);
    expect(await on.database().deletedApplications.find(10_000)).toBeUndefined();
    expect(await on.database().deletedApplications.find(0)).toMatchObject({ id });
    expect(await on.database().admin.markDeleted(id)).toBe(false);
    expect((await run(id)).done).toEqual([]);
  });
});
