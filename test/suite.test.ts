import { execFileSync } from 'node:child_process';
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

/** The files of a spawned process are not imports of its test, so `--changed` of Vitest would miss them. */
describe('after a change `--changed` runs', () => {
  const listRelated = (...changed: readonly string[]): readonly string[] =>
    JSON.parse(
      execFileSync(
        process.execPath,
        ['test/support/list-related.mjs', ...changed.map((file) => join(ROOT, file))],
        {
          cwd: ROOT,
          encoding: 'utf8',
        },
      ),
    ).map((path: string) => path.slice(ROOT.length + 1));

  test('in the sources, every test that starts the product, and not all tests', () => {
    const starting = files.filter(
      ({ name, code }) => name.endsWith('.test.ts') && STARTS.test(code),
    );
    const related = listRelated('src/main.ts');
    expect(starting.length).toBeGreaterThan(9);
    expect(related).toEqual(expect.arrayContaining(starting.map(({ name }) => name)));
    expect(related).toContain('test/architecture.test.ts');
    expect(related).not.toContain('test/lib/chunk.test.ts');
  });

  test('in a workspace, its own tests and those that start the product with it', () => {
    const related = listRelated('packages/sandbox/src/salesforce/soql/parse.ts');
    expect(related).toContain('packages/sandbox/test/salesforce/soql.test.ts');
    expect(related).toContain('test/build/ensure.test.ts');
    expect(related).not.toContain('test/lib/chunk.test.ts');
  });

  test('in what a process of a test is compiled from, that test', () => {
    expect(listRelated('test/support/searching-process.ts')).toContain(
      'test/app/token-refresh-processes.test.ts',
    );
  });

  test('in what tests read and do not import, all of them', () => {
    expect(listRelated('schema.graphql')).toContain('test/lib/chunk.test.ts');
  });
});

/** The home of the seed; and a test of what dies at any moment, which has to choose one. */
const MAY = [
  'test/support/fast-check.ts',
  'packages/child-postgres/test/killed.test.ts',
  'test/storage/embedded-server.test.ts',
];
const STARTS =
  /\b(?:startProduct|spawnProduct|compileStorage)\(|spawn\('npm'|support\/compile\.ts|'(?:\.\.\/)*dist\//;
