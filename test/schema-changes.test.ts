import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { readBreaking } from '../build/changelog.mjs';
import { readCommitted } from './support/read-committed.ts';

const SCHEMA = readFileSync('schema.graphql', 'utf8');
const RELEASED = readFileSync('schema.released.graphql', 'utf8');

test('breaking changes since the last release are listed in the changelog, under "Breaking"', async () => {
  const told = readBreaking(readFileSync('CHANGELOG.md', 'utf8'));
  const silent = (await findBreaks(RELEASED, SCHEMA)).filter(
    ({ path }) => !told.includes(`\`${path}\``),
  );
  expect(silent.map(({ message }) => message)).toEqual([]);
});

test('the schema of the last release changes only with a release', () => {
  const before = {
    schema: readCommitted('schema.released.graphql'),
    package: readCommitted('package.json'),
  };
  // Without git there is nothing to compare with.
  if (before.schema === undefined || before.package === undefined) return;
  const isRelease = versionOf(readFileSync('package.json', 'utf8')) !== versionOf(before.package);
  if (!isRelease) expect(RELEASED).toBe(before.schema);
});

test.each([
  [
    'a field goes',
    (sdl: string) => sdl.replace('  lastName: String\n', '  surname: String\n'),
    'Contact.lastName',
  ],
  [
    'a field may become null',
    (sdl: string) => sdl.replace('isDeleted: Boolean!', 'isDeleted: Boolean'),
    'Contact.isDeleted',
  ],
  [
    'an input asks for more',
    (sdl: string) => sdl.replace('  expectedVersion: Int\n', '  expectedVersion: Int!\n'),
    'DeleteCustomerInput.expectedVersion',
  ],
  [
    'an enum value has another name',
    (sdl: string) => sdl.replace('  PIPEDRIVE\n', '  PIPE\n'),
    'ProviderName.PIPEDRIVE',
  ],
])('the comparison detects that %s', async (_name, change, expected) => {
  expect((await findBreaks(SCHEMA, change(SCHEMA))).map(({ path }) => path)).toEqual([expected]);
});

test('additions are not breaking changes', async () => {
  const more = SCHEMA.replace(
    '  isDeleted: Boolean!\n',
    '  isDeleted: Boolean!\n\n  nickname: String\n',
  );
  expect(more).not.toBe(SCHEMA);
  expect(await findBreaks(SCHEMA, more)).toEqual([]);
});

/** By GraphQL Inspector's rules. */
async function findBreaks(before: string, after: string) {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
}

function versionOf(text: string): string {
  return (JSON.parse(text) as { version: string }).version;
}
