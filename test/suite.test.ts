import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const folders = ['test', ...readdirSync('packages').map((name) => `packages/${name}/test`)];
const files = folders
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.ts$|^support\//.test(name) && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  )
  .map((name) => ({ name, code: readFileSync(join(ROOT, name), 'utf8') }))
  .filter(({ name }) => name !== 'test/suite.test.ts');

/** A test passes or fails by what it tests, on every machine and in every run. */
describe('no test', () => {
  test.each([
    ['waits for time to pass', /\bsetTimeout\(|timers\/promises|\bsleep\(/],
    [
      'has a limit of time of its own',
      // That of `vi.waitFor` is a second.
      /\b(?:timeout|hookTimeout|testTimeout): [\d_]|^ *\}, \d[\d_]{4,}\);$|\bvi\.wait(?:For|Until)\(/m,
    ],
    ['draws random inputs without the seed of the run', /\bMath\.random\b|from 'fast-check'/],
    ['replaces a module', /\bvi\.(?:mock|doMock)\b/],
  ])('%s', (_what, pattern) => {
    const found = files.filter(({ name, code }) => !MAY.includes(name) && pattern.test(code));
    expect(found.map(({ name }) => name)).toEqual([]);
  });
});

/** A program that only its own script compiles would break unseen: its rules differ from those of the sources. */
test('`npm run types` checks whatever a script compiles', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const listProjects = (script: string) => script.match(/tsc -p \S+/g) ?? [];
  // `npm test` has no packages for the types of `test/all`.
  const { 'test:rest': rest, ...others } = scripts;
  expect(listProjects(rest)).toEqual(['tsc -p test/all/tsconfig.json']);
  const compiled = Object.values<string>(others).flatMap(listProjects);
  expect(compiled.length).toBeGreaterThan(3);
  expect(listProjects(scripts.types)).toEqual(expect.arrayContaining(compiled));
});

/** The home of the seed; and a test of what dies at any moment, which has to choose one. */
const MAY = [
  'test/support/fast-check.ts',
  'packages/child-postgres/test/killed.test.ts',
  'test/storage/embedded-server.test.ts',
  'test/app/writes-killed.test.ts',
];
