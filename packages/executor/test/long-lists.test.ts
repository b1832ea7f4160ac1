import { buildSchema, execute, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { toText } from '../../../test/support/compare-executes.ts';
import { Allowance, DEFAULT_BOUNDS } from '../src/allowance.ts';
import { createExecute } from '../src/execution/execute.ts';
import { JsonBytes } from '../src/json/write.ts';

const schema = buildSchema(`
  type Query { page(size: Int!): Page! list: [Item!]! lists: [[[Int!]!]!]! }
  type Page { nodes: [Item!]! size: Int! }
  type Item { name: String! failing: String! resolved(a: Int): String! }
`);
const run = createExecute(schema, { jsonAbove: 32 });
const text = 'x'.repeat(1_000);

function createPage({ size }: { readonly size: number }) {
  return { nodes: Array.from({ length: size }, () => ({ name: text })), size };
}

describe('a page of several megabytes', () => {
  const document = parse('{ page(size: 5000) { nodes { name } size } }');

  test('is written as JSON, and lets other requests run in between', async () => {
    let isBusy = true;
    setImmediate(() => {
      isBusy = false;
    });
    const allowance = new Allowance(DEFAULT_BOUNDS);
    const rootValue = { page: createPage };
    const result = await run({ schema, document, rootValue, allowance });
    expect(isBusy).toBe(false);
    expect(result.data?.['page']).toBeInstanceOf(JsonBytes);
    expect(toText(result)).toBe(toText(await execute({ schema, document, rootValue })));
  });

  test('ends the operation with one error where the response has more bytes than allowed', async () => {
    const allowance = new Allowance({ ...DEFAULT_BOUNDS, bytes: 3_000_000 });
    const result = await run({ schema, document, rootValue: { page: createPage }, allowance });
    expect(result).toEqual({ errors: [allowance.exceeded] });
  });

  test('has the errors of graphql-js where an item after the first megabyte is invalid', async () => {
    const page = createPage({ size: 5_000 });
    page.nodes[4_000] = { name: null as never };
    const rootValue = { page };
    const allowance = new Allowance(DEFAULT_BOUNDS);
    const result = await run({ schema, document, rootValue, allowance });
    expect(toText(result)).toBe(toText(await execute({ schema, document, rootValue })));
  });
});

test('what an attempt has counted is counted once', async () => {
  const nodes = Array.from({ length: 50 }, () => ({ name: text, resolved: () => 'resolved' }));
  const rootValue = { page: { nodes, size: 50 }, lists: [[[1, 2]], [[3]]] };
  const measure = async (fields: string) => {
    const allowance = new Allowance(DEFAULT_BOUNDS);
    const document = parse(`{ page(size: 50) { nodes { ${fields} } } lists }`);
    const failing = { ...rootValue, page: { ...rootValue.page } };
    await run({ schema, document, rootValue: failing, allowance });
    return allowance.consumed.values;
  };
  // `resolved` has an argument, so its objects are completed field by field.
  expect(await measure('resolved(a: 1)')).toBe(await measure('name'));
});

describe('a list of items with a rejected promise', () => {
  test.each([3, 400])('reports item %d, and ends nothing else', async (index) => {
    const list = Array.from({ length: 500 }, (_, at) =>
      at === index ? Promise.reject(new Error('failed')) : { name: 'Ada' },
    );
    const document = parse('{ list { name } }');
    const rootValue = { list: () => list };
    const allowance = new Allowance(DEFAULT_BOUNDS);
    const result = await run({ schema, document, rootValue, allowance });
    expect(result.errors).toMatchObject([{ message: 'failed', path: ['list', index] }]);
  });
});
