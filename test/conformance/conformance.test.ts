import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTRACT } from './contract/all.ts';
import { findDifferences } from './match.ts';
import { printTable } from './print-table.ts';
import type { Row } from './row.ts';
import { SPECIFICATION } from './spec/all.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe.each([
  ['the specification', SPECIFICATION],
  ['the contract', CONTRACT],
] as const)('%s', (_what, rows) => {
  test.each(
    rows.map((row) => [`${row.section} ${row.promise} (${row.steps.length})`, row] as const),
  )('%s', async (_title, row) => {
    const differences = await lookAt(row);
    if (row.differs === undefined) expect(differences).toEqual([]);
    else expect(differences, 'The row says that it differs, and it is kept.').not.toEqual([]);
  });

  test('every promise is listed once', () => {
    const promises = rows.map(({ section, promise }) => `${section} ${promise}`);
    expect(promises.filter((promise, index) => promises.indexOf(promise) !== index)).toEqual([]);
  });
});

test('promises.md is up to date with the rows (`npm run conformance`)', async () => {
  await expect(printTable({ SPECIFICATION, CONTRACT })).toMatchFileSnapshot('promises.md');
});

async function lookAt(row: Row): Promise<readonly string[]> {
  return findDifferences(await world.run(row), row.expected);
}
