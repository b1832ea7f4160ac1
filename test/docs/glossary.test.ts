import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const TEXT = readFileSync('docs/glossary.md', 'utf8');
const [, FIELD = '', OURS = ''] = TEXT.split(/^## .+$/m);

describe('docs/glossary.md', () => {
  const rows = [
    ...FIELD.matchAll(/^\| (.+) \| `((?:packages\/[\w-]+\/)?src\/.+)` \| `(\w+)` \|$/gm),
  ].map(([, term = '', file = '', symbol = '']) => ({ term, file, symbol }));

  test('names a file and a symbol for each term of the field', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBe(FIELD.match(/^\| .*`(?:packages|src)\//gm)?.length);
  });

  test.each(rows)('$term: $symbol in $file', ({ file, symbol }) => {
    expect(existsSync(file), `${file} is not there`).toBe(true);
    expect(readFileSync(file, 'utf8')).toMatch(
      new RegExp(`export (?:async )?(?:function|const|class) ${symbol}\\b`),
    );
  });

  test('explains at most ten words of ours', () => {
    const words = OURS.match(/^\| (?!word \|)[a-z].* \|$/gm) ?? [];
    expect(words.length).toBeGreaterThan(0);
    expect(words.length).toBeLessThanOrEqual(10);
  });
});
