import { expect, test } from 'vitest';
import { openPump } from '../../src/lib/pump.ts';

const noErrors = (error: unknown) => expect(error).toBeUndefined();

test('claims never overlap, and one that is requested during another follows it', async () => {
  let claims = 0;
  let running = 0;
  const { pump } = openPump({
    async claim() {
      running += 1;
      expect(running).toBe(1);
      claims += 1;
      await undefined;
      running -= 1;
    },
    onError: noErrors,
  });
  const first = pump();
  await Promise.all([first, pump(), pump()]);
  expect(claims).toBe(2);
});

test('work is claimed again when a piece of it ends, also with an error', async () => {
  const due = ['first', 'second', 'third'];
  const errors: unknown[] = [];
  const done: string[] = [];
  const { pump, start, stop } = openPump({
    async claim() {
      const next = due.shift();
      if (next) start(work(next));
    },
    onError: (error) => errors.push(error),
  });
  async function work(name: string): Promise<void> {
    await undefined;
    done.push(name);
    if (name === 'first') throw new Error('It broke');
  }
  await pump();
  await expect.poll(() => done).toEqual(['first', 'second', 'third']);
  await stop();
  expect(errors).toEqual([new Error('It broke')]);
});

test('at the end what has begun is waited for, and nothing more is claimed', async () => {
  let claims = 0;
  let end = () => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { pump, start, stop, isStopping } = openPump({
    async claim() {
      claims += 1;
      if (claims === 1) start(work);
    },
    onError: noErrors,
  });
  await pump();
  let hasStopped = false;
  const stopped = stop().then(() => {
    hasStopped = true;
  });
  expect(isStopping()).toBe(true);
  await new Promise(setImmediate);
  expect(hasStopped).toBe(false);
  end();
  await stopped;
  await pump();
  expect(claims).toBe(1);
});
