import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { createDice } from '../support/dice.ts';
import { writeRandomOperation } from './random-operation.ts';
import { createTestServer, DEMO, type TestServer } from './test-server.ts';

/**
 * Without plugins, a document that is known to be valid is executed in `onParams`; with a plugin all phases run. Both have
 * the same response and log.
 */
describe('a known document has the same response as one that passes through all phases', () => {
  test('every operation of the client', async () => {
    const operations = JSON.parse(readFileSync('operations.json', 'utf8')) as object;
    await expectSame(Object.values(operations));
  });

  test('random operations', async () => {
    const { next } = createDice(20261128);
    const schema = toSubgraph(entitySchema);
    const numbers = () => Array.from({ length: 80 }, () => next(1_000));
    const known = await expectSame(
      Array.from({ length: 300 }, () => writeRandomOperation(schema, numbers())),
    );
    expect(known).toBeGreaterThan(50);
  });

  test('an operation that its name selects, and one whose variables are wrong', async () => {
    const query = 'query A { customer { name } } query B($id: ID!) { customer(id: $id) { email } }';
    for (const rest of [
      { operationName: 'A' },
      { operationName: 'B', variables: { id: 'demo' } },
      { operationName: 'B', variables: { id: null } },
      { operationName: 'C' },
      {},
    ])
      await expectSame([query], rest);
  });
});

/** Sends each operation twice to both servers. Returns how many were executed, and so were known the second time. */
async function expectSame(queries: readonly string[], rest: object = {}): Promise<number> {
  const short = await createTestServer();
  const long = await createTestServer({ plugins: { watching: { onExecute() {} } } });
  let executed = 0;
  for (const query of queries) {
    await ask(short, { query, ...rest });
    await ask(long, { query, ...rest });
    const response = await ask(short, { query, ...rest });
    expect(response, query).toEqual(await ask(long, { query, ...rest }));
    if (response.body.includes('"data":')) executed += 1;
  }
  await short.close();
  await long.close();
  return executed;
}

async function ask({ post, requestLog }: TestServer, body: object) {
  const response = await post(body, DEMO);
  const { notes, calls } = requestLog;
  const errors = requestLog.errors.map(({ code }) => code).sort();
  return {
    status: response.status,
    headers: [...response.headers],
    body: sortErrors(mask(await response.text())),
    log: mask(JSON.stringify({ notes, errors, calls: calls.length })),
  };
}

/** Fields that fail at the same time do so in any order. */
function sortErrors(body: string): string {
  const { errors, ...rest } = JSON.parse(body) as { readonly errors?: readonly object[] };
  const sorted = errors?.map((error) => JSON.stringify(error)).sort();
  return JSON.stringify({ ...rest, errors: sorted });
}

/** Without what differs each time: ids and times. */
function mask(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
}
