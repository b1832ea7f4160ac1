import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('docs/architecture.md explains at most ten words of ours', () => {
  const [, section = ''] = readFileSync('docs/architecture.md', 'utf8').split(
    '\n## Words of ours\n',
  );
  const [table = ''] = section.split('\n## ');
  const words = table.match(/^\| (?!word \|)[a-z].* \|$/gm);
  expect(words?.length).toBeGreaterThan(0);
  expect(words?.length).toBeLessThanOrEqual(10);
});
