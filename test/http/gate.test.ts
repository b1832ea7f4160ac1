import { expect, test } from 'vitest';
import { createGate } from '../../src/http/gate.ts';

test('as many as there is room for are worked on, the next is turned away, and room is given back', async () => {
  const gate = createGate({ max: 2 });
  const first = hold();
  const second = hold();
  const running = [gate.pass(first.work, undefined), gate.pass(second.work, undefined)];
  expect(gate.pass(() => 'late', undefined)).toBeUndefined();
  expect(gate.counts()).toEqual({ running: 2, refused: 1 });
  first.release();
  await running[0];
  await expect(gate.pass(() => 'next', undefined)).resolves.toBe('next');
  second.release();
  await running[1];
  expect(gate.counts()).toEqual({ running: 0, refused: 1 });
});

test('who sends slowly takes nobody’s place', async () => {
  const gate = createGate({ max: 1 });
  const slow = hold();
  const arrived = hold();
  const running = gate.pass(slow.work, arrived.work());
  await expect(gate.pass(() => 'quick', undefined)).resolves.toBe('quick');
  arrived.release();
  await arrived.work();
  expect(gate.counts().running).toBe(1);
  expect(gate.pass(() => 'late', undefined)).toBeUndefined();
  slow.release();
  await running;
  expect(gate.counts().running).toBe(0);
});

test('a body that never comes, or comes after its answer, leaves no trace', async () => {
  const gate = createGate({ max: 1 });
  const arrived = hold();
  await gate.pass(() => 'refused early', arrived.work());
  arrived.release();
  await arrived.work();
  expect(gate.counts().running).toBe(0);
});

test('work that fails gives its room back', async () => {
  const gate = createGate({ max: 1 });
  const failing = gate.pass(() => Promise.reject(new Error('no')), undefined);
  await expect(failing).rejects.toThrow('no');
  expect(gate.counts().running).toBe(0);
});

function hold() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { work: () => held, release: () => release() };
}
