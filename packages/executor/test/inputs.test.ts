import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLObjectType,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import {
  createExecutes,
  createTally,
  createUnlimitedExecute,
  MAX_COERCION_ERRORS,
  PIECES,
  toPositions,
  toText,
} from '../../../test/support/compare-executes.ts';
import { fc } from '../../../test/support/fast-check.ts';
import { checkLiterals } from '../src/documents/literals.ts';
import { readVariables } from '../src/execution/variables.ts';
import { createDice } from '../src/testing/dice.ts';
import { createInputWriter, EVERY_LITERAL, EVERY_VALUE } from '../src/testing/random-inputs.ts';
import { createInputSchema, describe } from './input-schema.ts';

const schema = createInputSchema();
const query = schema.getQueryType() as GraphQLObjectType;
const TEXTS = ['text', '', 'ß🦄\u2028"\\', '\u0000', '7', '__proto__'];

test.each(PIECES)(
  'variables and arguments of every kind reach a resolver as with graphql (seed $seed)',
  async ({ seed: firstSeed, numRuns }) => {
    const fast = createExecutes(schema);
    const tally = createTally();
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(0, 1, 4, 12), async (seed, oddity) => {
        const { document, worlds } = writeOperation(seed, oddity);
        for (const variableValues of worlds) {
          const before = describe(variableValues);
          const expected = await execute({ schema, document, variableValues });
          for (const one of fast)
            expect(toPositions(await one({ schema, document, variableValues }))).toBe(
              toPositions(expected),
            );
          expect(describe(variableValues)).toBe(before);
          tally.count(expected);
        }
      }),
      { numRuns, seed: firstSeed },
    );
    tally.expectMore(numRuns / 10);
  },
);

test.each(Object.values(query.getFields()))(
  '$name takes what it takes by graphql',
  async ({ name, args }) => {
    const run = createUnlimitedExecute(schema);
    const type = String(args[0]?.type);
    const all = args.filter((arg) => String(arg.type) === type);
    const ask = (it: string) => `{ ${name}(${all.map((arg) => `${arg.name}: ${it}`).join(' ')}) }`;
    const given = parse(`query ($it: ${type}) ${ask('$it')}`);
    const loose = parse(`query ($it: ${type.replace(/!$/, '')}) ${ask('$it')}`);
    const requests = [
      { document: loose, variableValues: { it: null } },
      ...EVERY_VALUE.map((it) => ({ document: given, variableValues: { it } })),
      ...EVERY_LITERAL.map((it) => ({ document: parse(ask(it)) })),
      ...EVERY_LITERAL.map((it) => ({
        document: parse(`query ($it: ${type} = ${it}) ${ask('$it')}`),
      })),
    ];
    for (const request of requests) {
      const asked = { schema, ...request };
      expect(toPositions(await run(asked))).toBe(toPositions(await execute(asked)));
    }
  },
);

test('a selection on several types uses the argument defaults of each', async () => {
  const own = buildSchema(`
    interface Named { name(n: Int): String }
    type A implements Named { name(n: Int = 1): String }
    type B implements Named { name(n: Int = 2): String }
    type Query { all: [Named] }
  `);
  const resolveType = ({ __typename }: { __typename: string }) => __typename;
  Object.assign(own.getType('Named') ?? {}, { resolveType });
  const name = ({ n }: { n: number }) => `told ${n}`;
  const args = {
    schema: own,
    document: parse('{ all { name } }'),
    rootValue: { all: ['A', 'B'].map((__typename) => ({ __typename, name })) },
  };
  const { data } = await createUnlimitedExecute(own)(args);
  expect(data).toEqual({ all: [{ name: 'told 1' }, { name: 'told 2' }] });
});

test.each(PIECES)(
  'variables are accepted or rejected as by graphql, with errors at the same positions (seed $seed)',
  ({ seed: firstSeed, numRuns }) => {
    const tally = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(0, 1, 4), (seed, oddity) => {
        const { document, worlds } = writeOperation(seed, oddity);
        const { variableDefinitions = [] } = getOperation(document);
        for (const given of worlds) {
          const expected = getVariableValues(schema, variableDefinitions, given, {
            maxErrors: MAX_COERCION_ERRORS,
          });
          const read = readVariables(schema, variableDefinitions)(given);
          tally[expected.errors ? 'refused' : 'accepted'] += 1;
          if ('errors' in read) expect(toPositions(read)).toBe(toPositions(expected as object));
          else expect(describe(read.values)).toBe(describe(expected.coerced));
        }
      }),
      { numRuns, seed: firstSeed },
    );
    expect(Math.min(...Object.values(tally))).toBeGreaterThan(numRuns / 10);
  },
);

