import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const folders = ['test', ...readdirSync('packages').map((name) => `packages/${name}/test`)];
const files = folders
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  )
  .filter((name) => name !== 'test/changed.test.ts')
  .map((name) => ({ name, code: readFileSync(join(ROOT, name), 'utf8') }));

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
    const starting = files.filter(({ code }) => STARTS.test(code));
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

const STARTS =
  /\b(?:startProduct|spawnProduct|compileStorage)\(|spawn\('npm'|support\/compile\.ts|'(?:\.\.\/)*dist\//;
