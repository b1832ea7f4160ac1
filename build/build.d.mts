import type { BuildOptions, Plugin } from 'esbuild';

export function build(root: string, hash: string): Promise<void>;

export function productOptions(
  root: string,
): BuildOptions & { readonly plugins: Plugin[]; readonly metafile: true };
