import { expect, test } from 'vitest';
import { createGate } from '../../src/http/gate.ts';

test('as many as there is room for are let in, the next is turned away, and room is given back', () => {
  const gate = createGate({ max: 2 });
  const leave = gate.enter(WHOLE);
  const leaveToo = gate.enter(WHOLE);
  expect(gate.enter(WHOLE)).toBeUndefined();
  expect(gate.counts()).toEqual({ running: 2, refused: 1 });
  leave?.();
  gate.enter(WHOLE)?.();
  leaveToo?.();
  expect(gate.counts()).toEqual({ running: 0, refused: 1 });
});

test('who sends slowly takes nobody’s place', () => {
  const gate = createGate({ max: 1 });
  const slow = createArriving();
  const leave = gate.enter(slow);
  gate.enter(WHOLE)?.();
  slow.arrive();
  expect(gate.counts().running).toBe(1);
  expect(gate.enter(WHOLE)).toBeUndefined();
  leave?.();
  expect(gate.counts().running).toBe(0);
});

test('a body that never comes, or comes after its answer, leaves no trace', () => {
  const gate = createGate({ max: 1 });
  const slow = createArriving();
  gate.enter(slow)?.();
  slow.arrive();
  expect(gate.counts().running).toBe(0);
});

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
