import { readFileSync } from 'node:fs';
import { generate } from '@graphql-codegen/cli';
import { expect, test } from 'vitest';
import config from '../../codegen.ts';

test('the code generated from schema.graphql is up to date (`npm run codegen`)', async () => {
  const files = await generate({ ...config, silent: true, errorsOnly: true }, false);
  expect(files.map(({ filename }: GeneratedFile) => filename).sort()).toEqual([
    'examples/app/src/operations.generated.ts',
    'operations.json',
    'packages/client/src/operations.generated.ts',
    'test/clients/operations.generated.ts',
  ]);
  for (const { filename, content } of files)
    expect(readFileSync(filename, 'utf8'), filename).toBe(content);
});

interface GeneratedFile {
  readonly filename: string;
  readonly content: string;
}
