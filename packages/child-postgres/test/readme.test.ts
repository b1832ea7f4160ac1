import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { findSample, runSample } from '../../../test/support/run-sample.ts';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { startServer } from '../src/index.ts';

const root = makeTemporaryFolder();
afterAll(() => rmSync(root, { recursive: true }));

test('the sample of the README runs', async () => {
  const sample = findSample('packages/child-postgres/README.md', 'ts', 'startServer');
  const { rows } = await runSample<{ readonly rows: readonly object[] }>(
    sample.replace("'data'", JSON.stringify(join(root, 'data'))),
    { given: { startServer, pg }, declares: ['rows'] },
  );
  expect(rows).toEqual([{ version: expect.stringMatching(/^18\./) }]);
});
