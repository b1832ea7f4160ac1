import { expect, test, vi } from 'vitest';
import { CALLER_MAX_AGE_MS, createOriginCache } from '../../src/request/caller.ts';

test('the allowed origins are loaded once in a few seconds, and then again', async () => {
  let now = 0;
  const list = vi.fn(async () => [
    { applicationId: 'a', origins: ['https://one.example', 'https://both.example'] },
    { applicationId: 'b', origins: ['https://both.example'] },
  ]);
  const read = createOriginCache({ list, now: () => now });
  for (let call = 0; call < 10; call += 1) {
    expect(await read()).toEqual(
      new Map([
        ['https://one.example', new Set(['a'])],
        ['https://both.example', new Set(['a', 'b'])],
      ]),
    );
  }
  expect(list).toHaveBeenCalledTimes(1);
  list.mockResolvedValue([]);
  now = CALLER_MAX_AGE_MS;
  expect((await read()).size).toBe(0);
});

test('configured origins are allowed independently of stored ones', async () => {
  const always = [{ applicationId: 'demo', origins: ['http://localhost:5173'] }];
  const list = async () => [{ applicationId: 'a', origins: ['http://localhost:5173'] }];
  const read = createOriginCache({ list, always, now: () => 0 });
  expect(await read()).toEqual(new Map([['http://localhost:5173', new Set(['demo', 'a'])]]));
});
