import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import * as esbuild from 'esbuild';

/**
 * For `npm run dev`: packages do not change during development. They are bundled once, apart from what is rebuilt:
 * loaded file by file, they would take most of a restart.
 */
export function bundlePackages(options, folder) {
  const wanted = new Set();
  return {
    name: 'packages',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point' || isBuiltin(path) || path.startsWith(WORKSPACES)) return;
        // GraphiQL's 9 MB take longer than all others.
        if (kind === 'dynamic-import') return { path, external: true };
        wanted.add(path);
        return { path: `../packages/${toName(path)}.js`, external: true };
      });
      build.onEnd(() =>
        bundle([...wanted].sort(), { ...options, outdir: join(folder, 'packages') }),
      );
    },
  };
}

/** Their sources change during development, like those of `src`. */
const WORKSPACES = '@crossbook/';

/** Cached, also from an earlier process. */
async function bundle(paths, options) {
  const root = options.absWorkingDir;
  const lock = readFileSync(join(root, 'package-lock.json'));
  const hash = createHash('sha256').update(JSON.stringify(paths)).update(lock).digest('hex');
  const done = join(options.outdir, hash);
  if (existsSync(done)) return;
  rmSync(options.outdir, { recursive: true, force: true });
  const exported = readExports(paths, root);
  const entries = {
    name: 'entries',
    setup(build) {
      build.onResolve({ filter: /^entry:/ }, ({ path }) => ({
        path: path.slice(6),
        namespace: 'entry',
      }));
      build.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
        contents: `export { ${exported[path].join(', ')} } from ${JSON.stringify(path)};`,
        resolveDir: root,
      }));
    },
  };
  const entryPoints = Object.fromEntries(paths.map((path) => [toName(path), `entry:${path}`]));
  await esbuild.build({ ...options, entryPoints, plugins: [entries], sourcemap: false });
  writeFileSync(done, '');
}

/**
 * The export names that Node finds: a bundler cannot list those of a CommonJS module. In a child process, so that
 * its memory is released.
 */
function readExports(paths, cwd) {
  const script = `const found = {};
    for (const path of ${JSON.stringify(paths)}) found[path] = Object.keys(await import(path));
    process.stdout.write(JSON.stringify(found));`;
  const args = ['--input-type=module', '-e', script];
  const found = JSON.parse(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' }));
  // Node finds `__esModule` in CommonJS; the bundler may use the package's ES modules instead, which have none.
  const isName = (name) => /^[\w$]+$/.test(name) && name !== '__esModule';
  return Object.fromEntries(
    Object.entries(found).map(([path, names]) => [path, names.filter(isName)]),
  );
}

function toName(path) {
  return path.replaceAll(/[^\w.-]/g, '_').replace(/\.js$/, '');
}
