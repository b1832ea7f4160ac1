import { buildSchema, type ExecutionResult, execute, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { toText } from '../../../test/support/compare-executes.ts';
import { Allowance, DEFAULT_BOUNDS } from '../src/allowance.ts';
import { createExecute } from '../src/execution/execute.ts';
import { toJsonBody } from '../src/json/write.ts';

/** Another iteration of the event loop. */
function waitForTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const schema = buildSchema(`
  scalar Any
  type Holder { inner: Inner! }
  type Inner { name: String! lists: [[[Int!]!]!]! }
  type Query { holder: Holder! list(size: Int!): [Item!]! page(size: Int!): Page! item: Item! lists: [[[Int!]!]!]! }
  type Mutation { first: Page! second: Page! third: String! }
  type Page { nodes: [Item!]! size: Int! }
  type Item { name: String! raw: Any! resolved(a: Int): String! item: Item! page(size: Int!): Page! }
`);

function createItem() {
  return {
    name: 'Ada',
    raw: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key${at}`, at])),
    resolved: () => 'resolved',
    item: () => createItem(),
    page: createPage,
  };
}
function createPage({ size }: { readonly size: number }) {
  return { nodes: Array.from({ length: size }, createItem), size };
}
const rootValue = {
  list: ({ size }: { readonly size: number }) => createPage({ size }).nodes,
  page: createPage,
  item: createItem(),
  lists: Array.from({ length: 30 }, () => Array.from({ length: 30 }, () => Array(30).fill(1))),
};
const holder = { inner: { name: 'Inner', lists: rootValue.lists } };
const longItem = { ...createItem(), name: 'x'.repeat(100_000) };

/** Every kind of long work, with the least number of turns: a step may take three pieces, and a text is one step. */
const LONG: Readonly<Record<string, readonly [document: string, least: number, root?: object]>> = {
  'a page of plain data': ['{ page(size: 3000) { nodes { name } } }', 25],
  'a page of JSON': ['{ page(size: 300) { nodes { raw } } }', 25],
  'resolved fields in a list': ['{ list(size: 500) { resolved(a: 1) } }', 6],
  'one page under aliases': [aliases(200, 'page(size: 20) { nodes { name } }'), 13],
  'pages of the items of a list': ['{ list(size: 50) { page(size: 40) { nodes { name } } } }', 6],
  'plain lists of lists': ['{ lists }', 90],
  'long texts of one object': [`{ item { ${aliasList(50, 'name')} } }`, 50, { item: longItem }],
  'long texts of a short list': [
    `{ list(size: 0) { ${aliasList(5, 'name')} } }`,
    100,
    { list: () => Array(20).fill(longItem) },
  ],
};

describe.each(Object.entries(LONG))('%s', (_name, [text, least, root = rootValue]) => {
  const document = parse(text);
  const run = createExecute(schema, { jsonAbove: 32 });

  test('takes a turn of others for each piece, when it is executed and written', async () => {
    let turns = 0;
    const takeTurn = () => {
      turns += 1;
      return waitForTurn();
    };
    const allowance = new Allowance(DEFAULT_BOUNDS, { takeTurn, pieceUnits: PIECE });
    const result = await run({ schema, document, rootValue: root, allowance });
    expect(turns).toBeGreaterThanOrEqual(least);
    const body = await toJsonBody(result, allowance);
    const expected = JSON.stringify(await execute({ schema, document, rootValue: root }));
    expect(String(typeof body === 'string' ? body : body.toBuffer())).toBe(expected);
  });

  test('ends when the client disconnects', async () => {
    const gone = new Error('The client has disconnected.');
    let turns = 0;
    const takeTurn = async () => {
      turns += 1;
      if (turns === 2) throw gone;
    };
    const allowance = new Allowance(DEFAULT_BOUNDS, { takeTurn, pieceUnits: PIECE });
    const result = await run({ schema, document, rootValue: root, allowance });
    expect(result).toEqual({ errors: [gone] });
    expect(turns).toBe(2);
  });
});

test('what was counted for an attempt is counted once', async () => {
  const allowances = [Number.POSITIVE_INFINITY, 50].map(
    (pieceUnits) => new Allowance(DEFAULT_BOUNDS, { takeTurn: () => undefined, pieceUnits }),
  );
  const document = parse(
    '{ lists holder { inner { name lists } } item { name raw } list(size: 20) { name raw } }',
  );
  const run = createExecute(schema, { jsonAbove: 32 });
  for (const allowance of allowances)
    await run({ schema, document, rootValue: { ...rootValue, holder }, allowance });
  const [whole, inPieces] = allowances.map(({ consumed }) => consumed);
  expect(inPieces).toEqual(whole);
});

test('the fields of a mutation run one after the other, also where each takes many turns', async () => {
  const told: string[] = [];
  const write = (name: string) => () => {
    told.push(name);
    return createPage({ size: 500 });
  };
  const document = parse(
    'mutation { first { nodes { resolved } } second { nodes { resolved } } third }',
  );
  const rootValue = {
    first: write('first'),
    second: write('second'),
    third: () => told.join(),
  };
  const takeTurn = async () => {
    if (told.at(-1) !== 'turn') told.push('turn');
  };
  const allowance = new Allowance(DEFAULT_BOUNDS, { takeTurn, pieceUnits: PIECE });
  const run = createExecute(schema, { jsonAbove: 32 });
  const { data } = await run({ schema, document, rootValue, allowance });
  expect(data?.['third']).toBe('first,turn,second,turn');
});

test('an item that fails before its list has ended is reported, and ends nothing else', async () => {
  const fails = async () => {
    throw new Error('failed');
  };
  const items = Array.from({ length: 500 }, (_, at) => ({
    ...createItem(),
    resolved: at === 3 ? fails : async () => 'resolved',
  }));
  const document = parse('{ list(size: 0) { resolved } }');
  const root = { list: () => items };
  const allowance = new Allowance(DEFAULT_BOUNDS, {
    takeTurn: waitForTurn,
    pieceUnits: PIECE,
  });
  const run = createExecute(schema, { jsonAbove: 32 });
  const result = await run({ schema, document, rootValue: root, allowance });
  const expected: ExecutionResult = await execute({ schema, document, rootValue: root });
  expect(toText(result)).toBe(toText(expected));
});

test('an item that rejects before its list has come to it is reported', async () => {
  const items = Array.from({ length: 500 }, (_, at) =>
    at === 400 ? Promise.reject(new Error('failed')) : createItem(),
  );
  const document = parse('{ list(size: 0) { resolved(a: 1) } }');
  const allowance = new Allowance(DEFAULT_BOUNDS, {
    takeTurn: waitForTurn,
    pieceUnits: PIECE,
  });
  const run = createExecute(schema, { jsonAbove: 32 });
  const result = await run({ schema, document, rootValue: { list: () => items }, allowance });
  expect(result.errors).toMatchObject([{ message: 'failed', path: ['list', 400] }]);
});

const PIECE = 100;

function aliases(count: number, field: string): string {
  return `{ ${aliasList(count, field)} }`;
}

function aliasList(count: number, field: string): string {
  return Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');
}
