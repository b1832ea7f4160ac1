import { beforeEach, expect, test } from 'vitest';
import type { CustomerScope, PlannedPart, PlanWalk } from '../../src/domain/sync.ts';
import { watchSyncs } from '../../src/sync/watch.ts';
import { createFakeClock, type FakeClock } from '../support/clock.ts';

const ADA = { applicationId: 'one', customerId: 'ada' };
const SETTINGS = { applicationId: 'two' };
/** What one part of a walk takes; a twentieth of the three seconds between two looks are 150 ms. */
const PART_MS = 40;

let clock: FakeClock;
let hasLease: boolean;
let planned: readonly CustomerScope[];
let parts: PlanWalk['after'][];
let toPart: (walk: PlanWalk) => PlannedPart;

beforeEach(() => {
  clock = createFakeClock();
  hasLease = true;
  planned = [];
  parts = [];
  toPart = () => ({ planned: 0, rest: undefined });
});

function watch() {
  return watchSyncs({
    clock: { now: () => clock.now() + parts.length * PART_MS },
    schedule: clock.schedule,
    queue: {
      findDue: async () => ({ isDue: false, isInUse: true }),
      count: async () => ({ syncs: 0, failed: 0, lagSeconds: 0, removalSeconds: 0 }),
    },
    plans: {
      planCustomers: async (customers) => {
        planned = [...planned, ...customers];
        return 0;
      },
      planNext: async (walk) => {
        parts.push(walk.after);
        return toPart(walk);
      },
    },
    mayWalk: async () => hasLease,
    openWorker: async () => ({ pump: async () => {}, stop: async () => {} }),
    mayCount: async () => false,
    tidy: () => {},
    onError: (error) => expect(error).toBeUndefined(),
  });
}

/** A walk of as many parts, each of which ends at a customer of its number. */
function walkOf(count: number) {
  return ({ after, lastApplicationId }: PlanWalk): PlannedPart => {
    const number = Number(after.customerId || '0') + 1;
    if (number === count) return { planned: 0, rest: undefined };
    return {
      planned: 0,
      rest: { after: { ...after, customerId: `${number}` }, lastApplicationId },
    };
  };
}

const customersOf = (applicationId: string) =>
  parts.flatMap((part) => (part.applicationId === applicationId ? [part.customerId] : []));

test('connections that this process has changed are planned at once, also by a process that does not walk', async () => {
  hasLease = false;
  const syncs = watch();
  syncs.planSoon(ADA);
  syncs.planSoon(ADA);
  await clock.advance(50);
  expect(planned).toEqual([ADA]);
  await clock.advance(10_000);
  expect(planned).toEqual([ADA]);
  expect(parts).toEqual([]);
  await syncs.stop();
});

test('after a change of settings the connections of that application are walked at once', async () => {
  hasLease = false;
  toPart = walkOf(3);
  const syncs = watch();
  syncs.planSoon(SETTINGS);
  await clock.advance(50);
  expect(customersOf('two')).toEqual(['', '1', '2']);
  await syncs.stop();
});

test('a walk over all connections takes a twentieth of the time, and continues at its place', async () => {
  toPart = walkOf(10);
  const syncs = watch();
  await clock.advance(3_000);
  const first = parts.map(({ customerId }) => customerId);
  expect(first).toEqual(['', '1', '2', '3']);
  await clock.advance(6_000);
  expect(parts.map(({ customerId }) => customerId)).toEqual([
    ...first,
    ...['4', '5', '6', '7', '8', '9'],
  ]);
  await clock.advance(3_000);
  expect(parts.at(10)?.customerId).toBe('');
  await syncs.stop();
});

test('a long walk of one application does not keep the walk over all connections waiting', async () => {
  toPart = walkOf(1_000);
  const syncs = watch();
  syncs.planSoon(SETTINGS);
  await clock.advance(50);
  const inTwo = customersOf('two');
  expect(parts).toHaveLength(4);
  expect(inTwo).toEqual(['', '1']);
  await syncs.stop();
});

test('where something was planned, there is probably more: the walk goes on soon', async () => {
  toPart = ({ after, lastApplicationId }) => ({
    planned: parts.length <= 3 ? 100 : 0,
    rest: parts.length <= 3 ? { after, lastApplicationId } : undefined,
  });
  const syncs = watch();
  await clock.advance(3_000 + 3 * 50);
  expect(parts).toHaveLength(4);
  await syncs.stop();
});
