import { useDisableIntrospection } from '@envelop/disable-introspection';
import {
  buildSchema,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeByGraphQL,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import { createSchema, createYoga, type Plugin } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { toText } from '../../../test/support/compare-executes.ts';
import { fc, toPieces } from '../../../test/support/fast-check.ts';
import { withoutRejections } from '../../../test/support/without-rejections.ts';
import {
  Allowance,
  createExecutor,
  DEFAULT_BOUNDS,
  DEFAULT_LIMITS,
  useExecutor,
} from '../src/index.ts';
import { writeRandomQuery } from '../src/testing/random-query.ts';
import { createOddSchema, createWorld } from './odd-world.ts';

test.each(toPieces(300))(
  'Yoga responds as with the executor of graphql-js (seed $seed)',
  async ({ seed: firstSeed, numRuns }) => {
    const schema = createOddSchema('by types');
    const [compiled, usual] = [openYoga(schema, [useExecutor()]), openYoga(schema, [useGraphQL])];
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (seed, world) => {
        const { text, variables } = writeRandomQuery(schema, { seed });
        if (validate(schema, parse(text)).length > 0) return;
        const body = { query: text, variables };
        const expected = await withoutRejections(() => usual(body, { world }));
        expect(toText((await compiled(body, { world })) as never)).toBe(toText(expected as never));
      }),
      { numRuns, seed: firstSeed },
    );
  },
);

describe('limits', () => {
  const schema = buildSchema('type Query { list: [Int!]! self: Query a: Int }');
  const list = Array.from({ length: 100 }, (_, at) => at);
  const ask = (query: string, options: Parameters<typeof useExecutor>[0] = {}) =>
    openYoga(schema, [useExecutor(options)], { list })({ query });

  test.each([
    ['nested brackets', '{ self '.repeat(200), 'its brackets nest deeper than 100'],
    ['tokens', `{ ${'a '.repeat(13_000)} }`, 'more that 12000 tokens'],
    [
      'fragments within fragments',
      `{ ...F0 } ${Array.from({ length: 150 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} }`).join(' ')} fragment F150 on Query { a }`,
      'its selections nest deeper than 100',
    ],
    [
      'depth',
      `${'{ self '.repeat(16)} { a } ${'}'.repeat(16)}`,
      'depth of 17, and the limit is 15',
    ],
  ])('%s are limited before validation or execution', async (_what, query, message) => {
    const { data, errors } = await ask(query);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.message).toContain(message);
  });

  test('the values of a response are limited', async () => {
    const bounds = { ...DEFAULT_BOUNDS, values: 50 };
    const openAllowance = () => new Allowance(bounds);
    const { data, errors } = await ask('{ list }', { openAllowance });
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('more than 50 values'),
        extensions: { code: 'LIMIT_EXCEEDED' },
      },
    ]);
    expect(await ask('{ a }', { openAllowance })).toEqual({ data: { a: null } });
  });

  test('the errors are the application’s', async () => {
    const toError = (message: string) =>
      Object.assign(new Error(message), { extensions: { code: 'OURS' } });
    const limits = { ...DEFAULT_LIMITS, rootFields: 1 };
    const { errors } = await ask('{ a list }', { toError, limits });
    expect(errors).toMatchObject([
      { message: expect.stringContaining('number of root fields'), extensions: { code: 'OURS' } },
    ]);
  });
});

test('rules that other plugins add are validated too, also for a cached document', async () => {
  const yoga = openYoga(buildSchema('type Query { a: Int }'), [
    useExecutor(),
    useDisableIntrospection({ disableIf: ({ context }) => 'world' in context }),
  ]);
  const query = '{ __schema { queryType { name } } }';
  expect(await yoga({ query })).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
  const { errors } = await yoga({ query }, { world: 1 });
  expect(errors?.[0]?.message).toContain('introspection has been disabled');
  expect((await yoga({ query })).errors).toBeUndefined();
});

test('other plugins see results as objects, and may replace them', async () => {
  const seen: unknown[] = [];
  const plugin: Plugin = {
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        seen.push(result);
        setResult({ data: { list: [0] } });
      },
    }),
  };
  const list = Array.from({ length: 100 }, (_, at) => at);
  const yoga = openYoga(buildSchema('type Query { list: [Int!]! }'), [useExecutor(), plugin], {
    list,
  });
  expect(await yoga({ query: '{ list }' })).toEqual({ data: { list: [0] } });
  expect(seen).toEqual([{ data: { list } }]);
});

test('each request is executed over its own schema', async () => {
  const schemas = ['a', 'b'].map((name) => buildSchema(`type Query { ${name}: Int }`));
  const yoga = createYoga<{ readonly at: number }>({
    schema: ({ at }) => schemas[at] as GraphQLSchema,
    parserAndValidationCache: false,
    logging: false,
    plugins: [useExecutor()],
  });
  const ask = async (query: string, at: number) => {
    const url = `http://localhost/graphql?query=${encodeURIComponent(query)}`;
    return (await yoga.fetch(url, {}, { at })).json();
  };
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all([ask('{ a }', 0), ask('{ a }', 1), ask('{ b }', 1)]);
    expect(answers).toMatchObject([
      { data: { a: null } },
      { errors: [{ message: expect.stringContaining('Cannot query field "a"') }] },
      { data: { b: null } },
    ]);
  }
});

