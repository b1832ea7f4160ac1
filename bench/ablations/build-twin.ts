import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ROOT } from '../support/paths.ts';
import type { Ablation, Twin } from './rows.ts';

/** The product as it ships, but for the functions that have a twin. Returns its folder. */
export async function buildTwin({ name, twins = [] }: Ablation): Promise<string> {
  const script = pathToFileURL(join(ROOT, 'build/build.mjs')).href;
  const { productOptions } = (await import(script)) as {
    productOptions(root: string): BuildOptions;
  };
  const folder = join(ROOT, 'bench/dist/ablated', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(dirname(folder), 'package.json'));
  const options = productOptions(ROOT);
  const { outputFiles = [] } = await build({
    ...options,
    outdir: folder,
    plugins: [...(options.plugins ?? []), replaceFunctions(ROOT, twins)],
  });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  return folder;
}

/**
 * In each file that has twins, the exported function of that name becomes a private one that nothing calls, and the twin's
 * takes its name, for importing files and inside the file. Fails if a file or a function is missing.
 */
export function replaceFunctions(root: string, twins: readonly Twin[]): Plugin {
  return {
    name: 'plain-twins',
    setup(building) {
      const missing = new Set(twins);
      building.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const own = twins.filter(({ file }) => join(root, 'src', file) === path);
        if (own.length === 0) return undefined;
        let contents = readFileSync(path, 'utf8');
        for (const one of own) {
          const { name, twin } = one;
          const declaration = new RegExp(`^export (async )?function ${name}\\b`, 'm');
          if (!declaration.test(contents)) continue;
          missing.delete(one);
          const from = JSON.stringify(join(root, 'bench/ablations/twins', twin));
          contents = contents.replace(declaration, `$1function ${name}AsItShips`);
          contents += `\nimport { ${name} } from ${from};\nexport { ${name} };\n`;
        }
        return { contents, loader: 'ts' };
      });
      building.onEnd(() => {
        const names = [...missing].map(({ file, name }) => `function ${name} of ${file}`);
        if (names.length > 0) throw new Error(`There is no exported ${names.join(', no ')}.`);
      });
    },
  };
}
