import { describe, expect, test } from 'vitest';
import { JsonLimitError, parseJsonInPieces } from '../../src/lib/json-pieces.ts';
import { fc } from '../support/fast-check.ts';

const PIECE_BYTES = 64;

function parse(text: string, options = {}): Promise<unknown> {
  return parseJsonInPieces(Buffer.from(text), {
    takeTurn: () => undefined,
    pieceBytes: PIECE_BYTES,
    ...options,
  });
}

describe('JSON that is parsed in pieces', () => {
  test('has the value that JSON.parse gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json({ maxDepth: 8, noUnicodeString: false }),
        fc.nat(4),
        async (json, indent) => {
          const text = JSON.stringify(JSON.parse(json), null, indent);
          expect(await parse(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  test('is invalid where JSON.parse says so', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json({ maxDepth: 6 }),
        fc.nat(),
        fc.constantFrom('', ',', ']', '}', '"', ':', '1', ' x', '\\'),
        async (json, place, inserted) => {
          const at = place % (json.length + 1);
          const text = json.slice(0, at) + inserted + json.slice(inserted === '' ? at + 1 : at);
          const expected = attempt(() => JSON.parse(text) as unknown);
          const found = await parse(text).then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          );
          if ('value' in expected) expect(found).toEqual(expected);
          else expect('error' in found && found.error instanceof SyntaxError).toBe(true);
        },
      ),
    );
  });

  test('keeps a key `__proto__` of a long object as a key', async () => {
    const text = `{"a":"${'x'.repeat(100)}","__proto__":{"b":"${'y'.repeat(100)}"}}`;
    const found = (await parse(text)) as object;
    expect(Object.keys(found)).toEqual(['a', '__proto__']);
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  });

  test('is parsed in groups of members, each of which takes about a piece', async () => {
    const texts: string[] = [];
    const text = JSON.stringify({ results: Array.from({ length: 500 }, (_, id) => ({ id })) });
    await parse(text, {
      parse: (one: string) => {
        texts.push(one);
        return JSON.parse(one);
      },
    });
    expect(texts.length).toBeGreaterThan(text.length / PIECE_BYTES / 2);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(3 * PIECE_BYTES);
  });

  test('names the key that a long object has twice, also in two groups', async () => {
    const twice: string[] = [];
    const members = Array.from({ length: 20 }, (_, n) => `"k${n % 19}":"${'x'.repeat(20)}"`);
    await parse(`{${members}}`, { onDuplicateKey: (key: string) => twice.push(key) });
    expect(twice).toEqual(['k0']);
  });

  test.each([
    ['a string of more than a megabyte', `["${'x'.repeat(2 ** 20 + 1)}"]`],
    ['more than a hundred thousand members in one list', `[${'1,'.repeat(100_001)}1]`],
    [
      'long lists that are nested too deep',
      `${'[1,'.repeat(200)}"${'x'.repeat(100)}"${']'.repeat(200)}`,
    ],
    ['a megabyte of white space', `[${' '.repeat(2 ** 20 + 1)}]`],
  ])('is refused with %s', async (_what, text) => {
    await expect(parse(text)).rejects.toBeInstanceOf(JsonLimitError);
  });
});

function attempt(work: () => unknown): { value: unknown } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
