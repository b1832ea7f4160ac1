import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCursorSealer } from '../../src/storage/sealing/cursors.ts';
import { parseKeyRing } from '../../src/storage/sealing/key-ring.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `new:${Buffer.alloc(32, 2).toString('base64')}`;
const open = (ring: string, binding = 'here') => createCursorSealer(parseKeyRing(ring)).bind(() => binding);

test('whatever is sealed opens where it was sealed, and nowhere else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const sealed = open(OLD).seal(text);
      expect(open(OLD).open(sealed)).toBe(text);
      expect(open(OLD, 'elsewhere').open(sealed)).toBeUndefined();
      expect(open(NEW).open(sealed)).toBeUndefined();
    }),
  );
});

test('it does not show what it holds, and is the same each time', () => {
  const sealed = open(OLD).seal('f151');
  expect(sealed).toMatch(/^old\.[\w-]+$/);
  expect(Buffer.from(sealed.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('151');
  expect(open(OLD).seal('f151')).toBe(sealed);
  expect(open(OLD).seal('f152').slice(0, 12)).not.toBe(sealed.slice(0, 12));
});

describe('what was altered does not open', () => {
  const sealed = open(OLD).seal('f151');
  test('in any bit', () => {
    const box = Buffer.from(sealed.slice('old.'.length), 'base64url');
    for (let bit = 0; bit < box.length * 8; bit++) {
      const altered = Buffer.from(box);
      altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(open(OLD).open(`old.${altered.toString('base64url')}`)).toBeUndefined();
    }
  });

  test.each([
    '',
    'old',
    'old.',
    '.',
    'f151',
    `${sealed}=`,
    `${sealed}A`,
    sealed.slice(0, -1),
    sealed.replace('old.', 'none.'),
    sealed.replace('old.', ''),
  ])('as %j', (altered) => {
    expect(open(OLD).open(altered)).toBeUndefined();
  });
});

test('a ring with a new key in front opens what the old one sealed', () => {
  const sealed = open(OLD).seal('f151');
  expect(open(`${NEW},${OLD}`).open(sealed)).toBe('f151');
  expect(open(`${NEW},${OLD}`).seal('f151')).toMatch(/^new\./);
});

test('the binding is asked for once, and only where something is sealed or opened', () => {
  let asked = 0;
  const bound = createCursorSealer(parseKeyRing(OLD)).bind(() => {
    asked += 1;
    return 'here';
  });
  expect(asked).toBe(0);
  bound.open(bound.seal('a'));
  bound.seal('b');
  expect(asked).toBe(1);
});
