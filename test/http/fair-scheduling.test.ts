import { describe, expect, test } from 'vitest';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.ts';

describe('turns of the processor', () => {
  /** Each `take` resolves when the test calls its `come`. */
  function openScheduler() {
    const asked: { owner: string; isNew: boolean; come(): void }[] = [];
    const take = (owner: string, isNew = false) =>
      new Promise<void>((come) => void asked.push({ owner, isNew, come }));
    return {
      asked,
      limit: createConcurrencyLimit({ max: 2, maxStrangers: 2, scheduler: { take, countNew: () => 0 } }),
    };
  }

  test('with its place a request waits for a turn of its application, as a new one and after a wait', async () => {
    const { asked, limit } = openScheduler();
    const permit = limit.open('a');
    let isIn = false;
    const acquired = permit.acquire()?.then(() => {
      isIn = true;
    });
    expect(asked).toMatchObject([{ owner: 'a', isNew: true }]);
    await Promise.resolve();
    expect(isIn).toBe(false);
    asked[0]?.come();
    await acquired;
    const resumed = permit.pause()();
    expect(asked[1]).toMatchObject({ owner: 'a', isNew: false });
    asked[1]?.come();
    await resumed;
  });

  test('a client that goes while its request waits for a turn ends it', async () => {
    const { asked, limit } = openScheduler();
    const permit = limit.open('a');
    const acquired = permit.acquire();
    permit.abandon();
    asked[0]?.come();
    await expect(acquired).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(limit.counts().running).toBe(0);
  });
});
