import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallersApp, openCallers } from './open-callers.ts';
import { createOperations, type Operations } from './operations.ts';

/**
 * Who may do what, on whose data. A number is the status of the response, or of the error at the GraphQL field;
 * `null` is null without an error, so that existence is not revealed. `own` is the customer demo, `sibling` another
 * customer of the same application, `theirs` a customer of another application. Unauthenticated callers have no
 * column: they always get 401.
 */
const MATRIX = `
                             key   otherKey  token  narrowToken  siblingToken  otherToken
  REST read own              200   404       200    200          403           403
  REST read sibling          200   404       403    403          200           403
  REST read theirs           404   200       403    403          403           200
  REST search own            200   404       200    200          403           403
  REST search sibling        200   404       403    403          200           403
  REST search theirs         404   404       403    403          403           404
  REST salesforce own        200   404       200    403          403           403
  REST upsert own            200   -         403    403          403           403
  REST upsert sibling        200   -         403    403          403           403
  REST token own             200   404       403    403          403           403
  REST token sibling         200   404       403    403          403           403
  REST token theirs          404   200       403    403          403           403
  REST client own            200   200    403    403          403           403
  REST customFields own         200   200    403    403          403           403
  REST declare own           200   200    403    403          403           403
  REST mappings own          200   404       200    200          403           403
  REST mappings sibling      200   404       403    403          200           403
  REST problems own          200   404       200    200          403           403
  REST crmFields own         200   404       200    200          403           403
  REST salesforceFields own  200   404       200    403          403           403
  REST map own               200   404       403    403          403           403
  field customer own         200   404       200    200          403           403
  field customer sibling     200   404       403    403          200           403
  field customer theirs      404   200       403    403          403           200
  field search own           200   404       200    200          403           403
  field search sibling       200   404       403    403          200           403
  field search theirs        404   404       403    403          403           404
  field salesforce own       200   404       200    403          403           403
  node customer own          200   null      200    200          403           null
  node customer sibling      200   null      403    403          200           null
  node customer theirs       null  200       null   null         null          200
  node contact own           200   null      200    200          403           null
  node contact sibling       200   null      403    403          200           null
  node salesforce own        200   null      200    403          403           null
  nodes customer own         200   null      200    200          403           null
  entity customer own        200   null      200    200          403           403
  entity customer sibling    200   null      403    403          200           403
  entity customer theirs     null  200       403    403          403           200
  entity id own              200   null      200    200          403           null
  entity id theirs           null  200       null   null         null          200
  entity contact own         200   null      200    200          403           null
  nested search own          200   404       200    200          403           403
  nested salesforce own      200   404       200    hidden       403           403
  mutation upsert own        200   -         403    403          403           403
  mutation client own        200   200    403    403          403           403
  mutation token own         200   404       403    403          403           403
  mutation token theirs      404   200       403    403          403           403
  field providers own        200   200       200    200          200           200
`;

const [head = '', ...lines] = MATRIX.trim().split('\n');
const columns = head.trim().split(/\s+/);
const rows = lines.map((line) => {
  const [operation = '', ...cells] = line.trim().split(/\s{2,}/);
  return { operation, cells: cells.slice(-columns.length) };
});
const cells = rows.flatMap(({ operation, cells: expected }) =>
  columns.map((caller, place) => ({ operation, caller, expected: expected[place] ?? 'missing' })),
);

let app: CallersApp;
let operations: Operations;
beforeAll(async () => {
  app = await openCallers();
  operations = await createOperations(app);
});
afterAll(() => app.close());

describe('Authorization matrix', () => {
  test('every cell is filled in', () => {
    for (const { cells: filled } of rows) expect(filled).toHaveLength(columns.length);
    expect(Object.keys(app.callers)).toEqual(columns);
  });

  // An upsert by another application creates a customer of its own: the last test checks it.
  test.each(cells.filter(({ expected }) => expected !== '-'))(
    '$caller, $operation: $expected',
    async ({ operation, caller, expected }) => {
      expect(await operations.perform(operation, app.callers[caller] ?? {})).toBe(expected);
    },
  );
});

test.each(rows)('$operation: every unauthenticated caller gets 401', async ({ operation }) => {
  expect(Object.keys(app.refused)).toHaveLength(9);
  for (const [caller, headers] of Object.entries(app.refused)) {
    expect(await operations.perform(operation, headers), caller).toBe('401');
  }
});

test('introspection needs no API key, but an invalid key is still rejected', async () => {
  for (const query of [
    '{ __schema { queryType { name } } }',
    '{ _service { sdl } }',
    '{ __typename }',
  ]) {
    expect(await operations.ask(query, {}), query).toBe('200');
    expect(await operations.ask(query, app.refused['revokedKey'] ?? {}), query).toBe('401');
  }
});

test('the same customer id in two applications means two separate customers', async () => {
  const input = { customer_id: 'demo', name: 'Another demo', email: 'another@example.com' };
  const headers = app.callers['otherKey'] ?? {};
  expect((await operations.send('PUT', '/customers', headers, input)).status).toBe(200);
  expect((await operations.send('GET', '/customers/demo', headers)).body).toMatchObject({
    name: 'Another demo',
    connections: [],
  });
  const own = await operations.send('GET', '/customers/demo', app.callers['key'] ?? {});
  expect(own.body.name).not.toBe('Another demo');
  expect(own.body.connections.length).toBeGreaterThan(1);
});
