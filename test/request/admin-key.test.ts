import { expect, test } from 'vitest';
import { createAdminKey } from '../../src/domain/caller.ts';
import { createAdminCheck } from '../../src/request/caller.ts';

test('a wrong admin key counts as a failed authentication of its address; a right one and none do not', () => {
  const counted: string[] = [];
  const { key, hash } = createAdminKey();
  const check = createAdminCheck({ hash, failures: { count: (address) => counted.push(address) } });
  const present = (text?: string) => () =>
    check({
      headers: new Headers(text === undefined ? {} : { 'x-admin-key': text }),
      address: '203.0.113.7',
    });

  expect(present(key)).not.toThrow();
  expect(present()).toThrow('x-admin-key');
  expect(counted).toEqual([]);
  expect(present(createAdminKey().key)).toThrow('not valid');
  expect(counted).toEqual(['203.0.113.7']);
});
