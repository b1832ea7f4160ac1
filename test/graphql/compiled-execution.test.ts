import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { apiSchema, entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { JsonBytes } from '../../src/lib/json-body.ts';
import {
  createBothExecutes,
  createHurriedExecute,
  createTally,
  createUnlimitedExecute,
  PIECES,
  toData,
  toText,
} from '../support/compare-executes.ts';
import { createFakeServices } from '../support/fake-services.ts';
import { fc } from '../support/fast-check.ts';
import { createOddSchema, createWorld } from '../support/odd-world.ts';
import { writeRandomQuery } from '../support/random-query.ts';
import { withoutRejections } from '../support/without-rejections.ts';
import { DEMO } from './test-server.ts';

test.each(
  [OperationTypeNode.QUERY, OperationTypeNode.MUTATION].flatMap((operation) =>
    PIECES.map((piece) => ({ operation, ...piece })),
  ),
)(
  'over random schemas and data, the compiled executor responds to a $operation as graphql does (seed $seed)',
  async ({ operation, seed: firstSeed, numRuns }) => {
    const schema = createOddSchema();
    const fast = createBothExecutes(schema);
    const inPieces = createHurriedExecute(schema, 5);
    const tally = createTally();
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (seed, worldSeed) => {
        const { text, variables } = writeRandomQuery(schema, { seed, operation });
        const document = readValid(schema, text);
        if (!document) return;
        // The second run uses the cached plan.
        for (const world of [worldSeed, worldSeed + 1]) {
          const args = { schema, document, variableValues: variables };
          const expected = await withoutRejections(() =>
            execute({ ...args, rootValue: createWorld(world) }),
          );
          for (const one of fast) {
            const answer = await one({ ...args, rootValue: createWorld(world) });
            expect(toText(answer)).toBe(toText(expected));
          }
          const answer = await withoutRejections(() =>
            inPieces({ ...args, rootValue: createWorld(world) }),
          );
          expect(toData(answer)).toBe(toData(expected));
          tally.count(expected);
        }
      }),
      { numRuns, seed: firstSeed },
    );
    tally.expectMore(numRuns / 10);
  },
);

test('the fields of a mutation are executed one after the other', async () => {
  const schema = buildSchema(
    'type Query { a: String } type Mutation { first: String second: String }',
  );
  const told: string[] = [];
  const slow = (name: string) => async () => {
    told.push(`${name} begins`);
    for (let turn = 0; turn < 10; turn += 1) await undefined;
    told.push(`${name} ends`);
    return name;
  };
  const document = parse('mutation { first second }');
  const rootValue = { first: slow('first'), second: slow('second') };
  for (const one of createBothExecutes(schema)) await one({ schema, document, rootValue });
  const once = ['first begins', 'first ends', 'second begins', 'second ends'];
  expect(told).toEqual([...once, ...once]);
});

describe('a disposable value', () => {
  const schema = buildSchema(`
    type Query { page: Page! }
    type Page { items: [Item!]! size: Int! }
    type Item { name: String! }
  `);
  const document = parse('{ page { items { name } size } }');
  const run = createUnlimitedExecute(schema, { jsonAbove: 2 });
  const ask = async (names: readonly unknown[]) => {
    const page = { items: names.map((name) => ({ name })), size: names.length };
    const result = await run({ schema, document, rootValue: { page: async () => page } });
    return { isWritten: result.data?.['page'] instanceof JsonBytes, told: toText(result) };
  };

  test('is written as JSON', async () => {
    const { isWritten, told } = await ask(['a', 'b', 'c']);
    expect(isWritten).toBe(true);
    expect(JSON.parse(told).data.page).toEqual({
      items: ['a', 'b', 'c'].map((name) => ({ name })),
      size: 3,
    });
  });

  test('stays objects when it is short', async () => {
    expect(await ask(['a', 'b'])).toMatchObject({ isWritten: false });
  });

  test('stays objects when it has an invalid field, so that graphql can report the error', async () => {
    const { isWritten, told } = await ask(['a', 'b', null]);
    expect(isWritten).toBe(false);
    expect(told).toContain('Cannot return null for non-nullable field Item.name.');
  });
});

test.each(PIECES)(
  'over the product’s own schema, the compiled executor responds as graphql does (seed $seed)',
  async ({ seed: firstSeed, numRuns }) => {
    const schema = toSubgraph(entitySchema);
    const fast = createBothExecutes(schema);
    const inPieces = createHurriedExecute(schema, 5);
    const services = await createFakeServices();
    const { tenant } = services;
    const ids = await readIds(services);
    const texts = ['demo', 'ada@example.com', 'person2@example.com', 'example.com', ...ids];
    const tally = createTally();
    await tenant.customers.upsert(EVERYTHING);
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { text, variables } = writeRandomQuery(schema, { seed, texts });
        const document = readValid(schema, text);
        if (!document) return;
        const [context, another, ...contexts] = [open(), open(), open(), open()];
        const args = { schema, document, variableValues: variables };
        const expected = await execute({ ...args, contextValue: context });
        for (const [index, one] of fast.entries()) {
          const answer = await one({ ...args, contextValue: contexts[index] });
          expect(toText(sortErrors(answer))).toBe(toText(sortErrors(expected)));
        }
        const answer = await inPieces({ ...args, contextValue: another });
        expect(toData(answer)).toBe(toData(expected));
        tally.count(expected);
      }),
      { numRuns, seed: firstSeed },
    );
    tally.expectMore(numRuns / 10);

    function open() {
      return services.openContext(new Headers(DEMO));
    }
  },
);

/** By their paths: two fields that read from storage may fail in either order. Over random schemas the order is compared. */
function sortErrors(result: ExecutionResult): ExecutionResult {
  const errors = result.errors?.toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1));
  return errors ? { ...result, errors } : result;
}

async function readIds({
  openContext,
}: Awaited<ReturnType<typeof createFakeServices>>): Promise<string[]> {
  const document = parse(
    '{ customer { id } searchContacts(filter: { emailDomain: "example.com" }) { nodes { id } } }',
  );
  const contextValue = openContext(new Headers(DEMO));
  const { data } = await execute({ schema: apiSchema, document, contextValue });
  const { customer, searchContacts } = data as {
    customer: Named;
    searchContacts: { nodes: Named[] };
  };
  return [customer.id, ...searchContacts.nodes.slice(0, 3).map(({ id }) => id)];
}

function readValid(schema: GraphQLSchema, text: string) {
  const document = parse(text);
  return validate(schema, document).length === 0 ? document : undefined;
}

const MAPPINGS = [{ schemaField: 'a', mappedField: 'b' }];
const SYNCED = [{ object: 'Contact', table: null }];

const EVERYTHING = {
  customerId: 'demo',
  name: 'Demo customer',
  email: 'demo@example.com',
  connections: [
    {
      providerName: 'hubspot',
      entityMappings: [
        { entityId: null, object: { type: 'custom', name: 'Thing' }, fieldMappings: MAPPINGS },
        { entityId: 'e', object: null, fieldMappings: [] },
      ],
      schemaMappingsConfig: {
        commonObjects: [{ object: 'Contact', fieldMappings: MAPPINGS }],
        standardObjects: [],
      },
      connectionSyncConfig: {
        destinationConfig: { type: 'bigquery', dataset: 'd' },
        standardObjects: SYNCED,
        customObjects: null,
      },
    },
    {
      providerName: 'salesforce',
      connectionSyncConfig: {
        destinationConfig: { type: 'postgres', schema: null },
        standardObjects: null,
        customObjects: SYNCED,
      },
    },
  ],
} as const;

interface Named {
  readonly id: string;
}
