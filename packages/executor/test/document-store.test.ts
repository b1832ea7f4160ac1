import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { Allowance, DEFAULT_BOUNDS } from '../src/allowance.ts';
import { DEFAULT_LIMITS } from '../src/cost/operation-limits.ts';
import { createDocumentStore } from '../src/documents/document-store.ts';
import { createExecute } from '../src/execution/execute.ts';
import { createExecutor, type Executor } from '../src/executor.ts';

const MEBIBYTE = 1024 * 1024;
const schema = buildSchema('type Query { id: ID }');

describe('the cache of documents', () => {
  const open = () => createDocumentStore(schema);

  test('stores valid documents of callers, and no others', () => {
    const store = open();
    const ask = (text: string, owner: string | undefined) =>
      store.validate(store.parse(text, owner).document);
    expect(() => ask('{', 'app')).toThrow();
    expect(ask('{ nothing }', 'app')).toHaveLength(1);
    ask('{ __typename }', undefined);
    expect(store.counts()).toEqual({ entries: 0, bytes: 0 });
    ask('{ __typename }', 'app');
    expect(store.counts().entries).toBe(1);
    const { document } = store.parse('{ __typename }', 'app');
    expect(store.parse('{ __typename }', 'other').document).toBe(document);
    expect(store.parse('{ __typename }', undefined).document).not.toBe(document);
  });

  test.each([
    ['by default', undefined, DEFAULT_LIMITS.documentTokens],
    ['with another maximum', 2_000, 2_000],
  ])('stops parsing a document that is too long %s', (_when, maxTokens, most) => {
    const parse = (text: string) => () => open().parse(text, 'app', maxTokens);
    expect(parse(`{a(b:[${'1 '.repeat(most - 9)}])}`)).not.toThrow();
    // Invalid after the token limit: parsing must stop before it gets there.
    expect(parse(`{a(b:[${'1 '.repeat(most)}^`)).toThrow(`more that ${most} tokens`);
  });

  test.each([
    ['selections', '{a'.repeat(20_000)],
    ['lists', `{a(b:${'['.repeat(20_000)}`],
    ['objects', `{a(b:${'{c:'.repeat(15_000)}`],
  ])('does not overflow the stack on %s', (_what, text) => {
    expect(() => open().parse(text, 'app')).toThrow('nest deeper than 100');
  });

  test('stays within its byte limit including plans, and leaves each application its share', () => {
    const store = open();
    const keep = (text: string, owner: string) => {
      const { document } = store.parse(text, owner);
      store.validate(document);
      store.addPlan(document, 100);
      return document;
    };
    const own = keep('{ own: __typename }', 'small');
    for (let index = 0; index < 500; index += 1)
      keep(`{ a${index}: __typename } #${'x'.repeat(50_000)}`, 'large');
    expect(store.counts().bytes).toBeLessThanOrEqual(36 * MEBIBYTE);
    expect(keep('{ own: __typename }', 'small')).toBe(own);
  });
});

test('each plan of a cached document counts towards the memory for documents', async () => {
  const store = createDocumentStore(schema);
  const execute = createExecute(schema, { onPlanned: store.addPlan });
  const query = `query ($all: Boolean!) { id: __typename ${'a: __typename @include(if: $all) '.repeat(100)} }`;
  const { document } = store.parse(query, 'application');
  expect(store.validate(document)).toEqual([]);
  const bytes = [0, store.counts().bytes];
  for (const all of [false, true, false, true]) {
    const allowance = new Allowance(DEFAULT_BOUNDS);
    await execute({ schema, document, variableValues: { all }, contextValue: {}, allowance });
    bytes.push(store.counts().bytes);
  }
  const [none = 0, parsed = 0, first = 0, second = 0, ...later] = bytes;
  expect(parsed).toBeGreaterThan(none);
  expect(first).toBeGreaterThan(parsed);
  expect(second).toBeGreaterThan(first);
  expect(later).toEqual([second, second]);
});

test('executors of several schemas share the limit of memory, and no document', async () => {
  const schemas = ['type Query { id: ID }', 'type Query { id: Float }'].map((sdl) =>
    buildSchema(sdl),
  );
  const [first, second] = schemas;
  if (!first || !second) throw new Error('There are two schemas.');
  const executor = createExecutor(first);
  const other = executor.forSchema(second);
  const run = async (on: Executor, id: unknown) => {
    const { document } = on.parse('{ id }', 'app');
    expect(on.validate(document)).toEqual([]);
    const allowance = new Allowance(DEFAULT_BOUNDS);
    const { data } = await on.execute({
      schema: on.schema,
      document,
      rootValue: { id },
      allowance,
    });
    return { document, id: data?.['id'] };
  };
  const [one, two] = [await run(executor, 17), await run(other, 17)];
  expect([one.id, two.id]).toEqual(['17', 17]);
  expect(two.document).not.toBe(one.document);
  expect(other.find('{ id }', 'app')?.document).toBe(two.document);
  const { entries, bytes } = executor.counts();
  expect(entries).toBe(2);
  other.close();
  expect(executor.counts()).toEqual({ entries: 1, bytes: bytes / 2 });
  // What it executes now ends as usual, and is not kept.
  expect((await run(other, 18)).id).toBe(18);
  expect(other.find('{ id }', 'app')).toBeUndefined();
  expect(executor.find('{ id }', 'app')?.document).toBe(one.document);
});
