import { expect, test } from 'vitest';
import { createOriginWarning } from '../../src/http/cors.ts';
import { toOwnCommand } from '../../src/lib/own-command.ts';
import { createFakeLog } from '../support/fake-log.ts';

function open() {
  const log = createFakeLog();
  const time = { now: 0 };
  return { log, time, warn: createOriginWarning({ log, now: () => time.now }) };
}

test('the warning for an origin names the command that allows it, once a minute', () => {
  const { log, time, warn } = open();
  for (let times = 0; times < 3; times += 1) warn('http://localhost:9000');
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    {
      origin: 'http://localhost:9000',
      command: toOwnCommand('apps origins APPLICATION --add http://localhost:9000'),
    },
  ]);
  time.now = 60_000;
  warn('http://localhost:9000');
  expect(log.lines).toHaveLength(2);
});

test('many invented origins do not fill the log', () => {
  const { log, warn } = open();
  for (let port = 1; port < 1_000; port += 1) warn(`http://localhost:${port}`);
  expect(log.lines).toHaveLength(20);
});
