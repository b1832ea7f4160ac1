import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

/** Builds `dist/client`, a package for web pages and servers that call Crossbook. It has no dependencies. */
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const folder = join(root, 'dist/client');

rmSync(folder, { recursive: true, force: true });
await esbuild.build({
  absWorkingDir: root,
  entryPoints: ['src/client/index.ts', 'src/client/verify-webhook.ts'],
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
});
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', 'tsconfig.client.json'], {
  cwd: root,
  stdio: 'inherit',
});
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(readManifest(), null, 2)}\n`);
cpSync(join(root, 'src/client/package.md'), join(folder, 'README.md'));
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));

/** It has the server's version: one number says which client matches which server. */
function readManifest() {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const { name, ...manifest } = read('src/client/package.json');
  return { name, version: read('package.json').version, ...manifest };
}
