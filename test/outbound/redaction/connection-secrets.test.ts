import { expect, test } from 'vitest';
import { createConnectionSecrets } from '../../../src/outbound/redaction/connection-secrets.ts';

test('the latest fifty secrets of a connection are redacted', () => {
  const secrets = createConnectionSecrets(undefined);
  const given = Array.from({ length: 1_000 }, (_, index) => `access-${index}`);
  for (const secret of given) secrets.add(secret, 'the client’s');
  // What is in use is not among the oldest, however long ago it was given first.
  expect(secrets.list()).toEqual([...given.slice(-49), 'the client’s']);
});

test('the kept secrets of a connection are limited in total, and those in use are always kept', () => {
  const secrets = createConnectionSecrets(undefined);
  const toSecret = (n: number) => String(n).padStart(16_384, 'x');
  for (let n = 0; n < 50; n += 1) secrets.add(toSecret(n));
  expect(secrets.list()).toEqual([47, 48, 49].map(toSecret));
  expect(secrets.bytes()).toBe(3 * 16_384);
});
