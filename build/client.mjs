import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

/**
 * Builds `dist/client`, the published form of `packages/client`, for web pages and servers that call Crossbook. It has
 * no dependencies.
 */
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const source = join(root, 'packages/client');
const folder = join(root, 'dist/client');
const { name, private: _, exports: entries, ...manifest } = readJson(join(source, 'package.json'));

rmSync(folder, { recursive: true, force: true });
await esbuild.build({
  absWorkingDir: source,
  entryPoints: Object.values(entries),
  outdir: folder,
  bundle: true,
  // Bundlers minify it; unminified, errors and stack traces have names.
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
});
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', source], { stdio: 'inherit' });
// It has the server's version: one number says which client matches which server.
const { version } = readJson(join(root, 'package.json'));
const published = { name, version, ...manifest, exports: toPublished(entries) };
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
cpSync(join(source, 'README.md'), join(folder, 'README.md'));
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));

/** The entries of the workspace are sources, those of the package are compiled files. */
function toPublished(entries) {
  const compiled = Object.entries(entries).map(([path, file]) => {
    const stem = `./${basename(file, '.ts')}`;
    return [path, { types: `${stem}.d.ts`, default: `${stem}.js` }];
  });
  return { ...Object.fromEntries(compiled), './package.json': './package.json' };
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
