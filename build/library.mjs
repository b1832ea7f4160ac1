import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { productOptions } from './build.mjs';
import { graphiqlPage } from './graphiql-page.mjs';
import { collectPackages } from './licences.mjs';
import { keepOwnSources } from './source-maps.mjs';
import { readManifest } from './sources.mjs';

/**
 * Builds `dist/library`, which applications import: `createCrossbook` and its types. The peer dependencies are not bundled, so
 * that Crossbook and the plugins of the application share one copy of graphql. Run it after `ensure.mjs`.
 */
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const folder = join(root, 'dist/library');
const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const product = productOptions(root);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const { outputFiles, metafile } = await esbuild.build({
  ...product,
  entryPoints: { index: 'src/index.ts' },
  outdir: 'dist/library',
  external: [...product.external, ...Object.keys(peerDependencies)],
  // The page is that of the command.
  plugins: [graphiqlPage({ page: '../graphiql.html' })],
});
for (const { path, contents } of outputFiles)
  writeFileSync(path, path.endsWith('.map') ? keepOwnSources(contents) : contents);
checkLicences();
writeTypes();

/** The notices of the command's packages are shipped. */
function checkLicences() {
  const shipped = new Set(readManifest(root)?.packages.map(({ name }) => name));
  const missing = collectPackages(root, metafile).filter(({ name }) => !shipped.has(name));
  if (missing.length > 0)
    throw new Error(`Without a notice: ${missing.map(({ name }) => name).join(', ')}`);
}

/** `src/embedding.ts` has the types, and imports nothing of ours. */
function writeTypes() {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const options = {
    target: 'es2023',
    module: 'nodenext',
    types: 'node',
    strict: true,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: folder,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const command = [join(typescript, 'bin/tsc'), '--ignoreConfig', ...flags, 'src/embedding.ts'];
  execFileSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  const entry = `import type { CreateCrossbook } from './embedding.js';
export declare const createCrossbook: CreateCrossbook;
export type * from './embedding.js';
`;
  writeFileSync(join(folder, 'index.d.ts'), entry);
}
