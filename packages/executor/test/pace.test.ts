import { expect, test } from 'vitest';
import { Pace } from '../src/pace.ts';

test('work goes on at once until a piece is full', () => {
  const pace = new Pace({ takeTurn: () => undefined, pieceUnits: 10 });
  pace.count(9);
  expect(pace.next()).toBeUndefined();
  pace.count(1);
  expect(pace.next()).toBeInstanceOf(Promise);
});

test('concurrent work resumes in order, and all of it together takes a turn for each piece', async () => {
  const told: string[] = [];
  const takeTurn = async () => {
    told.push('turn');
  };
  const pace = new Pace({ takeTurn, pieceUnits: 10 });
  const work = async (name: string) => {
    await pace.next();
    told.push(name);
    pace.count(5);
  };
  pace.count(10);
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(work));
  expect(told).toEqual(['turn', 'a', 'b', 'turn', 'c', 'd', 'turn', 'e']);
});

test('bytes count as work, and a step that takes two pieces is late', () => {
  const pace = new Pace({ takeTurn: () => undefined, pieceUnits: 10 });
  pace.countBytes(400);
  expect([pace.isFull, pace.isLate]).toEqual([true, false]);
  pace.countBytes(400);
  expect([pace.isFull, pace.isLate]).toEqual([true, true]);
});

test('a turn that fails ends all work that waits, and later work asks again', async () => {
  const turns = [Promise.reject(new Error('gone')), Promise.resolve()];
  const pace = new Pace({ takeTurn: () => turns.shift(), pieceUnits: 10 });
  pace.count(10);
  const settled = await Promise.allSettled([pace.next(), pace.next()]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(pace.next()).resolves.toBeUndefined();
  expect(pace.isFull).toBe(false);
});
