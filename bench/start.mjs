import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** `npm run bench`: puts in place what is missing, builds the product and the bench, and runs it. */
const root = new URL('..', import.meta.url).pathname;
const ownPackages = new URL('node_modules', import.meta.url).pathname;

if (!existsSync(ownPackages)) run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', 'bench']);
run('npm', ['run', '--silent', 'build']);
run('npx', ['tsc', '-p', 'bench/tsconfig.json']);
run(process.execPath, ['bench/dist/run.js', ...process.argv.slice(2)]);

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
