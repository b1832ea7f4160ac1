import { existsSync } from 'node:fs';

/**
 * Finds a file or folder that the build has made. Undefined: it is not built. The bundled command has it in its own folder,
 * the library in the folder above, and the sources in `dist`.
 */
export function findBuilt(path: string): URL | undefined {
  return ['./', '../', '../../dist/']
    .map((folder) => new URL(`${folder}${path}`, import.meta.url))
    .find((url) => existsSync(url));
}
