import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { entitySchema } from '../../src/graphql/schema.ts';
import { printSubgraph } from '../../src/graphql/subgraph/print-subgraph.ts';
import { compose, readSubgraph } from './compose.ts';
import { NOTES_SDL } from './notes-subgraph.ts';

const URLS = { crossbook: 'http://crossbook.example/graphql', notes: 'http://notes.example/graphql' };

test('a composer takes the subgraph by itself', () => {
  const result = composeServices([{ name: 'crossbook', typeDefs: parse(readSubgraph()) }]);
  expect(result.errors).toBeUndefined();
});

test('a composer takes it beside one that shares PageInfo and extends Customer and Contact', () => {
  const supergraph = compose(URLS);
  expect(supergraph).toMatch(/type Customer .*@join__type\(graph: CROSSBOOK, key: "customerId"\)/s);
  expect(supergraph).toMatch(/type Contact .*@join__type\(graph: NOTES, key: "id"\)/s);
  expect(supergraph).toMatch(/type PageInfo\s+@join__type\(graph: CROSSBOOK\)\s+@join__type\(graph: NOTES\)/);
});

test('beside a Relay server node is its, and the one subgraph that should have it can be ours', () => {
  expect(compose(URLS)).toMatch(/node\(id: ID!\): Node\s*@join__field\(graph: NOTES\)/);
  const { errors } = composeServices([
    { name: 'crossbook', typeDefs: parse(printSubgraph(entitySchema, { relayNode: true })) },
    { name: 'notes', typeDefs: parse(NOTES_SDL) },
  ]);
  expect(errors?.map(({ message }) => message).join()).toMatch(/Non-shareable field "Query.node"/);
});

test('descriptions and deprecations are still there in the supergraph', () => {
  const supergraph = compose(URLS);
  expect(supergraph).toContain('A person in a customer’s CRM, in the same shape whichever CRM it is.');
  expect(supergraph.match(/@deprecated\(\s*reason: "Mappings are moving/g)).toHaveLength(4);
});

test('the composer can say no: a PageInfo that is not shared does not compose', () => {
  const result = composeServices([
    { name: 'crossbook', typeDefs: parse(readSubgraph()) },
    { name: 'notes', typeDefs: parse(NOTES_SDL.replace('type PageInfo @shareable', 'type PageInfo')) },
  ]);
  expect(compositionHasErrors(result)).toBe(true);
});
