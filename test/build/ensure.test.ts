import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashSources } from '../../build/sources.mjs';
import { linkPackages } from '../support/link-packages.ts';
import '../support/process-sources.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = ['src', 'packages', 'build', 'package.json', 'package-lock.json', 'tsconfig.json'];
const copy = mkdtempSync(join(tmpdir(), 'crossbook-copy-'));

beforeAll(() => {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
});
afterAll(() => rmSync(copy, { recursive: true }));

test('without the build dependencies, the build fails with one line that says what to do', () => {
  const { status, stderr } = ensure();
  expect(status).toBe(1);
  expect(stderr).toContain('npm ci --include=dev');
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('the build runs once, and again after a source has changed', () => {
  linkPackages(copy);
  expect(ensure()).toMatchObject({ status: 0, stderr: '  Building …\n' });
  const main = join(copy, 'dist/main.js');
  expect(statSync(join(copy, 'dist/crossbook')).mode & 0o111).toBe(0o111);
  const before = statSync(main).mtimeMs;

  expect(ensure()).toMatchObject({ status: 0, stderr: '' });
  expect(statSync(main).mtimeMs).toBe(before);

  // Files that a running process may still load are kept until the build after the next.
  const { files } = readManifest();
  appendFileSync(join(copy, 'src/serve.ts'), "process.stdout.write('changed');\n");
  expect(ensure()).toMatchObject({ status: 0, stderr: '  Building …\n' });
  expect(Object.keys(readManifest().files)).not.toEqual(Object.keys(files));
  for (const name of Object.keys(files))
    expect(statSync(join(copy, 'dist', name)).isFile()).toBe(true);
});

test.each(['executor', 'sandbox', 'child-postgres'])(
  'a change in packages/%s is built, and one of its tests is not',
  (name) => {
    const words = `changed in ${name}`;
    appendFileSync(join(copy, `packages/${name}/test/readme.test.ts`), '// A change.');
    expect(ensure()).toMatchObject({ status: 0, stderr: '' });
    appendFileSync(
      join(copy, `packages/${name}/src/index.ts`),
      `process.stdout.write('${words}');\n`,
    );
    expect(ensure()).toMatchObject({ status: 0, stderr: '  Building …\n' });
    const built = Object.keys(readManifest().files).filter((file) =>
      readFileSync(join(copy, 'dist', file), 'utf8').includes(words),
    );
    expect(built.length).toBeGreaterThan(0);
  },
);

test('a change in packages/client is in the package that it is published as', () => {
  cpSync(join(ROOT, 'LICENSE'), join(copy, 'LICENSE'));
  appendFileSync(join(copy, 'packages/client/src/index.ts'), "export const changed = 'client';\n");
  execFileSync(process.execPath, ['build/client.mjs'], { cwd: copy });
  const [code, types] = ['index.js', 'index.d.ts'].map((name) =>
    readFileSync(join(copy, 'dist/client', name), 'utf8'),
  );
  expect(code).toContain('"client"');
  expect(types).toContain('changed = "client"');
});

test('each workspace is part of the hash of the sources', () => {
  const before = hashSources(copy);
  for (const name of readdirSync(join(copy, 'packages'))) {
    const file = join(copy, 'packages', name, 'package.json');
    const content = readFileSync(file, 'utf8');
    writeFileSync(file, `${content}\n`);
    expect(hashSources(copy)).not.toBe(before);
    writeFileSync(file, content);
    expect(hashSources(copy)).toBe(before);
  }
});

function ensure() {
  return spawnSync(process.execPath, ['build/ensure.mjs'], { cwd: copy, encoding: 'utf8' });
}

function readManifest() {
  return JSON.parse(readFileSync(join(copy, 'dist/build.json'), 'utf8')) as {
    files: Record<string, string[]>;
  };
}
