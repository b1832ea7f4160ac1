import { readFileSync } from 'node:fs';
import {
  composeSchemaContract,
  composeServices,
  compositionHasErrors,
} from '@theguild/federation-composition';
import { Kind, type ObjectTypeDefinitionNode, parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { printSubgraphSchema } from '../../../src/graphql/print-schema.ts';
import { entitySchema } from '../../../src/graphql/schema.ts';
import { printSubgraph } from '../../../src/graphql/subgraph/to-subgraph.ts';
import { compose, readSubgraph } from './compose.ts';
import { NOTES_SDL } from './notes-subgraph.ts';

const URLS = {
  crossbook: 'http://crossbook.example/graphql',
  notes: 'http://notes.example/graphql',
};

test('the subgraph composes by itself', () => {
  const result = composeServices([{ name: 'crossbook', typeDefs: parse(readSubgraph()) }]);
  expect(result.errors).toBeUndefined();
});

test('the subgraph composes with one that shares PageInfo and extends Customer and Contact', () => {
  const supergraph = compose(URLS);
  expect(supergraph).toMatch(/type Customer .*@join__type\(graph: CROSSBOOK, key: "customerId"\)/s);
  expect(supergraph).toMatch(/type Contact .*@join__type\(graph: NOTES, key: "id"\)/s);
  expect(supergraph).toMatch(
    /type PageInfo\s+@join__type\(graph: CROSSBOOK\)\s+@join__type\(graph: NOTES\)/,
  );
});

test('with a Relay server as a neighbour, node belongs to it by default, and can be assigned to our subgraph', () => {
  expect(compose(URLS)).toMatch(/node\(id: ID!\): Node\s*@join__field\(graph: NOTES\)/);
  const { errors } = composeServices([
    { name: 'crossbook', typeDefs: parse(printSubgraph(entitySchema, { relayNode: true })) },
    { name: 'notes', typeDefs: parse(NOTES_SDL) },
  ]);
  expect(errors?.map(({ message }) => message).join()).toMatch(/Non-shareable field "Query.node"/);
});

test('prefixed types match the neighbour’s types of that name, and unprefixed names stay the neighbour’s', () => {
  const notes = NOTES_SDL.replaceAll(
    /\b(Customer|Contact|ContactsByEmail|ProviderName)\b/g,
    'Crm_$1',
  );
  const result = composeServices([
    { name: 'crossbook', typeDefs: parse(printSubgraphSchema({ typePrefix: 'Crm_' })) },
    {
      name: 'notes',
      typeDefs: parse(`${notes}\ntype Address { street: Int }\nextend type Note { to: Address }`),
    },
  ]);
  expect(result.errors).toBeUndefined();
  const { supergraphSdl } = result as { supergraphSdl: string };
  expect(supergraphSdl).toMatch(/type Crm_Contact .*@join__type\(graph: NOTES, key: "id"\)/s);
  expect(supergraphSdl).toMatch(/type Address\s+@join__type\(graph: NOTES\)\s+\{/);
});

test('a contract without our tags has nothing that needs an API key, and no raw data', () => {
  const sdl = readSubgraph();
  const tags = new Set([...sdl.matchAll(/@tag\(name: "([^"]+)"\)/g)].map(([, name = '']) => name));
  expect([...tags].sort()).toEqual(['api-key', 'raw-data']);
  const contract = (without: readonly string[]) => {
    const services = [
      { name: 'crossbook', typeDefs: parse(sdl) },
      { name: 'notes', typeDefs: parse(NOTES_SDL) },
    ];
    const filter = { include: new Set<string>(), exclude: new Set(without) };
    return composeSchemaContract(services, filter) as { errors?: unknown; publicSdl: string };
  };
  const { errors, publicSdl } = contract([...tags]);
  expect(errors).toBeUndefined();
  const tagged = /createConnectLink\(|customers\(|events\(|webhookEndpoints|rawData/g;
  expect(contract([]).publicSdl.match(tagged)).toHaveLength(7);
  expect(publicSdl.match(tagged)).toBeNull();
  expect(publicSdl).toMatch(/searchContacts\([\s\S]*recentNotes\(/);
});

test('the guide names every field that has a tag', () => {
  const tagged = (type: string, tag: string) => {
    const { definitions } = parse(readSubgraph());
    const found = definitions.find(
      (node): node is ObjectTypeDefinitionNode =>
        node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === type,
    );
    const fields = found?.fields ?? [];
    const names = fields
      .filter(({ directives = [] }) => directives.some((one) => print(one).includes(`"${tag}"`)))
      .map(({ name }) => name.value);
    const others = fields.map(({ name }) => name.value).filter((name) => !names.includes(name));
    return { names, others };
  };
  const row = (tag: string) => {
    const text = readFileSync('docs/federation.md', 'utf8').match(`\\| \`${tag}\` \\| ([^|]+) \\|`);
    return text?.[1] ?? '';
  };
  const { names } = tagged('Query', 'api-key');
  expect(row('api-key')).toBe(
    `all mutations that write to no CRM, ${names.map((name) => `\`${name}\``).join(', ')}`,
  );
  // A customer token may be issued with canWrite.
  for (const name of tagged('Mutation', 'api-key').others)
    expect(name).toMatch(/^\w+(Contacts|Companies|Deals|Records)$/);
  const records = ['Contact', 'Company', 'Deal'];
  expect(row('raw-data')).toBe(records.map((type) => `\`${type}.rawData\``).join(', '));
  for (const type of records) expect(tagged(type, 'raw-data').names).toEqual(['rawData']);
});

test('a new provider composes only if the copy of the enum has it too', () => {
  const added = (sdl: string) => sdl.replace(/^ *PIPEDRIVE$/m, '  PIPEDRIVE\n  PIPELINER');
  const { errors } = composeServices([
    { name: 'crossbook', typeDefs: parse(added(readSubgraph())) },
    { name: 'notes', typeDefs: parse(NOTES_SDL) },
  ]);
  expect(errors?.map(({ message }) => message).join()).toMatch(/ProviderName[\s\S]*PIPELINER/);
  const both = composeServices([
    { name: 'crossbook', typeDefs: parse(added(readSubgraph())) },
    { name: 'notes', typeDefs: parse(added(NOTES_SDL)) },
  ]);
  expect(both.errors).toBeUndefined();
});

test('descriptions and deprecations are in the supergraph', () => {
  const supergraph = compose(URLS);
  expect(supergraph).toContain('A person in a customer’s CRM, in one common shape for all CRMs.');
  expect(supergraph.match(/@deprecated\(\s*reason: "Use `customFieldMappings`/g)).toHaveLength(4);
});

test('the composer rejects a PageInfo that is not shared', () => {
  const result = composeServices([
    { name: 'crossbook', typeDefs: parse(readSubgraph()) },
    {
      name: 'notes',
      typeDefs: parse(NOTES_SDL.replace('type PageInfo @shareable', 'type PageInfo')),
    },
  ]);
  expect(compositionHasErrors(result)).toBe(true);
});
