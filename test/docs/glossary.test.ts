import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('docs/glossary.md explains at most ten words of ours', () => {
  const words = readFileSync('docs/glossary.md', 'utf8').match(/^\| (?!word \|)[a-z].* \|$/gm);
  expect(words?.length).toBeGreaterThan(0);
  expect(words?.length).toBeLessThanOrEqual(10);
});
