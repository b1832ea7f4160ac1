import { readFileSync } from 'node:fs';
import {
  type GraphQLNamedType,
  graphql,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  printSchema,
} from 'graphql';
import { expect, test } from 'vitest';
import { apiSchema, entitySchema } from '../src/graphql/schema.ts';
import { createSubgraphs, toSubgraph } from '../src/graphql/subgraph/to-subgraph.ts';

test('schema.graphql is up to date with the code (`npm run schema`)', () => {
  const committed = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  expect(committed).toBe(`${printSchema(apiSchema)}\n`);
});

test('subgraph.graphql is what `_service` answers, and what Apollo and the Guild compose: `npm run schema` writes it', async () => {
  const committed = readFileSync(new URL('../subgraph.graphql', import.meta.url), 'utf8');
  const { data } = await graphql({
    schema: toSubgraph(entitySchema),
    source: '{ _service { sdl } }',
  });
  expect(committed).toBe((data as { _service: { sdl: string } })._service.sdl);
  expect(committed).toMatch(
    /@link[\s\S]*type Contact [^{]*@key\(fields: "customerId provider remoteId"\)/,
  );
});

test('schema.graphql is the plain API, and keeps @oneOf', () => {
  const printed = printSchema(apiSchema);
  expect(printed).not.toMatch(/_Any|_Entity|_Service|ContactsByEmail|@key|@shareable|@link|@tag/);
  expect(printed.match(/^input \w+ @oneOf/gm)).toHaveLength(4);
});

test('every type, field, argument, input field and enum value is described', () => {
  const elements = Object.values(toSubgraph(entitySchema).getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => [...elementsOf(type)]);
  expect(elements.length).toBeGreaterThan(200);
  const bare = elements.filter(
    ({ description }) => !description || !/^[A-Z6].{3,}[.?)]$/su.test(description),
  );
  expect(bare.map(({ name }) => name)).toEqual([]);
});

test('the schema itself, also of an application with typed custom fields, says which headers a client sends', async () => {
  const favorite = {
    name: 'favoriteColor',
    type: 'TEXT',
    description: null,
    sources: [],
    customersMayMap: true,
  } as const;
  for (const customFields of [{}, { CONTACT: [favorite] }, { COMPANY: [favorite] }]) {
    const { data } = await graphql({
      schema: createSubgraphs(entitySchema)(customFields),
      source: '{ __schema { description } }',
    });
    const { description } = (data as { __schema: { description: string } }).__schema;
    for (const header of ['x-api-key', 'Authorization', 'x-customer-id', 'x-provider-name'])
      expect(description).toContain(header);
  }
});

test('every deprecation has a reason', () => {
  const reasons = Object.values(apiSchema.getTypeMap())
    .flatMap((type) => [...elementsOf(type)])
    .flatMap(({ name, deprecationReason }) =>
      deprecationReason ? [[name, deprecationReason] as const] : [],
    );
  expect(reasons.map(([name]) => name).sort()).toEqual([
    'ConnectedProvider.entityMappings',
    'ConnectedProvider.schemaMappingsConfig',
    'ConnectionInput.entityMappings',
    'ConnectionInput.schemaMappingsConfig',
  ]);
  for (const [, reason] of reasons) expect(reason).not.toBe('No longer supported');
});

function* elementsOf(type: GraphQLNamedType): Generator<Element> {
  yield type;
  if (isEnumType(type)) for (const value of type.getValues()) yield within(type, value);
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return;
  for (const field of Object.values(type.getFields())) {
    yield within(type, field);
    if ('args' in field)
      for (const arg of field.args)
        yield within(type, { ...arg, name: `${field.name}(${arg.name})` });
  }
}

function within(type: GraphQLNamedType, element: Element): Element {
  return { ...element, name: `${type.name}.${element.name}` };
}

interface Element {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}
