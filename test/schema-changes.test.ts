import { readFileSync } from 'node:fs';
import { buildSchema, findBreakingChanges } from 'graphql';
import { expect, test } from 'vitest';
import { readCommitted } from './support/read-committed.ts';

const SCHEMA = readFileSync('schema.graphql', 'utf8');

test('schema.graphql breaks no client of the commit before, unless the version says so', () => {
  const before = { schema: readCommitted('schema.graphql'), package: readCommitted('package.json') };
  // Without git there is nothing to compare with.
  if (before.schema === undefined || before.package === undefined) return;
  if (isBreaking(versionOf(readFileSync('package.json', 'utf8')), versionOf(before.package))) return;
  expect(describeBreaks(before.schema, SCHEMA)).toEqual([]);
});

test.each([
  [
    'a field goes',
    (sdl: string) => sdl.replace('  lastName: String\n', '  surname: String\n'),
    'Contact.lastName was removed.',
  ],
  [
    'a field may become null',
    (sdl: string) => sdl.replace('isDeleted: Boolean!', 'isDeleted: Boolean'),
    'Contact.isDeleted changed type from Boolean! to Boolean.',
  ],
  [
    'an input asks for more',
    (sdl: string) => sdl.replace('  expectedVersion: Int\n', '  expectedVersion: Int!\n'),
    'DeleteCustomerInput.expectedVersion changed type from Int to Int!.',
  ],
  [
    'an enum value has another name',
    (sdl: string) => sdl.replace('  PIPEDRIVE\n', '  PIPE\n'),
    'PIPEDRIVE was removed',
  ],
])('the comparison sees when %s', (_name, change, expected) => {
  expect(describeBreaks(SCHEMA, change(SCHEMA)).join()).toContain(expected);
});

test('what is only added breaks nothing', () => {
  const more = SCHEMA.replace('  isDeleted: Boolean!\n', '  isDeleted: Boolean!\n\n  nickname: String\n');
  expect(more).not.toBe(SCHEMA);
  expect(describeBreaks(SCHEMA, more)).toEqual([]);
});

test.each([
  ['0.2.0', '0.1.9', true],
  ['0.1.1', '0.1.0', false],
  ['1.0.0', '0.9.0', true],
  ['1.3.0', '1.2.0', false],
  ['2.0.0', '1.9.9', true],
])('version %s may break clients of %s: %s', (now, before, expected) => {
  expect(isBreaking(now, before)).toBe(expected);
});

function describeBreaks(before: string, after: string): string[] {
  return findBreakingChanges(buildSchema(before), buildSchema(after)).map(({ description }) => description);
}

function versionOf(text: string): string {
  return (JSON.parse(text) as { version: string }).version;
}

/** By Semantic Versioning: the first number that is not zero. */
function isBreaking(now: string, before: string): boolean {
  const [[major = 0, minor = 0], [majorBefore = 0, minorBefore = 0]] = [numbersOf(now), numbersOf(before)];
  return major > majorBefore || (major === 0 && minor > minorBefore);
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}
