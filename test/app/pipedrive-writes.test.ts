import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import {
  CREATE,
  openWritable,
  outcomesOf,
  problemsOf,
  UPDATE,
  UPSERT,
} from '../support/write-contacts.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({ sandbox: { port: 0, hosts: [], all: true } });
});
afterAll(() => crossbook.close());

describe('Persons of Pipedrive', () => {
  const open = (customerId: string, people: readonly object[] = []) =>
    openWritable(crossbook, { provider: 'pipedrive', customerId: `pipe ${customerId}`, people });

  test('are upserted by a search and a list, of which a new one says that the search may be late', async () => {
    const { run, account } = await open('upsert', [
      { firstName: 'Ada', lastName: 'Lovelace', email: 'Ada@pipe.example' },
      { firstName: 'Same', lastName: 'Same', email: 's@pipe.example', workEmail: 'w@pipe.example' },
    ]);
    const records = [
      { email: 'ada@pipe.example', changes: { firstName: 'Augusta' } },
      { email: 'w@pipe.example', changes: { lastName: 'Same' } },
      { email: 'new@pipe.example', changes: { firstName: 'New', lastName: 'One' } },
    ];
    const outcomes = ['UPDATED', 'UNCHANGED', 'CREATED'];
    for (const dryRun of [true, false]) {
      const done = await run(UPSERT, { dryRun, records });
      expect(done.errors).toBeUndefined();
      expect(outcomesOf(done)).toEqual(outcomes);
      expect(done.results.map(({ warnings }: Json) => warnings.length)).toEqual([0, 0, 1]);
      expect(done.results[2].warnings[0].message).toContain('index that may be late');
    }
    expect(account.people.get(1)).toMatchObject({ firstName: 'Augusta', lastName: 'Lovelace' });
    expect(account.people.get(3)).toMatchObject({
      firstName: 'New',
      lastName: 'One',
      email: 'new@pipe.example',
    });
  });

  test('keep what a list of addresses has of other types, and are replaced where they are given', async () => {
    const { run, account } = await open('lists', [
      {
        firstName: 'A',
        email: 'a@list.example',
        workEmail: 'w@list.example',
        secondaryEmails: ['x@list.example', 'y@list.example'],
        phone: '+1',
        mobilePhone: '+2',
      },
    ]);
    const numbers = [{ phoneNumber: '+3', phoneNumberType: 'MOBILE' }];
    const replaced = await run(UPSERT, {
      records: [{ email: 'a@list.example', changes: { phoneNumbers: numbers } }],
    });
    expect(outcomesOf(replaced)).toEqual(['UPDATED']);
    expect(account.people.get(1)).toMatchObject({ phone: null, mobilePhone: '+3' });
    const emailAddresses = [{ emailAddress: 'o@list.example', emailAddressType: 'OTHER' }];
    // Found by the work address, which stays.
    const kept = await run(UPSERT, {
      records: [{ email: 'w@list.example', changes: { emailAddresses } }],
    });
    expect(outcomesOf(kept)).toEqual(['UPDATED']);
    expect(account.people.get(1)).toMatchObject({
      email: 'a@list.example',
      workEmail: 'w@list.example',
      secondaryEmails: ['o@list.example'],
    });
    expect(kept.results[0].warnings).toMatchObject([{ field: ['changes', 'emailAddresses'] }]);
  });

  test('take values of custom fields by their keys, in the forms of the API', async () => {
    const { run, account } = await open('custom', [{ firstName: 'C', email: 'c@custom.example' }]);
    const customFields = {
      tier: { type: 'enum', options: ['Gold', 'Silver'] },
      topics: { type: 'set', options: ['Art', 'Music', 'Sports'] },
      score: { type: 'double' },
      worth: { type: 'monetary' },
      born: { type: 'date' },
      nickname: { type: 'varchar' },
    };
    account.setQuirks({ customFields } as never);
    const key = (name: string) =>
      createHash('sha1').update(`sandbox pipedrive person ${name}`).digest('hex');
    const rawFields = {
      [key('tier')]: '2',
      [key('topics')]: ['1', '3'],
      [key('score')]: 1.5,
      [key('worth')]: 100,
      [key('born')]: '2000-01-31',
      [key('nickname')]: 'Cee',
    };
    const update = (fields: object): Promise<Json> =>
      run(UPDATE, {
        records: [{ remoteId: account.recordId(1), changes: { rawFields: fields } }],
      });
    const done = await update(rawFields);
    expect(problemsOf(done)).toEqual([]);
    expect(done.results[0]).toMatchObject({ outcome: 'UPDATED', warnings: [] });
    expect(account.people.get(1)?.custom).toEqual({
      tier: 'Silver',
      topics: 'Art;Sports',
      score: '1.5',
      worth: '100',
      born: '2000-01-31',
      nickname: 'Cee',
    });
    expect(outcomesOf(await update(rawFields))).toEqual(['UNCHANGED']);
    const cleared = await update({ [key('topics')]: null, [key('worth')]: null });
    expect(outcomesOf(cleared)).toEqual(['UPDATED']);
    expect(account.people.get(1)?.custom).toMatchObject({ topics: null, worth: null });
    const wrong = await update({ [key('tier')]: '9', [key('nickname')]: 'n'.repeat(256) });
    expect(wrong.results[0].problems.map(({ code }: Json) => code)).toEqual([
      'NOT_AN_OPTION',
      'TOO_LONG',
    ]);
    // The field vanishes after it was described.
    account.setQuirks({ deletedFields: ['nickname'] } as never);
    const vanished = await update({ [key('nickname')]: 'Bee' });
    expect(problemsOf(vanished)).toEqual([
      {
        index: 0,
        outcome: 'REFUSED',
        problems: [{ code: 'UNKNOWN_FIELD', field: ['changes', 'rawFields', key('nickname')] }],
      },
    ]);
    expect(vanished.results[0].problems[0].remoteCode).toBe('ERR_SCHEMA_VALIDATION_FAILED');
  });

  test('that several have an address are refused with their ids, and one that is gone is NOT_FOUND', async () => {
    const { run, account } = await open('twins', [
      { firstName: 'One', email: 'twin@pipe.example' },
      { firstName: 'Two', email: 'x@pipe.example', secondaryEmails: ['Twin@pipe.example'] },
      { firstName: 'Three', email: 'three@pipe.example' },
      { firstName: 'Four', email: 'four@pipe.example' },
      { firstName: 'Five', email: 'five@pipe.example' },
    ]);
    const changes = { lastName: 'Changed' };
    const twins = await run(UPSERT, { records: [{ email: 'twin@pipe.example', changes }] });
    expect(problemsOf(twins)).toMatchObject([{ problems: [{ code: 'AMBIGUOUS_MATCH' }] }]);
    expect([...twins.results[0].problems[0].existingRemoteIds].sort()).toEqual(
      [1, 2].map((index) => account.recordId(index)),
    );
    account.mergePerson(account.recordId(4), account.recordId(5));
    account.setQuirks({ goneOnWrite: [account.recordId(3)] } as never);
    const gone = await run(UPDATE, {
      records: [3, 4, 5].map((index) => ({ remoteId: account.recordId(index), changes })),
    });
    expect(outcomesOf(gone)).toEqual(['REFUSED', 'REFUSED', 'UPDATED']);
    for (const index of [0, 1]) expect(gone.results[index].problems[0].code).toBe('NOT_FOUND');
    expect(gone.results[0].problems[0].remoteCode).toBe('410');
  });

  test('that an index does not have yet are created twice, which the warning says', async () => {
    const { run, account, people } = await open('lag');
    account.setQuirks({ searchLagMs: 60_000 } as never);
    const records = [{ email: 'late@pipe.example', changes: { firstName: 'Late' } }];
    for (const _ of [1, 2]) {
      const { results } = await run(UPSERT, { records });
      expect(results[0]).toMatchObject({ outcome: 'CREATED', warnings: [{ code: 'OTHER' }] });
    }
    expect(people()).toHaveLength(2);
  });

  test('that are refused have problems and no warnings', async () => {
    const { run, account } = await open('no warnings');
    const records = [{ email: 'none@pipe.example', changes: { firstName: 'None' } }];
    const body = { success: false, error: 'name: no' };
    account.fail({ kind: 'answer', status: 400, body } as never, { operation: 'persons.create' });
    const { results } = await run(UPSERT, { records });
    expect(results).toMatchObject([
      { outcome: 'REFUSED', problems: [{ code: 'INVALID_VALUE' }], warnings: [] },
    ]);
    const written = await run(UPSERT, { records });
    expect(written.results).toMatchObject([{ outcome: 'CREATED', warnings: [{ code: 'OTHER' }] }]);
  });

  test.each([
    ['missing-scope', 'MISSING_SCOPE'],
    ['plan-cap', 'MISSING_SCOPE'],
    ['company-closed', 'OTHER'],
  ])('are all refused after %s, without a call for each', async (fault, code) => {
    const { run, account, people } = await open(fault);
    account.fail(fault as never, { operation: 'persons.create', times: 10 });
    const done = await run(CREATE, {
      records: Array.from({ length: 60 }, (_, index) => ({ changes: { firstName: `F${index}` } })),
    });
    expect(done.results.every(({ problems }: Json) => problems[0].code === code)).toBe(true);
    expect(people()).toEqual([]);
    expect(
      account.calls().filter(({ operation }: Json) => operation === 'persons.create'),
    ).toHaveLength(10);
  });

  test.each(['rate-limit-daily', 'blocked-by-cloudflare'])(
    'that were not sent before %s are BUSY',
    async (fault) => {
      const { run, account, people } = await open(fault);
      account.fail(fault as never, { operation: 'persons.create', after: 10, times: 99 });
      const input = {
        idempotencyKey: fault,
        records: Array.from({ length: 25 }, (_, index) => ({
          changes: { firstName: `F${index}` },
        })),
      };
      const first = await run(CREATE, input);
      expect(first.errors).toBeUndefined();
      expect(outcomesOf(first).filter((outcome) => outcome === 'CREATED')).toHaveLength(10);
      for (const { problems } of first.results.slice(10))
        expect(problems).toMatchObject([{ code: 'BUSY', isRetryable: true }]);
      expect(people()).toHaveLength(10);
    },
  );

  test('that were not created stay UNKNOWN: an index that finds nothing proves nothing', async () => {
    const { run, account, people } = await open('never');
    account.fail({ kind: 'reset' } as never, { operation: 'persons.create' });
    const input = {
      idempotencyKey: 'never',
      records: [{ email: 'never@lost.example', changes: { firstName: 'New' } }],
    };
    for (const _ of [1, 2]) expect(outcomesOf(await run(UPSERT, input))).toEqual(['UNKNOWN']);
    expect(people()).toEqual([]);
  });

  test('are upserted fifty at once, and say so', async () => {
    const { run } = await open('many');
    const records = Array.from({ length: 51 }, (_, index) => ({
      email: `p${index}@many.example`,
      changes: { firstName: 'F' },
    }));
    const { errors } = await run(UPSERT, { records });
    expect(errors[0].message).toContain('at most 50');
    const { data } = await crossbook.execute(
      '{ providers { name capabilities { record canWrite canUpsert isUpsertConsistent maxUpserts } } }',
    );
    const contacts = (name: string) =>
      data.providers.find((one: Json) => one.name === name).capabilities[0];
    expect(contacts('PIPEDRIVE')).toEqual({
      record: 'CONTACT',
      canWrite: true,
      canUpsert: true,
      isUpsertConsistent: false,
      maxUpserts: 50,
    });
    expect(contacts('HUBSPOT')).toMatchObject({ isUpsertConsistent: true, maxUpserts: null });
  });
});
