import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the vendors' clients meet a difference, by name: the table in behaviour.md. */
export const DIFFERENCES: readonly string[] = readDifferences();

/** The methods that an object of a vendor's client has. */
export function methodsOf(api: object): readonly string[] {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(api));
  return names.filter(
    (name) => name !== 'constructor' && !name.startsWith('_') && !name.endsWith('WithHttpInfo'),
  );
}

function readDifferences(): readonly string[] {
  const page = readFileSync(join(import.meta.dirname, '../behaviour.md'), 'utf8');
  const section = page.slice(page.indexOf('## Differences that'));
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].flatMap(([, name]) => name ?? []);
}
