import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkPackages } from '../support/link-packages.ts';
import '../support/process-sources.ts';
import { expectNoProcessLeft } from '../support/processes.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = [
  'src',
  'packages',
  'build',
  'docs',
  // A guide shows its chart.
  'bench/results',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
const copy = makeTemporaryFolder();

beforeAll(() => {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  linkPackages(copy);
});
afterAll(() => rmSync(copy, { recursive: true }));

test('npm run dev serves all of GraphiQL, restarts on each change, and leaves no process behind', async () => {
  const child = spawn(process.execPath, ['build/dev.mjs'], {
    cwd: copy,
    env: { PATH: process.env['PATH'], PORT: '0', CROSSBOOK_SANDBOX_PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = listenTo(child);
  const url = await printed.waitFor(/ready at (\S+)\s/);
  const page = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } });
  expect((await page.text()).length).toBeGreaterThan(1_000_000);
  expect((await fetch(`${url}/console`)).status).toBe(200);
  expect((await fetch(`${url}/guides`)).status).toBe(200);

  const workspaces = ['executor', 'sandbox', 'child-postgres'].map(
    (name) => `packages/${name}/src/index.ts`,
  );
  for (const file of ['src/serve.ts', ...workspaces]) {
    const changed = printed.waitFor(new RegExp(`changed ${file}(?=[\\s\\S]*ready at)`));
    appendFileSync(join(copy, file), `process.stdout.write('changed ${file}\\n');\n`);
    await changed;
  }

  child.kill('SIGTERM');
  await once(child, 'exit');
  await expectNoProcessLeft(copy);
});

function listenTo(child: ChildProcess) {
  let printed = '';
  child.stdout?.on('data', (text: Buffer) => {
    printed += text;
  });
  return {
    waitFor: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(printed);
          if (found) resolve(found[1] ?? '');
        };
        look();
        child.stdout?.on('data', look);
        child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${printed}`)));
      }),
  };
}
