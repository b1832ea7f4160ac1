import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * `install.mjs [folder…]`: installs what only `npm run test:all` needs, each folder once and again when its lock file has
 * changed.
 */
const FOLDERS = [
  'test/all',
  'test/pnpm',
  'test/mcp-conformance',
  'test/manifests',
  'examples/app',
  'examples/gateway',
  'examples/gateway/apollo',
];

const [, , ...selected] = process.argv;
for (const folder of selected.length > 0 ? selected : FOLDERS) {
  const lock = readFileSync(`${folder}/package-lock.json`, 'utf8');
  const installed = `${folder}/node_modules/.installed-lock.json`;
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) continue;
  process.stderr.write(`Installing the packages of ${folder}.\n`);
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(installed, lock);
}
