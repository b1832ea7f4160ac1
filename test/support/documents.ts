import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The documents by path: those at the top level, in docs and its decisions, in bench, of the cluster, of the examples and of the workspaces. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  [
    ...['.', 'docs', 'docs/decisions', 'examples', 'bench', 'ops/cluster'],
    ...readdirSync('packages').map((name) => join('packages', name)),
  ]
    .flatMap(listPages)
    .sort()
    .map((path) => [path, readFileSync(path, 'utf8')]),
);

/** Every code block, with its language and its first line. */
export function readSamples(): readonly Sample[] {
  return [...DOCUMENTS].flatMap(([path, text]) =>
    [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
      ({ 1: language = '', 2: code = '', index }) => ({
        path,
        line: text.slice(0, index).split('\n').length,
        language,
        code,
      }),
    ),
  );
}

function listPages(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.endsWith('.md')) return path;
    const isExample =
      path.startsWith('examples') && entry.isDirectory() && entry.name !== 'node_modules';
    return isExample ? listPages(path) : [];
  });
}

export interface Sample {
  readonly path: string;
  readonly line: number;
  /** The language of the fence; empty if there is none. */
  readonly language: string;
  readonly code: string;
}
