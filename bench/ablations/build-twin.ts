import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ROOT } from '../support/paths.ts';
import type { Ablation } from './rows.ts';

/** The product as it ships, but for the modules that have a twin. Returns its folder. */
export async function buildTwin({ name, twins = {} }: Ablation): Promise<string> {
  const script = pathToFileURL(join(ROOT, 'build/build.mjs')).href;
  const { productOptions } = (await import(script)) as { productOptions(root: string): BuildOptions };
  const folder = join(ROOT, 'bench/dist/ablated', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(dirname(folder), 'package.json'));
  const options = productOptions(ROOT);
  const { outputFiles = [] } = await build({
    ...options,
    outdir: folder,
    plugins: [...(options.plugins ?? []), standIn(twins)],
  });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  return folder;
}

function standIn(twins: NonNullable<Ablation['twins']>): Plugin {
  const paths = new Map(
    Object.entries(twins).map(([original, twin]) => [
      join(ROOT, 'src', original),
      join(ROOT, 'bench/ablations/twins', twin),
    ]),
  );
  return {
    name: 'plain-twins',
    setup(building) {
      const used = new Set<string>();
      building.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir, importer }) => {
        const original = join(resolveDir, path);
        const twin = paths.get(original);
        // A twin may need types and parts of what it stands in for.
        if (!twin || importer === twin) return undefined;
        used.add(original);
        return { path: twin };
      });
      building.onEnd(() => {
        const missed = [...paths.keys()].filter((path) => !used.has(path));
        if (missed.length > 0)
          throw new Error(`Nothing imports ${missed.join(', ')}: the twin has no place.`);
      });
    },
  };
}
