import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Installs the packages of these folders, unless they are installed, and builds Crossbook if its sources have changed.
 * @param {readonly string[]} folders Within this one.
 */
export function prepare(...folders) {
  for (const folder of ['', ...folders].map((name) => here + name)) {
    if (!existsSync(`${folder}/node_modules`))
      run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder]);
  }
  run(process.execPath, ['build/ensure.mjs']);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
