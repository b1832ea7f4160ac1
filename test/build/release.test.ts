import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const NEEDED = [
  'build/release.mjs',
  'build/changelog.mjs',
  'schema.graphql',
  'subgraph.graphql',
  'ops/kubernetes/crossbook.yaml',
  'docs/deployment.md',
];
const RELEASED = '## 0.4.0 - 2026-01-01\n\n### Added\n\n- The first.\n';
const folder = makeTemporaryFolder();
const clone = join(folder, 'clone');

beforeEach(() => {
  rmSync(clone, { recursive: true, force: true });
  mkdirSync(clone);
  for (const path of NEEDED) cpSync(path, join(clone, path));
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { preversion, version } = scripts;
  const manifest = { name: 'crossbook', version: '0.4.0', scripts: { preversion, version } };
  write('package.json', JSON.stringify(manifest));
  git('init', '--quiet');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a release writes its version and date to the changelog, the tag of its image to the manifests, stores its schemas, and is committed and tagged', () => {
  commit('### Added\n\n- The second.\n');
  expect(release('patch')).toMatchObject({ status: 0 });
  expect(read('CHANGELOG.md').replace(/0\.4\.1 - \d{4}-\d\d-\d\d$/m, '0.4.1 - TODAY')).toBe(
    `# Changelog\n\n## Unreleased\n\n## 0.4.1 - TODAY\n\n### Added\n\n- The second.\n\n${RELEASED}`,
  );
  expect(read('schema.released.graphql')).toBe(read('schema.graphql'));
  expect(read('subgraph.released.graphql')).toBe(read('subgraph.graphql'));
  expect(JSON.parse(read('package.json')).version).toBe('0.4.1');
  for (const path of ['ops/kubernetes/crossbook.yaml', 'docs/deployment.md'])
    expect(new Set(read(path).match(/(?<=example\.com\/crossbook:)\S+/g))).toEqual(
      new Set(['0.4.1']),
    );
  expect(git('status', '--porcelain')).toBe('');
  expect(git('tag')).toBe('v0.4.1\n');
});

test('a breaking change is rejected as a patch or minor release, and a rejected release changes nothing', () => {
  commit('### Breaking\n\n- `Contact.lastName` is gone.\n\n### Added\n\n- The second.\n');
  expect(release('patch')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      'CHANGELOG.md has breaking changes: 0.4.1 after 0.4.0 is too small a step.',
    ),
  });
  expect(git('status', '--porcelain')).toBe('');
  expect(release('minor')).toMatchObject({ status: 0 });
  expect(git('tag')).toBe('v0.5.0\n');
});

test('a release without changelog entries is rejected', () => {
  commit('');
  const refused = 'CHANGELOG.md says of nothing that it is unreleased.';
  expect(release('minor')).toMatchObject({ status: 1, stderr: expect.stringContaining(refused) });
});

function commit(unreleased: string): void {
  write('CHANGELOG.md', `# Changelog\n\n## Unreleased\n\n${unreleased}\n${RELEASED}`);
  git('add', '.');
  git('commit', '--quiet', '-m', 'before');
}

function release(step: string) {
  return spawnSync('npm', ['version', step], { cwd: clone, encoding: 'utf8', env: ENV });
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: clone,
    encoding: 'utf8',
    env: ENV,
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

function read(name: string): string {
  return readFileSync(join(clone, name), 'utf8');
}

function write(name: string, content: string): void {
  writeFileSync(join(clone, name), content);
}

const WHO = { NAME: 'Ada', EMAIL: 'ada@example.com' };
const ENV = {
  PATH: process.env['PATH'],
  HOME: folder,
  GIT_AUTHOR_NAME: WHO.NAME,
  GIT_AUTHOR_EMAIL: WHO.EMAIL,
  GIT_COMMITTER_NAME: WHO.NAME,
  GIT_COMMITTER_EMAIL: WHO.EMAIL,
};
