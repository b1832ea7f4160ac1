import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAccount } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

const RESULT = `write { id isReplayed isComplete } results { index outcome remoteId changedFields
  problems { code message field remoteCode remoteMessage existingRemoteIds isRetryable }
  warnings { code message field existingRemoteIds }`;
const UPSERT = `mutation ($input: UpsertContactsInput!) { upsertContacts(input: $input) { ${RESULT}
  contact { remoteId firstName lastName emailAddresses { emailAddress } phoneNumbers { phoneNumber phoneNumberType } } } } }`;
const CREATE = `mutation ($input: CreateContactsInput!) { createContacts(input: $input) { ${RESULT} } } }`;
const UPDATE = `mutation ($input: UpdateContactsInput!) { updateContacts(input: $input) { ${RESULT} } } }`;

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce'] as const)('Contacts of %s', (provider) => {
  const open = async (name: string, people: readonly object[]) => {
    const connected = await connectAccount(crossbook, {
      provider,
      people,
      customerId: `${name} ${provider}`,
      canWrite: true,
    });
    const run = async (query: string, input: object): Promise<Json> => {
      const { data, errors } = await crossbook.execute(query, { input }, connected.headers);
      if (errors) return { errors };
      return Object.values(data)[0];
    };
    return { ...connected, run };
  };

  test('are created, changed and left as they are by an upsert, which says which it was', async () => {
    const { run } = await open('upsert', [
      { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@write.example' },
      { firstName: 'Same', lastName: 'Same', email: 'same@write.example' },
    ]);
    const records = [
      { email: 'ADA@write.example', changes: { firstName: 'Augusta' } },
      { email: 'same@write.example', changes: { firstName: 'Same' } },
      {
        email: 'new@write.example',
        changes: {
          lastName: 'New',
          phoneNumbers: [{ phoneNumber: '+49 30 1', phoneNumberType: 'MOBILE' }],
        },
      },
    ];
    const preview = await run(UPSERT, { dryRun: true, records });
    expect(preview.errors).toBeUndefined();
    expect(preview.write).toBeNull();
    const outcomes = ['UPDATED', 'UNCHANGED', 'CREATED'];
    expect(preview.results.map((one: Json) => one.outcome)).toEqual(outcomes);
    const done = await run(UPSERT, { records });
    expect(done.errors).toBeUndefined();
    expect(done.results.map((one: Json) => one.outcome)).toEqual(outcomes);
    expect(done.results.map((one: Json) => one.changedFields)).toEqual([
      ['firstName'],
      [],
      ['lastName', 'phoneNumbers'],
    ]);
    expect(done.results[0].contact).toMatchObject({ firstName: 'Augusta', lastName: 'Lovelace' });
    expect(done.results[2].contact).toMatchObject({
      lastName: 'New',
      emailAddresses: [{ emailAddress: 'new@write.example' }],
      phoneNumbers: [{ phoneNumber: '+49 30 1', phoneNumberType: 'MOBILE' }],
    });
    const again = await run(UPSERT, { records });
    expect(again.results.map((one: Json) => one.outcome)).toEqual(outcomes.map(() => 'UNCHANGED'));
  });

  test('are created and updated by id', async () => {
    const { run } = await open('ids', []);
    const created = await run(CREATE, {
      records: [{ changes: { lastName: 'One' } }, { changes: { lastName: 'Two' } }],
    });
    expect(created.errors).toBeUndefined();
    expect(created.results.map((one: Json) => one.outcome)).toEqual(['CREATED', 'CREATED']);
    const [{ remoteId }] = created.results;
    const updated = await run(UPDATE, {
      records: [
        { remoteId, changes: { firstName: 'First' } },
        { remoteId: '999', changes: { firstName: 'First' } },
      ],
    });
    expect(updated.results.map((one: Json) => one.outcome)).toEqual(['UPDATED', 'REFUSED']);
    expect(updated.results[1].problems[0].code).toBe('NOT_FOUND');
  });

  test('are written once with an idempotency key, whose results are replayed', async () => {
    const { run, account } = await open('keys', []);
    const input = {
      idempotencyKey: 'once',
      records: [{ changes: { lastName: 'Once', firstName: 'Only' } }],
    };
    const first = await run(CREATE, input);
    const second = await run(CREATE, input);
    expect(second.results).toEqual(first.results);
    expect([first.write.isReplayed, second.write.isReplayed]).toEqual([false, true]);
    expect(account.people.all()).toHaveLength(1);
    const other = await run(CREATE, { ...input, records: [{ changes: { lastName: 'Other' } }] });
    expect(other.errors[0].extensions.code).toBe('UNPROCESSABLE_ENTITY');
  });
});
