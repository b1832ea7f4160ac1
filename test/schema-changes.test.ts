import { existsSync, readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  type ASTNode,
  buildASTSchema,
  buildSchema,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql';
import { expect, test } from 'vitest';
import { readBreaking } from '../build/changelog.mjs';
import { readCommitted } from './support/read-committed.ts';

const SCHEMA = readFileSync('schema.graphql', 'utf8');
const SUBGRAPH = readFileSync('subgraph.graphql', 'utf8');
/** The schemas of the last release. They do not exist before the first one, which breaks nothing. */
const RELEASED = ['schema.released.graphql', 'subgraph.released.graphql'];

test('breaking changes since the last release are listed in the changelog, under "Breaking"', async () => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  expect(RELEASED.map(existsSync)).toEqual(RELEASED.map(() => /^## \d/m.test(changelog)));
  const told = readBreaking(changelog);
  const [released, releasedSubgraph] = RELEASED.map((path) =>
    existsSync(path) ? readFileSync(path, 'utf8') : undefined,
  );
  const breaks = [
    ...(await findBreaks(released ?? SCHEMA, SCHEMA)),
    ...(await findSubgraphBreaks(releasedSubgraph ?? SUBGRAPH, SUBGRAPH)),
  ];
  const silent = breaks.filter(({ path }) => !told.includes(`\`${path}\``));
  expect(silent.map(({ message }) => message)).toEqual([]);
});

test.each(RELEASED.filter((path) => existsSync(path)))('%s changes only with a release', (path) => {
  const before = { schema: readCommitted(path), package: readCommitted('package.json') };
  // Without git there is nothing to compare with.
  if (before.schema === undefined || before.package === undefined) return;
  const isRelease = versionOf(readFileSync('package.json', 'utf8')) !== versionOf(before.package);
  if (!isRelease) expect(readFileSync(path, 'utf8')).toBe(before.schema);
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
    'Company.isDeleted',
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

test.each([
  [
    'a key goes',
    (sdl: string) => sdl.replace(' @key(fields: "customerId provider remoteId")', ''),
    'Company @key(fields: "customerId provider remoteId")',
  ],
  [
    'a type is no longer shared',
    (sdl: string) => sdl.replace('PageInfo @shareable', 'PageInfo'),
    'PageInfo @shareable',
  ],
  [
    'a contract shows a field that it excluded',
    (sdl: string) => sdl.replace('JSON @tag(name: "raw-data")', 'JSON'),
    'Company.rawData @tag(name: "raw-data")',
  ],
  [
    'an enum that other subgraphs copy for a key has one value more',
    (sdl: string) => sdl.replace('  PIPEDRIVE\n', '  PIPEDRIVE\n  PIPELINER\n'),
    'ProviderName.PIPELINER',
  ],
  [
    'a field goes that only gateways see',
    (sdl: string) => sdl.replace(/(type ContactsByEmail [\s\S]*? {2})contacts\(/, '$1people('),
    'ContactsByEmail.contacts',
  ],
])('the comparison of subgraphs detects that %s', async (_name, change, expected) => {
  const breaks = await findSubgraphBreaks(SUBGRAPH, change(SUBGRAPH));
  expect(breaks.map(({ path }) => path)).toEqual([expected]);
});

test('a value more of an enum that is in no key, and another cost, are not breaking changes of the subgraph', async () => {
  const changed = SUBGRAPH.replace('  CRM\n', '  CRM\n  BILLING\n').replace(
    'weight: 150',
    'weight: 99',
  );
  expect(changed).toContain('BILLING');
  expect(changed).toContain('weight: 99');
  expect(await findSubgraphBreaks(SUBGRAPH, changed)).toEqual([]);
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

/** In addition, of what other subgraphs and contracts depend on: keys, shared types, tags, and the enums in keys. */
async function findSubgraphBreaks(before: string, after: string): Promise<readonly Break[]> {
  const [old, now] = [parse(before), parse(after)];
  const changes = await diff(toPlainSchema(old), toPlainSchema(now));
  const applied = new Set(listApplied(now));
  const removed = listApplied(old).filter((path) => !applied.has(path));
  const known = listEnumValues(old);
  const copied = listKeyEnums(old);
  const added = [...listEnumValues(now)].filter(
    (path) => !known.has(path) && copied.has(path.split('.')[0] ?? ''),
  );
  return [
    ...changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking),
    ...removed.map((path) => ({ path, message: `The subgraph no longer has ${path}` })),
    ...added.map((path) => ({ path, message: `Other subgraphs’ copies lack ${path}` })),
  ];
}

/** Without the directives of Federation. */
function toPlainSchema(document: DocumentNode) {
  const plain = visit(document, {
    Directive: ({ name }) => (name.value === 'deprecated' ? undefined : null),
    SchemaExtension: () => null,
  });
  return buildASTSchema(plain);
}

/** Such as `Contact @key(fields: "id")` and `Company.rawData @tag(name: "raw-data")`. */
function listApplied(document: DocumentNode): readonly string[] {
  const list = (
    path: string,
    { directives = [] }: ObjectTypeDefinitionNode | FieldDefinitionNode,
  ) =>
    directives
      .filter(({ name }) => ['key', 'shareable', 'tag'].includes(name.value))
      .map((directive) => `${path} ${print(directive)}`);
  return document.definitions
    .filter(isObjectDefinition)
    .flatMap((type) => [
      ...list(type.name.value, type),
      ...(type.fields ?? []).flatMap((field) =>
        list(`${type.name.value}.${field.name.value}`, field),
      ),
    ]);
}

function listEnumValues(document: DocumentNode): ReadonlySet<string> {
  const paths = document.definitions.flatMap((type) =>
    type.kind === Kind.ENUM_TYPE_DEFINITION
      ? (type.values ?? []).map(({ name }) => `${type.name.value}.${name.value}`)
      : [],
  );
  return new Set(paths);
}

/** The types of the fields in keys: those that are enums have to be copied by other subgraphs. */
function listKeyEnums(document: DocumentNode): ReadonlySet<string> {
  const names = document.definitions.filter(isObjectDefinition).flatMap((type) => {
    const keys = listApplied({ ...document, definitions: [type] }).join(' ');
    const fields = new Set(
      [...keys.matchAll(/@key\(fields: "([^"]+)"/g)].flatMap(([, names = '']) => names.split(' ')),
    );
    return (type.fields ?? [])
      .filter(({ name }) => fields.has(name.value))
      .map((field) => print(field.type).replaceAll(/\W/g, ''));
  });
  return new Set(names);
}

function isObjectDefinition(node: ASTNode): node is ObjectTypeDefinitionNode {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION;
}

interface Break {
  readonly path?: string | undefined;
  readonly message: string;
}

function versionOf(text: string): string {
  return (JSON.parse(text) as { version: string }).version;
}
