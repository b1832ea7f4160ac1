import { existsSync, readFileSync } from 'node:fs';

/** The package's version. The command's build is one folder below `package.json`, that of `createCrossbook` two. */
export function readVersion(): string {
  const [manifest = PLACES[0]] = PLACES.filter((place) => existsSync(place));
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return version;
}

const PLACES = [
  new URL('../package.json', import.meta.url),
  new URL('../../package.json', import.meta.url),
] as const;
