import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INSTALLED } from '../../build/installed.mjs';
import type { ErrorFacts } from '../../src/domain/errors.ts';
import type { Shape } from '../../src/domain/shape.ts';
import type { Setting } from '../../src/settings.ts';
import {
  printClientErrors,
  printContactFragment,
  printErrors,
  printLimits,
  printSettings,
} from '../docs/print.ts';
import '../support/process-sources.ts';
import { ADDITIONS, write } from './additions.ts';

const PRINT = `
import { parse, printSchema } from 'graphql';
import { listSettings, readConfig } from './config.ts';
import { contact } from './domain/records/contact.ts';
import { ERROR_CODES } from './domain/errors.ts';
import { nothingSpent } from '@crossbook/executor';
import { checkOperation, DEFAULT_LIMITS, listLimits } from './graphql/engine/limits.ts';
import { apiSchema } from './graphql/schema.ts';
import { createRegistry } from './providers/registry.ts';
import { toOpenApi } from './rest/openapi/document.ts';
import { OPERATIONS } from './rest/routes/all.ts';
import { toStatements } from './sync/table.ts';
const settings = listSettings().map(({ schema, ...row }) => row);
const columns = toStatements('CONTACTS', 'crm', 'contacts').types;
const document = toOpenApi(OPERATIONS, { version: '0.0.0' });
const [providers, config] = [[...createRegistry().keys()], readConfig({ CROSSBOOK_NAPS: '4' })];
let refusal = '';
try {
  const limits = { ...DEFAULT_LIMITS, leaves: 2 };
  const asked = { schema: apiSchema, document: parse('{ a: __typename b: __typename c: __typename }'), method: 'POST' };
  checkOperation({ ...asked, variables: {}, isCallerKnown: true, limits, spent: nothingSpent(), responseBytes: 1_000 });
} catch ({ message }) {
  refusal = message;
}
process.stdout.write(JSON.stringify({ refusal, columns, schema: printSchema(apiSchema), document, codes: ERROR_CODES, settings, providers, config, contact, limits: listLimits() }));
`;

const ROOT = join(import.meta.dirname, '../..');
let copy: string;
let printed: Printed;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'crossbook-copy-'));
  for (const folder of ['src', 'packages/executor/src'])
    cpSync(join(ROOT, folder), join(copy, folder), { recursive: true });
  for (const name of ['tsconfig.json', 'package.json']) cpSync(join(ROOT, name), join(copy, name));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const edit of Object.values(ADDITIONS).flat()) edit.apply(copy);
  writeFileSync(join(copy, 'src/print.ts'), PRINT);
  const outfile = join(copy, 'print.mjs');
  const bundle = { bundle: true, platform: 'node', target: 'node20.19', format: 'esm' } as const;
  await build({
    entryPoints: [join(copy, 'src/print.ts')],
    outfile,
    // The workspace is that of the copy.
    alias: { '@crossbook/executor': join(copy, 'packages/executor/src/index.ts') },
    external: INSTALLED,
    ...bundle,
  });
  printed = JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('the sources with all additions compile', () => {
  expect(compile()).toBe('');
});

test('a contact field that a CRM does not request or read is a compile error', () => {
  const [, ...readers] = ADDITIONS['a contact field'];
  const originals = readers.map(({ path }) => readFileSync(join(copy, path), 'utf8'));
  readers.forEach(({ path }, index) => {
    write(join(copy, path), `${originals[index]}`.replaceAll(/.*jobTitle.*\n/g, ''));
  });
  const compileErrors = compile()
    .split('\n')
    .filter((line) => line.includes("'jobTitle' is missing"));
  readers.forEach(({ path }, index) => {
    const places = `${originals[index]}`.match(/jobTitle:/g);
    expect(compileErrors.filter((line) => line.startsWith(path))).toHaveLength(places?.length ?? 0);
    write(join(copy, path), `${originals[index]}`);
  });
});

test('a new contact field is a column of syncs', () => {
  expect(printed.columns['job_title']).toBe('text');
});

