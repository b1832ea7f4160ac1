import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One hash of everything that the build reads: `dist` is up to date while it is unchanged. */
export function hashSources(root) {
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !/[/\\](?:node_modules|test)[/\\]/.test(path.slice(root.length))),
  );
  const files = [
    ...folders,
    ...TOP_FILES.map((name) => join(root, name)).filter(existsSync),
  ].sort();
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** The sources of `dist`; undefined if there is no build. */
export function readManifest(root) {
  const path = join(root, 'dist', MANIFEST);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

export const MANIFEST = 'build.json';

/** The image is built without examples and tests; `docs` are the guides. */
const FOLDERS = ['src', 'packages', 'build', 'docs'];

const TOP_FILES = ['package.json', 'package-lock.json', 'tsconfig.json'];
