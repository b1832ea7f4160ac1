import { expect, test } from 'vitest';
import { uuidV5 } from '../../src/lib/digest.ts';

const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

test('the id of the example in RFC 9562 is correct', () => {
  expect(uuidV5(DNS, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

test('another name or another namespace gives another id', () => {
  const ids = [uuidV5(DNS, 'a'), uuidV5(DNS, 'b'), uuidV5(uuidV5(DNS, 'a'), 'a')];
  expect(new Set(ids).size).toBe(3);
});
