import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const NPM_CACHE = process.env['npm_config_cache'] ?? join(homedir(), '.npm');

/**
 * Whether npm's cache contains every package that is installed in this folder. npm takes packages with an integrity hash from
 * the cache without a request.
 */
export function canInstallOffline(folder = '.'): boolean {
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const { packages } = JSON.parse(readFileSync(installed, 'utf8')) as {
    packages: Record<string, Package>;
  };
  return Object.values(packages).every(
    ({ integrity }) => integrity === undefined || isCached(integrity),
  );
}

function isCached(integrity: string): boolean {
  const [algorithm = '', digest = ''] = integrity.split('-', 2);
  const hash = Buffer.from(digest, 'base64').toString('hex');
  const place = [hash.slice(0, 2), hash.slice(2, 4), hash.slice(4)];
  return existsSync(join(NPM_CACHE, '_cacache/content-v2', algorithm, ...place));
}

interface Package {
  /** Absent: a directory of this repository. */
  readonly integrity?: string;
}
