import { expect, test } from 'vitest';
import type { ConnectionLine } from '../../src/outbound/connection-line.ts';
import { createConnectionLines } from '../../src/outbound/connection-lines.ts';
import { createFakeClock } from '../support/clock.ts';
import { createConnection } from '../support/connection.ts';
import { createFakeAccess } from './fake-access.ts';

test('a connection has one line, for as long as it is used', async () => {
  const { use, clock } = open();
  const line = use('a');
  for (let minute = 0; minute < 20; minute++) {
    await clock.advance(60_000);
    expect(use('a')).toBe(line);
  }
});

test('lines that nobody uses are let go after some minutes', async () => {
  const { use, lines, clock } = open();
  for (const id of ['a', 'b', 'c']) use(id);
  await clock.advance(6 * 60_000);
  use('d');
  await clock.advance(60_000);
  use('d');
  expect(lines.size).toBe(1);
});

test('a line that still knows something is kept', async () => {
  const { use, lines, clock, busy } = open();
  const line = use('a');
  busy.add('a');
  await clock.advance(60 * 60_000);
  use('b');
  expect(lines.find('a')).toBe(line);
});

test('there are never many more than are allowed while others are idle', async () => {
  const { use, lines, clock } = open(10);
  for (let index = 0; index < 1_000; index++) {
    use(`connection-${index}`);
    await clock.advance(1);
  }
  expect(lines.size).toBeLessThanOrEqual(11);
});

test('those in use stay, however many', async () => {
  const { use, lines, clock, busy } = open(10);
  for (let index = 0; index < 50; index++) {
    busy.add(`connection-${index}`);
    use(`connection-${index}`);
    await clock.advance(1_000);
  }
  expect(lines.size).toBe(50);
});

function open(maxKept = 100) {
  const clock = createFakeClock();
  const busy = new Set<string>();
  const lines = createConnectionLines({
    clock,
    maxKept,
    create: ({ id }) => ({ isIdle: () => !busy.has(id) }) as ConnectionLine,
  });
  const use = (id: string) => lines.of(createConnection('hubspot', { id }), createFakeAccess());
  return { clock, lines, use, busy };
}
