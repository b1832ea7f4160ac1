import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { INSTALLED } from '../build/installed.mjs';

/** `npm run bench`: installs what is missing, builds the product and the bench, and runs it. */
const root = new URL('..', import.meta.url).pathname;
const ownPackages = new URL('node_modules', import.meta.url).pathname;

if (!existsSync(ownPackages)) run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', 'bench']);
run(process.execPath, ['build/ensure.mjs']);
run('npx', ['tsc', '-p', 'bench/tsconfig.json']);
buildParts();
run(process.execPath, ['bench/dist/run.js', ...process.argv.slice(2)]);

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Folders of the product that are measured or used separately: in the built product, their files have no stable
 * names.
 */
function buildParts() {
  buildSync({
    absWorkingDir: root,
    entryPoints: {
      sandbox: '@crossbook/sandbox',
      'storage/database': 'src/storage/database.ts',
      'storage/key-ring': 'src/storage/key-ring.ts',
    },
    outdir: 'bench/dist/product',
    bundle: true,
    splitting: true,
    external: INSTALLED,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
}
