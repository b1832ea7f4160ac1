import { expect, test } from 'vitest';
import { createRejectedRequestLog } from '../../src/telemetry/logger.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeLog } from '../support/fake-log.ts';

const MALFORMED = { status: 400, code: 'HPE_INVALID_METHOD' };
const SLOW = { status: 408, code: 'ERR_HTTP_REQUEST_TIMEOUT' };

test('a flood of one kind of rejection does not suppress others', () => {
  const { lines, write } = open();
  write(MALFORMED, 1_000);
  write(SLOW, 3);
  expect(lines.filter(({ fields }) => 'code' in fields && fields.code === SLOW.code)).toHaveLength(
    3,
  );
  expect(lines).toHaveLength(13);
});

test('at the end of each interval the number of omitted lines is logged for each kind, and the count restarts', async () => {
  const { clock, lines, write } = open();
  write(MALFORMED, 1_000);
  write(SLOW, 10);
  lines.splice(0);
  await clock.advance(10_000);
  expect(lines).toEqual([
    { level: 'warn', message: 'refused', fields: { ...MALFORMED, leftOut: 990 } },
  ]);
  write(MALFORMED, 1);
  await clock.advance(60_000);
  expect(lines.slice(1)).toEqual([{ level: 'info', message: 'refused', fields: MALFORMED }]);
});

test('closing logs the remaining counts, and leaves no timer', async () => {
  const { clock, lines, write, close } = open();
  write(MALFORMED, 11);
  await close();
  expect(lines.at(-1)).toEqual({
    level: 'warn',
    message: 'refused',
    fields: { ...MALFORMED, leftOut: 1 },
  });
  expect(clock.pending).toBe(0);
});

function open() {
  const clock = createFakeClock();
  const { lines, ...log } = createFakeLog();
  const { write, close } = createRejectedRequestLog({ log, schedule: clock.schedule });
  return {
    clock,
    lines,
    close,
    write(refusal: Parameters<typeof write>[0], times: number) {
      for (let n = 0; n < times; n++) write(refusal);
    },
  };
}
