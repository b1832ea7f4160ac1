import { readFileSync } from 'node:fs';

/**
 * The package's version. This file must stay at the top of `src`: its build is at the top of `dist`, at the same
 * distance from `package.json`.
 */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return version;
}
