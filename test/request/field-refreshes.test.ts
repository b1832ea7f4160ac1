import { expect, test } from 'vitest';
import { AbandonedError } from '../../src/domain/errors.ts';
import type { RecordType } from '../../src/domain/records/record-type.ts';
import { createFieldRefreshes } from '../../src/request/field-refreshes.ts';

function open() {
  const clock = { now: 0 };
  let count = 0;
  const { refreshOnce } = createFieldRefreshes({ now: () => clock.now });
  const refresh = (connection = 'one', record: RecordType = 'CONTACT') =>
    refreshOnce(connection, record, async () => {
      count += 1;
    });
  return { clock, refreshOnce, refresh, count: () => count };
}

test('a connection is refreshed once in ten seconds, and each connection and type of record by itself', async () => {
  const { clock, refresh, count } = open();
  await Promise.all([refresh(), refresh()]);
  clock.now = 9_999;
  await refresh();
  expect(count()).toBe(1);
  await refresh('two');
  expect(count()).toBe(2);
  await refresh('two', 'COMPANY');
  expect(count()).toBe(3);
  clock.now = 10_000;
  await refresh();
  expect(count()).toBe(4);
});

test('a refresh that fails does not count, and one whose client has disconnected is repeated for the others', async () => {
  const { refreshOnce, refresh, count } = open();
  await expect(
    refreshOnce('one', 'CONTACT', () => Promise.reject(new Error('failed'))),
  ).rejects.toThrow();
  const canceled = refreshOnce('one', 'CONTACT', () => Promise.reject(new AbandonedError()));
  const other = refresh();
  await expect(canceled).rejects.toThrow(AbandonedError);
  await other;
  expect(count()).toBe(1);
});
