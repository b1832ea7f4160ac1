import { openSandbox } from '@crossbook/sandbox';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { ClockDifference } from '../../src/outbound/outbound-options.ts';
import { ProviderClock } from '../../src/outbound/provider-clock.ts';
import { hubspot } from '../../src/providers/hubspot/provider.ts';
import { createFakeClock } from '../support/clock.ts';
import { createSandboxPorts } from '../support/sandbox-ports.ts';

const START = Date.UTC(2026, 10, 20, 12);
const date = (ms: number) => new Date(START + ms).toUTCString();

function open() {
  let [now, wall] = [0, START];
  const clock = new ProviderClock({ now: () => now, wall: () => wall });
  return {
    clock,
    pass(ms: number) {
      now += ms;
      wall += ms;
    },
  };
}

test('clocks that agree within the seconds of a header do not differ', () => {
  const { clock, pass } = open();
  expect(clock.behindMs()).toBe(0);
  pass(999);
  clock.observe(date(0));
  expect([clock.behindMs(), clock.differenceMs()]).toEqual([0, 0]);
});

test('a slow response does not make the clock of a CRM look behind, unless there is no faster one', () => {
  const { clock, pass } = open();
  pass(30_000);
  clock.observe(date(0));
  expect(clock.behindMs()).toBe(30_000);
  clock.observe(date(30_000));
  expect(clock.behindMs()).toBe(0);
  pass(20_000);
  clock.observe(date(0));
  expect(clock.behindMs()).toBe(0);
});

test('a clock that is set is followed within two minutes', () => {
  const { clock, pass } = open();
  clock.observe(date(0));
  for (let minute = 1; minute <= 2; minute += 1) {
    pass(60_000);
    clock.observe(date(minute * 60_000 - 3_600_000));
  }
  expect(clock.behindMs()).toBe(3_600_000);
});

test('a header that is missing or no date changes nothing', () => {
  const { clock } = open();
  clock.observe(date(-90_000));
  for (const header of [undefined, '', 'yesterday']) expect(clock.observe(header)).toBe(false);
  expect(clock.behindMs()).toBe(90_000);
});

test('a CRM whose clock differs by a minute or more is reported once an hour', async () => {
  let aheadMs = 30_000;
  const clock = createFakeClock();
  const sandbox = await openSandbox({ now: () => Date.now() + aheadMs, enforceLimits: false });
  const ports = createSandboxPorts(() => sandbox);
  const reports: ClockDifference[] = [];
  const { port } = ports.open(hubspot, sandbox.hubspot.createAccount(), {
    clock: { ...systemClock, now: () => systemClock.now() + clock.now() },
    onClockDifference: (difference) => reports.push(difference),
  });
  const search = () => port.findByKey(['a@x.example'], { rawData: false });
  await search();
  expect(reports).toEqual([]);
  aheadMs = 3_600_000;
  await search();
  await search();
  const { host } = new URL(sandbox.hubspot.origin);
  expect(reports).toEqual([{ provider: 'hubspot', host, seconds: expect.any(Number) }]);
  expect(Math.abs((reports[0]?.seconds ?? 0) - 3_600)).toBeLessThan(600);
  await clock.advance(3_600_000);
  await search();
  expect(reports).toHaveLength(2);
  await ports.close();
  await sandbox.close();
});
