import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { replaceFunctions } from '../../bench/ablations/build-twin.ts';
import { listAblations, type Twin } from '../../bench/ablations/rows.ts';
import { productOptions } from '../../build/build.mjs';
import '../support/process-sources.ts';

const ROOT = join(import.meta.dirname, '../..');
const rows = listAblations([]).flatMap(({ name, twins }) => (twins ? [{ name, twins }] : []));

test.each(rows)('without $name the product has its plain twins', async ({ twins }) => {
  expect(await listTwinsIn(twins)).toEqual(twins.map(({ twin }) => twin).sort());
});

test('a row whose function is not there cannot be measured', async () => {
  const gone = { file: 'graphql/server.ts', name: 'createNothing', twin: 'no-written-lists.ts' };
  await expect(listTwinsIn([gone])).rejects.toThrow(
    'no exported function createNothing of graphql/server.ts',
  );
});

/** Those whose code is in the bundle. */
async function listTwinsIn(replaced: readonly Twin[]): Promise<readonly string[]> {
  const options = productOptions(ROOT);
  const plugins = [...options.plugins, replaceFunctions(ROOT, replaced)];
  const { metafile } = await build({ ...options, plugins, logLevel: 'silent' });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return parts
    .filter(
      ([path, { bytesInOutput }]) => path.startsWith('bench/ablations/twins/') && bytesInOutput > 0,
    )
    .map(([path]) => path.slice('bench/ablations/twins/'.length))
    .sort();
}
