import {
  buildSchema,
  execute,
  type GraphQLSchema,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  createExecutes,
  createTally,
  createUnlimitedExecute,
  PIECES,
  toText,
} from '../../../test/support/compare-executes.ts';
import { fc } from '../../../test/support/fast-check.ts';
import { withoutRejections } from '../../../test/support/without-rejections.ts';
import { JsonBytes } from '../src/json/write.ts';
import { writeRandomQuery } from '../src/testing/random-query.ts';
import { createOddSchema, createWorld } from './odd-world.ts';

test.each(
  (
    [
      [OperationTypeNode.QUERY, 'at once'],
      [OperationTypeNode.MUTATION, 'at once'],
      [OperationTypeNode.QUERY, 'later'],
      [OperationTypeNode.QUERY, 'by types'],
    ] as const
  ).flatMap(([operation, types]) => PIECES.map((piece) => ({ operation, types, ...piece }))),
)(
  'over random data, with types resolved $types, it responds to a $operation as graphql does (seed $seed)',
  async ({ operation, types, seed: firstSeed, numRuns }) => {
    const schema = createOddSchema(types);
    const fast = createExecutes(schema);
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
  for (const one of createExecutes(schema)) await one({ schema, document, rootValue });
  const once = ['first begins', 'first ends', 'second begins', 'second ends'];
  expect(told).toEqual([...once, ...once, ...once]);
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

function readValid(schema: GraphQLSchema, text: string) {
  const document = parse(text);
  return validate(schema, document).length === 0 ? document : undefined;
}

test('a variable without a value whose name every object inherits is absent', async () => {
  const schema = buildSchema('type Query { page(first: Int): String }');
  const document = parse('query ($constructor: Int) { page(first: $constructor) }');
  const rootValue = { page: ({ first }: { first?: number }) => String(first) };
  const args = { schema, document, variableValues: {}, rootValue };
  for (const one of createExecutes(schema))
    expect(toText(await one(args))).toBe(toText(await execute(args)));
});
