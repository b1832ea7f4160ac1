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
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

const hundred = (toRecord: (index: number) => object) =>
  Array.from({ length: 100 }, (_, index) => toRecord(index));

describe('A batch of a hundred in HubSpot', () => {
  test('with a property that was hidden meanwhile and a duplicate writes 98, in at most 20 calls', async () => {
    const { run, account, people } = await openWritable(crossbook, {
      provider: 'hubspot',
      customerId: 'hubspot hidden',
      people: [{ email: 'taken@batch.example', custom: { favorite_color: 'red', size: '1' } }],
    });
    // The description is read, and the property is hidden afterwards.
    await run(CREATE, { dryRun: true, records: [{ changes: { firstName: 'X' } }] });
    account.setQuirks({ hiddenProperties: ['size'] } as never);
    account.resetCalls();
    const done = await run(CREATE, {
      records: hundred((index) => ({
        changes: {
          firstName: `F${index}`,
          emailAddresses: [
            {
              emailAddress: index === 40 ? 'taken@batch.example' : `p${index}@batch.example`,
              emailAddressType: 'PRIMARY',
            },
          ],
          ...(index === 60 && { rawFields: { size: '2' } }),
        },
      })),
    });
    expect(problemsOf(done)).toEqual([
      { index: 40, outcome: 'REFUSED', problems: [{ code: 'ALREADY_EXISTS', field: null }] },
      {
        index: 60,
        outcome: 'REFUSED',
        problems: [{ code: 'UNKNOWN_FIELD', field: ['changes', 'rawFields', 'size'] }],
      },
    ]);
    expect(done.results[40].problems[0].existingRemoteIds).toEqual([account.recordId(1)]);
    expect(done.results[60].problems[0].remoteCode).toBe('PROPERTY_DOESNT_EXIST');
    expect(outcomesOf(done).filter((outcome) => outcome === 'CREATED')).toHaveLength(98);
    expect(people()).toHaveLength(99);
    expect(account.callCount()).toBeLessThanOrEqual(20);
  });

  test.each([
    ['of one record', [50]],
    ['of three records', [0, 50, 99]],
  ])('finds a value %s that a rule refuses by halving', async (name, bad) => {
    const { run, account, people } = await openWritable(crossbook, {
      provider: 'hubspot',
      customerId: `hubspot halving ${name}`,
      people: [],
    });
    account.setQuirks({ propertyRules: { firstname: '^[A-Z]' }, shortErrorLists: true } as never);
    const done = await run(UPSERT, {
      records: hundred((index) => ({
        email: `p${index}@rule.example`,
        changes: { firstName: bad.includes(index) ? 'lower' : 'Upper' },
      })),
    });
    expect(problemsOf(done)).toEqual(
      bad.map((index) => ({
        index,
        outcome: 'REFUSED',
        problems: [{ code: 'CUSTOMER_RULE', field: ['changes', 'firstName'] }],
      })),
    );
    expect(people()).toHaveLength(100 - bad.length);
    expect(JSON.stringify(done)).not.toContain('lower"');
  });

  test.each(['writeErrorsInSuccess', 'writeResultsWithoutTraceIds', 'upsertIgnoresAliases'])(
    'has the same results with %s',
    async (quirk) => {
      const { run, account } = await openWritable(crossbook, {
        provider: 'hubspot',
        customerId: `hubspot ${quirk}`,
        people: [
          {
            email: 'one@quirk.example',
            secondaryEmails: ['alias@quirk.example'],
            firstName: 'One',
          },
          { email: 'two@quirk.example' },
        ],
      });
      account.setQuirks({ [quirk]: true } as never);
      const done = await run(UPSERT, {
        records: [
          { email: 'alias@quirk.example', changes: { firstName: 'Changed' } },
          { email: 'new@quirk.example', changes: { firstName: 'New' } },
          {
            email: 'two@quirk.example',
            changes: {
              emailAddresses: [{ emailAddress: 'w@quirk.example', emailAddressType: 'WORK' }],
            },
          },
        ],
      });
      expect(outcomesOf(done)).toEqual(['UPDATED', 'CREATED', 'UPDATED']);
      expect(account.people.get(1)).toMatchObject({
        firstName: 'Changed',
        email: 'one@quirk.example',
      });
      const taken = await run(UPDATE, {
        records: [
          {
            remoteId: account.recordId(2),
            changes: {
              emailAddresses: [
                { emailAddress: 'alias@quirk.example', emailAddressType: 'PRIMARY' },
              ],
            },
          },
          { remoteId: account.recordId(1), changes: { lastName: 'L' } },
        ],
      });
      expect(problemsOf(taken)).toMatchObject([
        { index: 0, problems: [{ code: 'ALREADY_EXISTS' }] },
      ]);
      expect(outcomesOf(taken)).toEqual(['REFUSED', 'UPDATED']);
    },
  );

  test('warns of a lifecycle stage that the CRM accepted and did not move', async () => {
    const { run } = await openWritable(crossbook, {
      provider: 'hubspot',
      customerId: 'hubspot stage',
      people: [{ email: 'stage@batch.example', lifecycleStage: 'customer' }],
    });
    const { results } = await run(UPSERT, {
      records: [{ email: 'stage@batch.example', changes: { lifecycleStage: 'LEAD' } }],
    });
    expect(results[0]).toMatchObject({
      outcome: 'UPDATED',
      warnings: [{ code: 'OTHER', field: ['changes', 'lifecycleStage'] }],
    });
  });
});