test('subscriptions are executed by graphql-js', async () => {
  async function* count() {
    for (const count of [1, 2]) yield { count };
  }
  const yoga = createYoga({
    schema: createSchema({
      typeDefs: 'type Query { a: Int } type Subscription { count: Int }',
      resolvers: { Subscription: { count: { subscribe: count } } },
    }),
    plugins: [useExecutor()],
  });
  const response = await yoga.fetch('http://localhost/graphql?query=subscription{count}', {
    headers: { accept: 'text/event-stream' },
  });
  const text = await response.text();
  expect(text).toContain('{"data":{"count":1}}');
  expect(text).toContain('{"data":{"count":2}}');
});

test.each([
  ['{ a }\nquery B { a }', undefined],
  ['query A { a }', 'B'],
  ['fragment F on Query { a }', undefined],
  ['mutation { a }', undefined],
])('%j, of which %s should run, is the same error as by graphql-js', (query, operationName) => {
  const schema = buildSchema('type Query { a: Int }');
  const args = { schema, document: parse(query), operationName };
  const { execute } = createExecutor(schema);
  const { errors } = execute({
    ...args,
    allowance: new Allowance(DEFAULT_BOUNDS),
  }) as ExecutionResult;
  expect(errors).toEqual((executeByGraphQL(args) as ExecutionResult).errors);
  expect(errors).toHaveLength(1);
});

/** Yoga's own executor has other messages. */
const useGraphQL: Plugin = {
  onExecute({ setExecuteFn }) {
    setExecuteFn(executeByGraphQL);
  },
};

/** `world`: the seed of the root value. */
function openYoga(schema: GraphQLSchema, plugins: readonly object[], root?: object) {
  const yoga = createYoga<{ readonly world?: number }>({
    schema,
    maskedErrors: false,
    logging: false,
    parserAndValidationCache: false,
    plugins: [
      {
        onExecute({ args }: { readonly args: ExecutionArgs }) {
          const { world } = args.contextValue as { readonly world?: number };
          args.rootValue = root ?? (world === undefined ? {} : createWorld(world));
        },
      },
      ...(plugins as readonly Plugin[]),
    ],
  });
  return async (body: object, context: { readonly world?: number } = {}): Promise<Result> => {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await yoga.fetch('http://localhost/graphql', request, context);
    return (await response.json()) as Result;
  };
}

interface Result {
  readonly data?: Record<string, unknown>;
  readonly errors?: readonly { readonly message: string; readonly extensions?: object }[];
}
