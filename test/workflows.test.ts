import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

test('a release publishes nothing before the tests and the version of the tag were checked', () => {
  const { on, jobs } = parse(readFileSync('.github/workflows/release.yml', 'utf8'));
  expect(on).toEqual({ push: { tags: ['v*'] } });
  const { check, ...others } = jobs;
  const commands = check.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(commands).toEqual([expect.stringContaining('$GITHUB_REF_NAME'), 'npm ci', 'npm test']);
  expect(Object.keys(others)).toEqual(['packages', 'image']);
  for (const { needs } of Object.values<{ needs: string }>(others)) expect(needs).toBe('check');
});