test('a scalar that has no type of column is a compile error', () => {
  const path = join(copy, 'src/domain/shape.ts');
  const original = readFileSync(path, 'utf8');
  write(path, original.replace("    | 'moment'\n", "    | 'moment'\n    | 'duration'\n"));
  expect(compile()).toMatch(/^src\/sync\/table\.ts.*\n?.*'duration' is missing/m);
  write(path, original);
});

test.each([
  ['a contact field', 4],
  ['an error code', 1],
  ['a setting', 2],
  ['a limit of documents', 2],
  ['a route', 3],
  ['a mutation', 3],
  ['a provider', 3],
] as const)('%s needs changes in at most %d files', (name, most) => {
  expect(new Set(ADDITIONS[name].map(({ path }) => path)).size).toBe(most);
});

test('a new contact field is in the schema, in the OpenAPI document and in the client’s selection', () => {
  expect(printContactFragment(printed.contact)).toContain('\n  jobTitle\n');
  expect(printed.schema).toMatch(
    /^type Contact [^}]*\n {2}"""The job title\."""\n {2}jobTitle: String\n/m,
  );
  const { properties, required } = printed.document.components.schemas['Contact'] ?? {};
  expect(properties?.['job_title']).toEqual({ type: 'string', description: 'The job title.' });
  expect(required).not.toContain('job_title');
});

test('a new error code is in the OpenAPI document, the documents and the client', () => {
  expect(printed.document.components.responses['Gone']).toMatchObject({
    description: 'It was there.',
  });
  expect(JSON.stringify(printed.document.components.schemas['Error'])).toContain('"GONE"');
  const api = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
  expect(printErrors(api, printed.codes)).toContain('\n| 410 | `GONE` | It was there. |\n');
  expect(printClientErrors(printed.codes)).toContain("\n  | 'GONE'");
});

test('a new setting is read, typed and printed', () => {
  expect(printed.config).toMatchObject({ naps: 4 });
  expect(printSettings(printed.settings)).toContain('\n\n# How many naps.\n# CROSSBOOK_NAPS=3\n');
});

test('a new document limit is enforced and documented', () => {
  const page = readFileSync(join(ROOT, 'docs/rate-limits.md'), 'utf8');
  expect(printLimits(page, printed.limits)).toContain('\n| leaves | 9,000 |\n');
  expect(printed.refusal).toBe(
    'The operation is too large: its number of leaves is 3, and the limit is 2.',
  );
});

test('a new route is in the OpenAPI document, and a new mutation in the schema', () => {
  expect(printed.document.paths['/waves']).toMatchObject({ post: { operationId: 'wave' } });
  expect(printed.schema).toMatch(
    /^type Mutation .*?\n {2}wave\([^)]*input: WaveInput!\s*\): WavePayload\n.*?^\}/ms,
  );
});

test('a new provider is in the registry, the schema and the OpenAPI document', () => {
  expect(printed.providers).toContain('acme');
  expect(printed.schema).toMatch(/^enum ProviderName [^}]*"""Acme, a CRM\."""\n {2}ACME\n/m);
  expect(JSON.stringify(printed.document.components.schemas['ConnectionUpsert'])).toContain(
    '"acme"',
  );
});

/** The compiler's output. */
function compile(): string {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const settings = { extends: './tsconfig.json', include: ['src'], exclude: ['src/print.ts'] };
  writeFileSync(join(copy, 'tsconfig.copy.json'), JSON.stringify(settings));
  try {
    return execFileSync(process.execPath, [tsc, '-p', 'tsconfig.copy.json'], {
      cwd: copy,
      encoding: 'utf8',
    });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

interface Printed {
  readonly columns: Readonly<Record<string, string>>;
  readonly refusal: string;
  readonly schema: string;
  readonly document: {
    readonly paths: Readonly<Record<string, object>>;
    readonly components: {
      readonly schemas: Readonly<
        Record<
          string,
          {
            readonly properties?: Readonly<Record<string, object>>;
            readonly required?: readonly string[];
          }
        >
      >;
      readonly responses: Readonly<Record<string, object>>;
    };
  };
  readonly contact: Shape<unknown>;
  readonly limits: Parameters<typeof printLimits>[1];
  readonly codes: Readonly<Record<string, ErrorFacts>>;
  readonly settings: readonly Omit<Setting, 'schema'>[];
  readonly providers: readonly string[];
  readonly config: object;
}
