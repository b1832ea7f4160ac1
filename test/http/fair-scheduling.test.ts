import { describe, expect, test } from 'vitest';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.ts';

describe('fair scheduling of CPU time', () => {
  /** Each `take` resolves when the test calls its `come`. */
  function openScheduler() {
    const asked: { owner: string; isNew: boolean; come(): void }[] = [];
    const take = (owner: string, isNew = false) =>
      new Promise<void>((come) => void asked.push({ owner, isNew, come }));
    return {
      asked,
      limit: createConcurrencyLimit({
        max: 2,
        maxStrangers: 2,
        cpuScheduler: { take, countNew: () => 0 },
      }),
    };
  }

  test('a request with a permit waits for the scheduler, when it is new and after a wait', async () => {
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

  test('a request ends when its client disconnects while it waits for the scheduler', async () => {
    const { asked, limit } = openScheduler();
    const permit = limit.open('a');
    const acquired = permit.acquire();
    permit.abandon();
    asked[0]?.come();
    await expect(acquired).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(limit.counts().running).toBe(0);
  });
});