test.each(PIECES)(
  'literals are accepted or rejected as by graphql, with errors at the same positions (seed $seed)',
  ({ seed: firstSeed, numRuns }) => {
    const tally = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(0, 1, 4, 12), (seed, oddity) => {
        const { document } = writeOperation(seed, oddity);
        const [expected, errors] = [ValuesOfCorrectTypeRule, checkLiterals].map((rule) =>
          validate(schema, document, [rule]),
        );
        tally[errors?.length ? 'refused' : 'accepted'] += 1;
        expect(errors?.length).toBe(expected?.length);
        // graphql has no position for errors of custom scalars.
        for (const [index, { locations }] of (expected ?? []).entries())
          if (locations) expect(errors?.[index]?.locations).toEqual(locations);
      }),
      { numRuns, seed: firstSeed },
    );
    expect(Math.min(...Object.values(tally))).toBeGreaterThan(numRuns / 10);
  },
);

test('changes that a resolver makes to its arguments affect neither the client nor the next request', async () => {
  const own = createInputSchema();
  for (const field of Object.values(own.getQueryType()?.getFields() ?? {})) {
    const tell = field.resolve as (...all: unknown[]) => unknown;
    field.resolve = (...all) => {
      const told = tell(...all);
      spoil(all[1]);
      return told;
    };
  }
  const document =
    parse(`query ($strings: [String!]!, $choices: [Choice!], $more: [Choice!] = [{ tags: "m" }]) {
    strings(a: ["x", "y"], b: $strings)
    choices(a: [{ spot: { x: 1 } }, { tags: ["x"] }], b: $choices)
    more: choices(a: $more, b: [{ tags: $strings }])
    anything(a: { a: [1], b: $strings }, b: [{}])
    strict(a: "date", b: "fine")
  }`);
  const variableValues = { strings: ['a'], choices: [{ spot: { x: 1 } }, { tags: ['b'] }] };
  const before = describe(variableValues);
  const run = createUnlimitedExecute(own);
  const first = await run({ schema: own, document, variableValues });
  expect(first.errors).toBeUndefined();
  expect(toText(await run({ schema: own, document, variableValues }))).toBe(toText(first));
  expect(describe(variableValues)).toBe(before);
});

test('a list can be any iterable', async () => {
  const document = parse('query ($a: [Anything!]) { anythings(a: $a) }');
  const args = { schema, document, variableValues: { a: new Set(['a', 7]) } };
  expect(toText(await createUnlimitedExecute(schema)(args))).toBe(toText(await execute(args)));
});

/** Of one to three fields, and what may be given for its variables: all, some of it, nothing. */
function writeOperation(seed: number, oddity: number) {
  const dice = createDice(seed);
  const inputs = createInputWriter(dice, { texts: TEXTS, oddity });
  const fields = Object.values(query.getFields());
  const asked = Array.from({ length: 1 + dice.next(3) }, (_, index) => {
    const { name, args } = dice.pick(fields);
    return `a${index}: ${name}${inputs.args(args)}`;
  });
  const declared = [...inputs.definitions.values()].join(', ');
  const some = Object.entries(inputs.values).filter(() => dice.chance(60));
  return {
    document: parse(`query Asked${declared && `(${declared})`} { ${asked.join(' ')} }`),
    worlds: [inputs.values, { ...Object.fromEntries(some), unknown: 1 }, {}],
  };
}

function getOperation(document: DocumentNode): OperationDefinitionNode {
  return getOperationAST(document, undefined) as OperationDefinitionNode;
}

/** Changes everything in the value. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof Date) value.setTime(1);
  for (const inner of Object.values(value)) spoil(inner);
  if (Array.isArray(value)) value.push('spoiled');
  else Object.assign(value, { spoiled: true });
}
