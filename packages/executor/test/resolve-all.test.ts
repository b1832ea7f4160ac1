import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  isObjectType,
  parse,
} from 'graphql';
import { beforeEach, expect, test } from 'vitest';
import { Allowance, createExecutor, DEFAULT_BOUNDS, resolvesAll } from '../src/index.ts';

const SDL = /* GraphQL */ `
  type Query { people: [Person] edges: [Edge!]! one: Person }
  type Edge { node: Person }
  type Person { name: String! friends(first: Int = 2): [Person!] broken: String }
`;

interface Person {
  readonly name: string;
  readonly friends: readonly Person[];
}

const carl: Person = { name: 'Carl', friends: [] };
const ben: Person = { name: 'Ben', friends: [carl] };
const ada: Person = { name: 'Ada', friends: [ben, carl, carl] };

let calls: string[][];
let schema: GraphQLSchema;
beforeEach(() => {
  calls = [];
  schema = buildSchema(SDL);
  const resolveFriends = ({ name, friends }: Person, { first }: { first: number }) => {
    if (name === 'Carl') throw new Error('Carl has none.');
    return friends.slice(0, first);
  };
  set('friends', resolveFriends, async (people: readonly Person[], args: { first: number }) => {
    calls.push(people.map(({ name }) => name));
    return new Map(people.map((one) => [one, attempt(() => resolveFriends(one, args))]));
  });
  set(
    'broken',
    () => {
      throw new Error('Broken.');
    },
    () => Promise.reject(new Error('Broken.')),
  );
});

test('a field is resolved once for all objects of a list, and the rest is as with graphql', async () => {
  const query = '{ people { name friends { name } } }';
  expect(await run(query, { people: [ada, ben, null, carl] })).toEqual(
    await runSingly(query, { people: [ada, ben, null, carl] }),
  );
  expect(calls).toEqual([['Ada', 'Ben', 'Carl']]);
});

test('also below a plain object of each item, and for each list of lists', async () => {
  const query = '{ edges { node { name friends(first: 1) { name friends { name } } } } }';
  const root = { edges: [{ node: ada }, { node: null }, { node: ben }] };
  expect(await run(query, root)).toEqual(await runSingly(query, root));
  expect(calls).toEqual([['Ada', 'Ben'], ['Ben'], ['Carl']]);
});

test('the values of a response are counted once, whether an object of the list fails or not', async () => {
  const query = '{ people { name friends { name } } }';
  const values = [];
  for (const people of [
    [ada, ben],
    [ada, ben, carl],
  ]) {
    const allowance = new Allowance(DEFAULT_BOUNDS);
    await run(query, { people }, {}, allowance);
    values.push(allowance.consumed.values);
  }
  // `people`; of Ada, Ben and Carl: `name` and `friends`; of the three friends: `name`.
  expect(values).toEqual([1 + 2 * 2 + 3, 1 + 3 * 2 + 3]);
});

test('what fails as a whole fails for each object, at its path', async () => {
  const query = '{ people { name broken } }';
  const { data, errors } = await run(query, { people: [ada, ben] });
  expect(data).toEqual({
    people: [
      { name: 'Ada', broken: null },
      { name: 'Ben', broken: null },
    ],
  });
  expect(errors?.map(({ message, path }) => [message, path])).toEqual([
    ['Broken.', ['people', 0, 'broken']],
    ['Broken.', ['people', 1, 'broken']],
  ]);
});

test('an argument that is wrong is an error of each object', async () => {
  const query = 'query ($n: Int) { people { friends(first: $n) { name } } }';
  const variables = { n: 'two' };
  const root = { people: [ada] };
  const { errors } = await run(query, root, variables);
  expect(errors).toHaveLength(1);
  expect(calls).toEqual([]);
});

test('an object that has no list around it, or whose list is no array, is resolved by itself', async () => {
  expect(await run('{ one { friends { name } } }', { one: ben })).toEqual({
    data: { one: { friends: [{ name: 'Carl' }] } },
  });
  const people = new Set([ben]);
  expect(await run('{ people { friends { name } } }', { people })).toEqual({
    data: { people: [{ friends: [{ name: 'Carl' }] }] },
  });
  expect(calls).toEqual([]);
});

async function run(
  query: string,
  rootValue: object,
  variableValues: Record<string, unknown> = {},
  allowance = new Allowance(DEFAULT_BOUNDS),
) {
  const executor = createExecutor(schema, {});
  const document = parse(query);
  return plain(await executor.execute({ schema, document, rootValue, variableValues, allowance }));
}

/** By graphql itself, which knows `resolve` only. */
async function runSingly(query: string, rootValue: object) {
  return plain(await execute({ schema, document: parse(query), rootValue }));
}

function plain(result: ExecutionResult): ExecutionResult {
  return JSON.parse(JSON.stringify(result));
}

function attempt(step: () => unknown): unknown {
  try {
    return step();
  } catch (error) {
    return error;
  }
}

function set(name: string, resolve: unknown, resolveAll: unknown): void {
  const type = schema.getType('Person');
  if (!isObjectType(type)) return;
  const { [name]: field } = type.getFields();
  Object.assign(field ?? {}, { resolve, extensions: resolvesAll(resolveAll as never) });
}
