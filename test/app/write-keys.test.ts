import { afterAll, beforeAll, expect, test } from 'vitest';
import { addApplication } from '../support/add-application.ts';
import { connectAccount } from '../support/connect-account.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { CREATE, outcomesOf, UPDATE } from '../support/write-contacts.ts';

let database: TestDatabase;
let crossbook: TestApp;
/** The key of another application. */
let otherKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  otherKey = await addApplication(database.url);
  crossbook = await openApp({ database: { url: database.url } });
});
afterAll(async () => {
  await crossbook.close();
  await database.drop();
});

const INPUT = { idempotencyKey: 'the same', records: [{ changes: { lastName: 'Same' } }] };

async function run(headers: object, query = CREATE, input: object = INPUT): Promise<Json> {
  const { data, errors } = await crossbook.execute(query, { input }, headers as never);
  return errors ? { errors } : Object.values(data)[0];
}

test('An idempotency key counts for one customer, connection, application and operation', async () => {
  const connect = (customerId: string, provider: 'hubspot' | 'salesforce', apiKey?: string) =>
    connectAccount(
      apiKey === undefined
        ? crossbook
        : {
            ...crossbook,
            rest: (method, path, body) =>
              crossbook.rest(method, path, body, { 'x-api-key': apiKey }),
          },
      { provider, people: [], customerId, canWrite: true },
    );
  const first = await connect('keys', 'hubspot');
  const second = await connect('keys other', 'hubspot');
  const foreign = await connect('keys', 'hubspot', otherKey);
  const asOther = { ...foreign.headers, 'x-api-key': otherKey };
  const writes: Json[] = [];
  for (const headers of [first.headers, second.headers, asOther]) {
    const done = await run(headers);
    expect(outcomesOf(done)).toEqual(['CREATED']);
    expect(done.write.isReplayed).toBe(false);
    writes.push(done.write.id);
    const again = await run(headers);
    expect(again.write).toMatchObject({ id: done.write.id, isReplayed: true });
  }
  for (const { account } of [first, second, foreign]) expect(account.people.all()).toHaveLength(1);
  // Another connection of the first customer, and another operation.
  const { sandbox } = crossbook;
  const org = sandbox.salesforce.createAccount({ people: [], limits: null });
  const { status } = await crossbook.rest('PUT', '/customers', {
    customer_id: 'keys',
    name: 'C',
    email: 'c@example.com',
    connections: [
      {
        provider_name: 'salesforce',
        instance_url: org.instanceUrl,
        credentials: { type: 'token', value: org.accessToken },
        records: ['contact'],
        access: 'read_write',
      },
    ],
  });
  expect(status).toBe(200);
  const elsewhere = await run({ ...first.headers, 'x-provider-name': 'salesforce' });
  expect(outcomesOf(elsewhere)).toEqual(['CREATED']);
  writes.push(elsewhere.write.id);
  const records = [{ remoteId: '999', changes: { lastName: 'Same' } }];
  const updated = await run(first.headers, UPDATE, { ...INPUT, records });
  expect(updated.errors).toBeUndefined();
  writes.push(updated.write.id);
  expect(new Set(writes).size).toBe(5);
});

test('A connection that replaces one of the same CRM does not know its keys', async () => {
  const before = await connectAccount(crossbook, {
    provider: 'hubspot',
    people: [],
    customerId: 'replaced',
    canWrite: true,
  });
  const first = await run(before.headers);
  await crossbook.rest('DELETE', '/customers/replaced/connections/hubspot');
  const after = await connectAccount(crossbook, {
    provider: 'hubspot',
    people: [],
    customerId: 'replaced',
    canWrite: true,
  });
  const second = await run(after.headers);
  expect(second.write).toMatchObject({ isReplayed: false });
  expect(second.write.id).not.toBe(first.write.id);
  expect(after.account.people.all()).toHaveLength(1);
});

test('Of a hundred callers with one key at once, one writes, and the others get its results or CONFLICT', async () => {
  const { account, headers } = await connectAccount(crossbook, {
    provider: 'salesforce',
    people: [],
    customerId: 'hundred',
    canWrite: true,
  });
  const all = await Promise.all(Array.from({ length: 100 }, () => run(headers)));
  const refused = all.filter(({ errors }) => errors);
  for (const { errors } of refused) expect(errors[0].extensions.code).toBe('CONFLICT');
  const done = all.filter(({ errors }) => !errors);
  expect(done.filter(({ write }) => !write.isReplayed)).toHaveLength(1);
  expect(new Set(done.map(({ write, results }) => JSON.stringify([write.id, results]))).size).toBe(
    1,
  );
  expect(account.people.all()).toHaveLength(1);
  expect(account.calls().filter(({ operation }) => operation === 'composite.write')).toHaveLength(
    1,
  );
});
