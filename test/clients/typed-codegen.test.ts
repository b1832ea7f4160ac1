import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CodegenConfig, generate } from '@graphql-codegen/cli';
import { type FieldDefinitionNode, type ObjectTypeDefinitionNode, parse, print } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import config from '../../codegen.ts';
import type { CustomField } from '../../src/domain/custom-fields.ts';
import { defineTypedFields } from '../../src/graphql/typed-fields.ts';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';
import { findSample, runSample } from '../support/run-sample.ts';
import '../support/process-sources.ts';

const PAGE = 'docs/custom-fields.md';
const ROOT = process.cwd();
const execute = promisify(execFile);

let crossbook: ListeningApp;
let folder: string;
beforeAll(async () => {
  crossbook = await listenApp();
  const { errors } = await crossbook.execute(findSample(PAGE, 'graphql', 'typedSchema: true'));
  expect(errors).toBeUndefined();
  folder = mkdtempSync(join(tmpdir(), 'crossbook-codegen-'));
  mkdirSync(join(folder, 'src'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await crossbook.close();
});

test('the printed configuration generates types of custom fields, by introspection with the key', async () => {
  const query = findSample(PAGE, 'graphql', 'query FavoriteColor');
  const written = await generateFrom(query);
  writeFileSync(join(folder, 'src/operations.ts'), written);
  writeFileSync(join(folder, 'src/use.ts'), USE);
  expect(await compile()).toBe('');
  writeFileSync(join(folder, 'src/use.ts'), USE.replace('favoriteColor', 'favouriteColor'));
  expect(await compile()).toContain("Property 'favouriteColor' does not exist");
  const wrong = generateFrom(query.replace('jobTitle', 'jobTitel'));
  await expect(wrong).rejects.toThrow(/Cannot query field "jobTitel".*Did you mean "jobTitle"/);
});

test('the example app generates its types from the custom fields that it declares', async () => {
  const path = join(ROOT, 'examples/app/server/custom-fields.mjs');
  const { CUSTOM_FIELDS }: { readonly CUSTOM_FIELDS: readonly CustomField[] } = await import(path);
  const { extensions, definitions } = defineTypedFields({ CONTACT: CUSTOM_FIELDS }, '');
  const shape = ({ name, type }: FieldDefinitionNode) => `${name.value}: ${print(type)}`;
  const declared = [...extensions, ...definitions].map((node) =>
    'fields' in node ? [node.name.value, node.fields?.map(shape)] : [],
  );
  const written = parse(readFileSync('examples/app/server/custom-fields.graphql', 'utf8'));
  const types = written.definitions as readonly ObjectTypeDefinitionNode[];
  expect(types.map((node) => [node.name.value, node.fields?.map(shape)])).toEqual(declared);
});

test('the example app generates the same types once its custom fields are in the schema of its key', async () => {
  const headers = { 'x-api-key': crossbook.key };
  const endpoint = { [`${crossbook.url}/graphql`]: { headers, oneOf: true } };
  const name = 'examples/app/src/operations.generated.ts';
  const output = config.generates[name] as object;
  const schema = [endpoint, 'examples/app/server/custom-fields.graphql'];
  const options = { generates: { [name]: { ...output, schema } }, silent: true, errorsOnly: true };
  const [file] = await generate(options, false);
  expect(file.content).toBe(readFileSync(name, 'utf8'));
});

/** Generates with the printed `codegen.ts` from an operation. */
async function generateFrom(operation: string): Promise<string> {
  writeFileSync(join(folder, 'src/favorite-color.graphql'), operation);
  const printed = findSample(PAGE, 'ts', 'CodegenConfig');
  const code = printed
    .replace('http://localhost:4000', crossbook.url)
    .replace('config: CodegenConfig', 'config')
    .replace('export default config;', '');
  const { config: printedConfig } = await runSample<{ config: CodegenConfig }>(code, {
    given: { process: { env: { CROSSBOOK_API_KEY: crossbook.key } } },
    declares: ['config'],
  });
  const files = await generate(
    { ...printedConfig, cwd: folder, silent: true, errorsOnly: true },
    false,
  );
  expect(files).toHaveLength(1);
  return files[0].content;
}

const USE = `
import type { ResultOf } from '@graphql-typed-document-node/core';
import { FavoriteColorDocument } from './operations.ts';
export function read(data: ResultOf<typeof FavoriteColorDocument>): string | null | undefined {
  return data.searchContacts?.nodes[0]?.custom.favoriteColor;
}
`;

async function compile(): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options =
    '--strict --module esnext --moduleResolution bundler --target es2022 --noEmit --skipLibCheck --types --allowImportingTsExtensions'.split(
      ' ',
    );
  const args = [
    tsc,
    ...options.flatMap((one) => (one === '--types' ? [one, ''] : [one])),
    'src/use.ts',
  ];
  const { stdout } = await execute(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}
