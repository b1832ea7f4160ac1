import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expectNoProcessLeft } from '../../../test/support/processes.ts';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { hasCluster, joinServer } from '../src/index.ts';
import { ask, connect } from './child.ts';

const root = makeTemporaryFolder();
const directory = join(root, 'data');
afterAll(() => rmSync(root, { recursive: true }));

test('users of one server share it, and the first one stops it after the last one has closed', async () => {
  expect(hasCluster(directory)).toBe(false);
  const first = await joinServer({ directory, connect });
  expect(hasCluster(directory)).toBe(true);
  const other = await joinServer({ directory, connect });
  expect(other.url).toBe(first.url);
  const stopped = first.close();
  expect(await ask(other.url, 'select 1')).toBe('1');
  expect(existsSync(`${directory}.lock`)).toBe(true);
  await other.close();
  await stopped;
  expect(existsSync(`${directory}.lock`)).toBe(false);
  await expectNoProcessLeft(directory);
});
