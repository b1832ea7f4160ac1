import { readFileSync } from 'node:fs';

/** Of the package. This file has to stay at the top of `src`: its build is at the top of `dist`, equally far from `package.json`. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return version;
}
