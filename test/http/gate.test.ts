import { expect, test } from 'vitest';
import { createGate } from '../../src/http/gate.ts';

test('as many as there is room for are worked on, the next is turned away, and room is given back', async () => {
  const gate = createGate({ max: 2 });
  const first = hold();
  const second = hold();
  const running = [gate.pass(WHOLE, first.work), gate.pass(WHOLE, second.work)];
  expect(gate.pass(WHOLE, () => 'late')).toBeUndefined();
  expect(gate.counts()).toEqual({ running: 2, refused: 1 });
  first.release();
  await running[0];
  await expect(gate.pass(WHOLE, () => 'next')).resolves.toBe('next');
  second.release();
  await running[1];
  expect(gate.counts()).toEqual({ running: 0, refused: 1 });
});

test('who sends slowly takes nobody’s place', async () => {
  const gate = createGate({ max: 1 });
  const slow = hold();
  const arriving = createArriving();
  const running = gate.pass(arriving, slow.work);
  await expect(gate.pass(WHOLE, () => 'quick')).resolves.toBe('quick');
  arriving.arrive();
  expect(gate.counts().running).toBe(1);
  expect(gate.pass(WHOLE, () => 'late')).toBeUndefined();
  slow.release();
  await running;
  expect(gate.counts().running).toBe(0);
});

test('a body that never comes, or comes after its answer, leaves no trace', async () => {
  const gate = createGate({ max: 1 });
  const arriving = createArriving();
  await gate.pass(arriving, () => 'refused early');
  arriving.arrive();
  expect(gate.counts().running).toBe(0);
});

test('work that fails gives its room back', async () => {
  const gate = createGate({ max: 1 });
  const failing = gate.pass(WHOLE, () => Promise.reject(new Error('no')));
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

const WHOLE = { whenWhole: (tell: () => void) => tell() };

function createArriving() {
  let arrive = () => {};
  return {
    whenWhole(tell: () => void) {
      arrive = tell;
    },
    arrive: () => arrive(),
  };
}