describe('A batch of a hundred in Salesforce', () => {
  test.each([false, true])(
    'with a lock that lasts, a rule and a duplicate writes 97, in at most 6 calls (misspelt: %s)',
    async (duplicateKeyMisspelt) => {
      const { run, account, people } = await openWritable(crossbook, {
        provider: 'salesforce',
        customerId: `salesforce batch ${duplicateKeyMisspelt}`,
        people: [{ email: 'taken@batch.example', lastName: 'Taken' }],
      });
      account.setQuirks({
        duplicateRule: 'block',
        duplicateKeyMisspelt,
        lockedEmails: ['p10@batch.example'],
        locksLast: true,
        validationRule: { field: 'FirstName', value: 'Forbidden', message: 'Not in this org.' },
      } as never);
      account.resetCalls();
      const done = await run(CREATE, {
        records: hundred((index) => ({
          changes: {
            lastName: `L${index}`,
            firstName: index === 20 ? 'Forbidden' : 'F',
            emailAddresses: [
              {
                emailAddress: index === 30 ? 'taken@batch.example' : `p${index}@batch.example`,
                emailAddressType: 'PRIMARY',
              },
            ],
          },
        })),
      });
      expect(problemsOf(done)).toEqual([
        { index: 10, outcome: 'REFUSED', problems: [{ code: 'BUSY', field: null }] },
        { index: 20, outcome: 'REFUSED', problems: [{ code: 'CUSTOMER_RULE', field: null }] },
        { index: 30, outcome: 'REFUSED', problems: [{ code: 'DUPLICATE_RULE', field: null }] },
      ]);
      expect(done.results[10].problems[0].isRetryable).toBe(true);
      expect(done.results[20].problems[0].remoteMessage).toBe('Not in this org.');
      expect(done.results[30].problems[0].existingRemoteIds).toEqual([account.recordId(1)]);
      expect(people()).toHaveLength(98);
      expect(account.callCount()).toBeLessThanOrEqual(6);
    },
  );

  test('repeats a record that was locked, and that record alone', async () => {
    const { run, account, people } = await openWritable(crossbook, {
      provider: 'salesforce',
      customerId: 'salesforce lock',
      people: [],
    });
    account.setQuirks({ lockedEmails: ['p1@lock.example'] } as never);
    const done = await run(UPSERT, {
      records: [0, 1, 2].map((index) => ({
        email: `p${index}@lock.example`,
        changes: { lastName: 'L' },
      })),
    });
    expect(outcomesOf(done)).toEqual(['CREATED', 'CREATED', 'CREATED']);
    expect(people()).toHaveLength(3);
  });

  test('overrules a duplicate rule that warns with allowDuplicates, and warns of a lead', async () => {
    const { run, account } = await openWritable(crossbook, {
      provider: 'salesforce',
      customerId: 'salesforce lead',
      people: [],
    });
    account.setQuirks({ duplicateRule: 'alert', leads: ['lead@batch.example'] } as never);
    const records = [{ email: 'lead@batch.example', changes: { lastName: 'L' } }];
    const preview = await run(UPSERT, { dryRun: true, records });
    expect(preview.results[0]).toMatchObject({
      outcome: 'CREATED',
      warnings: [{ code: 'ALREADY_EXISTS' }],
    });
    const refused = await run(UPSERT, { records });
    expect(problemsOf(refused)).toMatchObject([{ problems: [{ code: 'DUPLICATE_RULE' }] }]);
    const done = await run(UPSERT, { records, allowDuplicates: true });
    expect(outcomesOf(done)).toEqual(['CREATED']);
  });
});

