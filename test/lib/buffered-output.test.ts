import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBufferedOutput } from '../../src/lib/output.ts';

const written: string[] = [];
const output = { write: (text: string) => void written.push(text) };
/** Those of others in this process. */
let listeners: readonly NodeJS.ExitListener[] = [];
const listAdded = () =>
  process.listeners('exit').filter((listener) => !listeners.includes(listener));

beforeEach(() => {
  vi.useFakeTimers();
  written.length = 0;
  listeners = process.listeners('exit');
});
afterEach(() => {
  vi.useRealTimers();
  for (const listener of listAdded()) process.off('exit', listener);
});

test('lines of one tick are written together, in order', () => {
  const bulk = createBufferedOutput(output);
  bulk.write('a\n');
  bulk.write('b\n');
  expect(written).toEqual([]);
  vi.runAllTimers();
  expect(written).toEqual(['a\nb\n']);
  bulk.write('c\n');
  vi.runAllTimers();
  expect(written).toEqual(['a\nb\n', 'c\n']);
});

test('many lines are written before the tick ends', () => {
  const bulk = createBufferedOutput(output);
  for (let n = 0; n < 1_000; n++) bulk.write(`${'x'.repeat(99)}\n`);
  expect(written.join('').length).toBeGreaterThan(60_000);
  expect(written.length).toBeLessThan(5);
});

test('buffered lines are written when the process ends', () => {
  createBufferedOutput(output).write('last\n');
  for (const listener of listAdded()) listener(0);
  expect(written).toEqual(['last\n']);
});
