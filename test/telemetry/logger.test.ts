import { expect, test } from 'vitest';
import { createLogger } from '../../src/telemetry/logger.ts';

function open(options: { level?: 'debug' | 'warn' | 'silent'; readable?: boolean } = {}) {
  const lines: string[] = [];
  const output = { write: (line: string) => lines.push(line) };
  return { lines, log: createLogger({ level: 'debug', readable: false, ...options, output }) };
}

test('a line is one JSON object with level, time, message and fields', () => {
  const { log, lines } = open();
  log.info({ requestId: 'a"b\n', ms: 1.5, absent: undefined }, 'request');
  log.warn({}, 'nothing "more"');
  expect(lines.join('')).toMatch(/^[^\n]+\n[^\n]+\n$/);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 30, time: expect.any(Number), msg: 'request', requestId: 'a"b\n', ms: 1.5 },
    { level: 40, time: expect.any(Number), msg: 'nothing "more"' },
  ]);
});

test('a cause is logged with its stack, and one that is not an error as text without its content', () => {
  const { log, lines } = open();
  log.error({ cause: new TypeError('broken') }, 'a bug');
  log.error({ cause: { secret: 'inside' } }, 'a bug');
  const [error, object] = lines.map((line) => JSON.parse(line));
  expect(error.cause).toMatch(/^TypeError: broken\n +at /);
  expect(object.cause).toBe('[object Object]');
});

test('lines below the level are not written', () => {
  const { log, lines } = open({ level: 'warn' });
  log.info({}, 'usual');
  log.warn({}, 'unusual');
  expect(lines).toHaveLength(1);
  const silent = open({ level: 'silent' });
  silent.log.error({}, 'a bug');
  expect(silent.lines).toEqual([]);
});

test('a line in the readable format is short', () => {
  const { log, lines } = open({ readable: true });
  log.warn({ status: 503, customer: 'acme' }, 'request');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} warn {2}request status=503 customer=acme\n$/);
});