describe.each(['hubspot', 'salesforce'] as const)('A record in %s', (provider) => {
  const open = (customerId: string, people: readonly object[] = []) =>
    openWritable(crossbook, { provider, customerId: `${customerId} ${provider}`, people });

  test('is refused with a problem for each mistake, before anything is sent', async () => {
    const { run, account } = await open('mistakes', [
      { email: 'two@wrong.example', lastName: 'L', custom: { favorite_color: 'red' } },
    ]);
    account.setQuirks(
      (provider === 'hubspot'
        ? {
            propertyTypes: {
              favorite_color: { type: 'enumeration', fieldType: 'select', options: ['red'] },
            },
          }
        : {
            customFields: {
              Favorite_Color__c: { type: 'picklist', values: ['red'], isRestricted: true },
            },
          }) as never,
    );
    const color = provider === 'hubspot' ? 'favorite_color' : 'Favorite_Color__c';
    const readOnly = provider === 'hubspot' ? 'hs_object_id' : 'CreatedDate';
    const wrong: readonly [changes: object, code: string, field: string][] = [
      [{ firstName: '' }, 'INVALID_VALUE', 'firstName'],
      [{ rawFields: { no_such_field: 'x' } }, 'UNKNOWN_FIELD', 'no_such_field'],
      [{ rawFields: { [color]: 'blue' } }, 'NOT_AN_OPTION', color],
      [{ rawFields: { [readOnly]: '1' } }, 'READ_ONLY', readOnly],
      [{ firstName: 'x'.repeat(70_000) }, 'TOO_LONG', 'firstName'],
      [{ customFields: { undeclared: 'x' } }, 'UNKNOWN_FIELD', 'undeclared'],
      [
        {
          emailAddresses: [{ emailAddress: 'x@x.example', emailAddressType: 'OTHER' }],
        },
        'READ_ONLY',
        '0',
      ],
    ];
    account.resetCalls();
    const done = await run(UPSERT, {
      records: wrong.map(([changes], index) => ({ email: `w${index}@wrong.example`, changes })),
    });
    for (const [index, [, code, field]] of wrong.entries()) {
      expect(done.results[index].problems).toContainEqual(
        expect.objectContaining({ code, field: expect.arrayContaining([field]) }),
      );
    }
    expect(outcomesOf(done)).toEqual(wrong.map(() => 'REFUSED'));
    expect(account.people.all()).toHaveLength(1);
  });

  test('is refused where two of a call are the same, or several match', async () => {
    const { run, people } = await open('same', [
      { email: 'twin@same.example', lastName: 'One' },
      { email: 'twin@same.example', lastName: 'Two' },
    ]);
    const changes = { lastName: 'L' };
    const done = await run(UPSERT, {
      records: [
        { email: 'a@same.example', changes },
        { email: ' A@same.example ', changes },
        { email: 'b@same.example', changes },
      ],
    });
    expect(outcomesOf(done)).toEqual(['REFUSED', 'REFUSED', 'CREATED']);
    expect(people()).toHaveLength(3);
    const twins = await run(UPSERT, { records: [{ email: 'twin@same.example', changes }] });
    // In HubSpot an address belongs to one contact.
    if (provider === 'hubspot') expect(outcomesOf(twins)).toEqual(['UPDATED']);
    else {
      expect(problemsOf(twins)).toMatchObject([{ problems: [{ code: 'AMBIGUOUS_MATCH' }] }]);
      expect(twins.results[0].problems[0].existingRemoteIds).toHaveLength(2);
    }
  });

  test('is not changed where another has changed it since', async () => {
    const { run, account } = await open('since', [{ email: 's@since.example', lastName: 'L' }]);
    const remoteId = account.recordId(1);
    const update = (ifUnmodifiedSince: string, lastName: string) =>
      run(UPDATE, { records: [{ remoteId, changes: { lastName }, ifUnmodifiedSince }] });
    const before = new Date(Date.now() - 60_000).toISOString();
    expect(outcomesOf(await update(new Date(Date.now() + 60_000).toISOString(), 'M'))).toEqual([
      'UPDATED',
    ]);
    const late = await update(before, 'N');
    expect(problemsOf(late)).toMatchObject([{ problems: [{ code: 'CONFLICT' }] }]);
    expect(account.people.get(1)?.lastName).toBe('M');
  });

  test.each(['reset-after', 'reset'] as const)(
    'has one outcome where the response is lost (%s), and a repetition finds it',
    async (kind) => {
      const { run, account, people } = await open(`lost ${kind}`, [
        { email: 'old@lost.example', lastName: 'Old' },
      ]);
      const operation = provider === 'hubspot' ? undefined : 'composite.write';
      const lose = (name: string) =>
        account.fail({ kind } as never, { operation: operation ?? `contacts.${name}` });
      const input = {
        idempotencyKey: kind,
        records: [
          { email: 'old@lost.example', changes: { lastName: 'Changed' } },
          { email: 'new@lost.example', changes: { lastName: 'New' } },
        ],
      };
      lose('batchUpdate');
      if (provider === 'hubspot') lose('batchUpsert');
      else account.fail({ kind } as never, { operation: 'composite.write' });
      const first = await run(UPSERT, input);
      expect(first.errors).toBeUndefined();
      const again = await run(UPSERT, input);
      expect(again.write.id).toBe(first.write.id);
      for (const outcome of outcomesOf(first)) expect(outcome).not.toBe('REFUSED');
      expect(outcomesOf(first)[0]).toBe('UNKNOWN');
      if (kind === 'reset' && provider === 'salesforce') {
        // A creation that the CRM may still carry out is not repeated yet.
        expect(outcomesOf(again)).toEqual(['UPDATED', 'UNKNOWN']);
        return;
      }
      expect(outcomesOf(again)).toEqual(['UPDATED', 'CREATED']);
      expect(people().map(({ lastName }) => lastName)).toEqual(['Changed', 'New']);
    },
  );

  test('without an email has the outcome UNKNOWN where the response is lost, and is not sent again', async () => {
    const { run, account, people } = await open('nameless');
    account.fail({ kind: 'reset-after' } as never, {
      operation: provider === 'hubspot' ? 'contacts.batchCreate' : 'composite.write',
    });
    const input = { idempotencyKey: 'n', records: [{ changes: { lastName: 'Nameless' } }] };
    expect(outcomesOf(await run(CREATE, input))).toEqual(['UNKNOWN']);
    const again = await run(CREATE, input);
    expect(outcomesOf(again)).toEqual(['UNKNOWN']);
    expect(again.write).toMatchObject({ isReplayed: true, isComplete: false });
    expect(people()).toHaveLength(1);
  });

  test('is written once by a hundred calls with one key at once', async () => {
    const { run, people } = await open('at once');
    const input = { idempotencyKey: 'at once', records: [{ changes: { lastName: 'Only' } }] };
    const all: Json[] = await Promise.all(Array.from({ length: 100 }, () => run(CREATE, input)));
    const written = all.filter(({ errors }) => !errors);
    const codes = new Set(
      all.flatMap(({ errors = [] }) => errors.map((one: Json) => one.extensions.code)),
    );
    expect([...codes].filter((code) => code !== 'CONFLICT')).toEqual([]);
    expect(written.filter(({ write }) => !write.isReplayed)).toHaveLength(1);
    expect(new Set(written.map(({ write }) => write.id)).size).toBe(1);
    expect(people()).toHaveLength(1);
    // The same key for another operation and another customer is another write.
    const other = await open('at once other');
    expect(outcomesOf(await other.run(CREATE, input))).toEqual(['CREATED']);
    const upsert = { ...input, records: [{ email: 'o@once.example', changes: { lastName: 'O' } }] };
    expect(outcomesOf(await run(UPSERT, upsert))).toEqual(['CREATED']);
  });
});
