import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool } from '../mcp/ask-mcp.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { openWritable, outcomesOf, problemsOf, RESULT } from '../support/write-contacts.ts';

const withDeal = RESULT.replace(
  'changedFields',
  `changedFields deal { remoteId name amount { value currency } pipeline { id } stage { id }
    status closeDate ownerId nextStep }`,
);
const CREATE = `mutation ($input: CreateDealsInput!) { createDeals(input: $input) { ${withDeal} } }`;
const UPDATE = `mutation ($input: UpdateDealsInput!) { updateDeals(input: $input) { ${withDeal} } }`;
const MCP = { allowsKeys: true, writes: true, text: true, issuer: undefined };

/** The key of a custom field of deals in the simulated Pipedrive. */
const TIER_KEY = createHash('sha1').update('sandbox pipedrive deal tier').digest('hex');

/** What differs. `other` is a stage of another pipeline where there are several. */
const FACTS = {
  hubspot: {
    first: { pipelineId: 'default', stageId: 'qualifiedtobuy' },
    other: { pipelineId: '84210377', stageId: '161204505', status: 'LOST' },
    readOnly: 'hs_is_closed_won',
    tier: 'tier',
    nameField: 'dealname',
    currency: 'USD',
    operations: { create: 'deals.batchCreate', update: 'deals.batchUpdate' },
  },
  salesforce: {
    first: { pipelineId: 'opportunities', stageId: 'Qualification' },
    other: { pipelineId: 'opportunities', stageId: 'Closed Lost', status: 'LOST' },
    readOnly: 'IsWon',
    tier: 'Tier__c',
    nameField: 'Name',
    currency: null,
    operations: { create: 'composite.write', update: 'composite.write' },
  },
  pipedrive: {
    first: { pipelineId: '1', stageId: '12' },
    // Only its status closes a deal.
    other: { pipelineId: '2', stageId: '17', status: 'OPEN' },
    readOnly: 'id',
    tier: TIER_KEY,
    nameField: 'title',
    currency: 'EUR',
    operations: { create: 'deals.create', update: 'deals.update' },
  },
} as const;

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({ mcp: MCP, sandbox: { port: 0, hosts: [], all: true } });
  const { status, body } = await crossbook.rest('PUT', '/custom_fields/deal', {
    definitions: [
      {
        name: 'tier',
        type: 'text',
        sources: [
          { provider_name: 'hubspot', field: 'tier' },
          { provider_name: 'salesforce', field: 'Tier__c' },
          { provider_name: 'pipedrive', field: TIER_KEY },
        ],
      },
    ],
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce', 'pipedrive'] as const)('Deals of %s', (provider) => {
  const { first, readOnly, tier, nameField, currency: own, operations } = FACTS[provider];
  const { status, ...other } = FACTS[provider].other;
  /** In Pipedrive, the next step is a record of its own. */
  const nextStep = provider === 'pipedrive' ? undefined : 'Send the contract';
  const open = async (name: string) => {
    const opened = await openWritable(crossbook, {
      provider,
      customerId: `deals ${name} ${provider}`,
      people: [],
      records: ['deal'],
    });
    const { account } = opened;
    if (provider === 'pipedrive')
      account.records.add('deal', { name: 'With a tier', tier: 'silver' });
    else
      account.setQuirks(
        (provider === 'hubspot'
          ? { propertyTypes: { 'deal.tier': { type: 'string', fieldType: 'text' } } }
          : { customFields: { 'Opportunity.Tier__c': { type: 'string' } } }) as never,
      );
    const count = () => account.records.all('deal').filter(({ isDeleted }) => !isDeleted).length;
    return { ...opened, count };
  };
  const NEW = { name: 'Twenty seats', ...first, closeDate: '2026-12-31' };

  test('are created and changed by id, and read back as they were written', async () => {
    const { run, account, count, headers } = await open('ids');
    const before = count();
    const { data } = await crossbook.execute('{ owners { id } }', {}, headers);
    const ownerId = data.owners[1].id;
    const changes = {
      ...NEW,
      amount: { value: '1200.5' },
      ownerId,
      ...(nextStep && { nextStep }),
      customFields: { tier: 'gold' },
    };
    const preview = await run(CREATE, { dryRun: true, records: [{ changes }] });
    expect(outcomesOf(preview)).toEqual(['CREATED']);
    expect(count()).toBe(before);
    const created = await run(CREATE, { records: [{ changes }] });
    expect(problemsOf(created)).toEqual([]);
    const [{ remoteId, deal, outcome, changedFields, warnings }] = created.results;
    expect([outcome, warnings]).toEqual(['CREATED', []]);
    expect(new Set(changedFields)).toEqual(
      new Set([
        ...['name', 'amount', 'stageId', 'closeDate', 'ownerId'],
        ...(nextStep ? ['nextStep'] : []),
        // Elsewhere it follows from the stage.
        ...(provider === 'hubspot' ? ['pipelineId'] : []),
        'customFields.tier',
      ]),
    );
    expect(deal).toMatchObject({
      remoteId,
      name: 'Twenty seats',
      amount: { value: '1200.5' },
      pipeline: { id: first.pipelineId },
      stage: { id: first.stageId },
      status: 'OPEN',
      closeDate: '2026-12-31',
      ownerId,
      nextStep: nextStep ?? null,
    });
    expect(account.records.all('deal').at(-1)?.values['tier']).toBe('gold');
    expect(count()).toBe(before + 1);
    expect(outcomesOf(await run(UPDATE, { records: [{ remoteId, changes }] }))).toEqual([
      'UNCHANGED',
    ]);
    const updated = await run(UPDATE, {
      records: [
        { remoteId, changes: { ...other, amount: null, closeDate: '2026-11-30' } },
        { remoteId: '999', changes: { name: 'None' } },
      ],
    });
    expect(outcomesOf(updated)).toEqual(['UPDATED', 'REFUSED']);
    expect(updated.results[0].deal).toMatchObject({
      amount: null,
      stage: { id: other.stageId },
      pipeline: { id: other.pipelineId },
      status,
      closeDate: '2026-11-30',
    });
    expect(updated.results[1].problems[0].code).toBe('NOT_FOUND');
  });

  test('go to the pipeline of a stage that is given alone', async () => {
    const { run } = await open('stage');
    const { results } = await run(CREATE, { records: [{ changes: NEW }] });
    const [{ remoteId }] = results;
    const { stageId } = other;
    const moved = await run(UPDATE, { records: [{ remoteId, changes: { stageId } }] });
    expect(moved.results[0]).toMatchObject({
      outcome: 'UPDATED',
      changedFields: ['stageId'],
      deal: { stage: { id: stageId }, pipeline: { id: other.pipelineId } },
    });
  });

  test('are refused with a problem for each mistake, before anything is sent', async () => {
    const { run, account, count } = await open('mistakes');
    const before = count();
    const UNKNOWN_CURRENCY = { value: '1', currency: 'XXX' };
    // A portal has the currencies of its settings, and an org with one has no field for it.
    const refused = { hubspot: 'NOT_AN_OPTION', salesforce: 'UNKNOWN_FIELD', pipedrive: null }[
      provider
    ];
    const toMistake = (changes: object, code: string): Mistake => [
      changes,
      code,
      ['amount', 'currency'],
    ];
    const wrong: readonly Mistake[] = [
      [{ ...NEW, name: null }, 'REQUIRED', ['name']],
      [{ ...NEW, stageId: 'nothing' }, 'NOT_AN_OPTION', ['stageId']],
      [{ ...NEW, pipelineId: 'nothing' }, 'NOT_AN_OPTION', ['stageId']],
      [{ ...NEW, stageId: 'nothing', pipelineId: undefined }, 'NOT_AN_OPTION', ['stageId']],
      [{ ...NEW, stageId: undefined }, 'REQUIRED', ['stageId']],
      [{ ...NEW, pipelineId: null }, 'REQUIRED', ['pipelineId']],
      ...(refused === null ? [] : [toMistake({ ...NEW, amount: UNKNOWN_CURRENCY }, refused)]),
      [{ ...NEW, rawFields: { [readOnly]: true } }, 'READ_ONLY', ['rawFields', readOnly]],
      [{ ...NEW, rawFields: { [nameField]: 'Twice' } }, 'INVALID_VALUE', ['rawFields', nameField]],
      [{ ...NEW, customFields: { none: 'x' } }, 'UNKNOWN_FIELD', ['customFields', 'none']],
    ];
    account.resetCalls();
    const input = { records: wrong.map(([changes]) => ({ changes })) };
    for (const dryRun of [true, false])
      expect(problemsOf(await run(CREATE, { ...input, dryRun }))).toEqual(
        wrong.map(([, code, path], index) => ({
          index,
          outcome: 'REFUSED',
          problems: expect.arrayContaining([{ code, field: ['changes', ...path] }]),
        })),
      );
    expect(count()).toBe(before);
    expect(
      account
        .calls()
        .filter(({ operation }: Json) => Object.values<string>(operations).includes(operation)),
    ).toEqual([]);
  });

  test('have the currency of the CRM, and others where it has several', async () => {
    const { run, account } = await open('currency');
    const create = async (currency: string) => {
      const changes = { ...NEW, amount: { value: '10', currency } };
      const { results } = await run(CREATE, { records: [{ changes }] });
      return results[0];
    };
    if (own === null) {
      const { problems } = await create('USD');
      expect(problems).toMatchObject([{ code: 'UNKNOWN_FIELD' }]);
    } else {
      const created = await create(own);
      expect(created).toMatchObject({
        outcome: 'CREATED',
        warnings: [],
        deal: { amount: { value: '10', currency: own } },
      });
      const { remoteId } = created;
      const changes = { amount: { value: '10', currency: own } };
      const again = await run(UPDATE, { records: [{ remoteId, changes }] });
      expect(outcomesOf(again)).toEqual(['UNCHANGED']);
    }
    account.setQuirks(
      {
        hubspot: { additionalCurrencies: ['EUR'] },
        salesforce: { multiCurrency: true },
        pipedrive: {},
      }[provider] as never,
    );
    const currency = own === 'EUR' ? 'USD' : 'EUR';
    expect(await create(currency)).toMatchObject({
      outcome: 'CREATED',
      deal: { amount: { value: '10', currency } },
    });
  });

  test('keep the time of a close date that stays the same day', async () => {
    const { run, account } = await open('day');
    const { results } = await run(CREATE, { records: [{ changes: NEW }] });
    const [{ remoteId }] = results;
    const index = account.records.all('deal').at(-1)?.index ?? 0;
    account.records.change('deal', index, { closedate: '2026-12-31T22:15:00.000Z' });
    const update = (closeDate: string) =>
      run(UPDATE, { records: [{ remoteId, changes: { closeDate } }] });
    expect(outcomesOf(await update('2026-12-31'))).toEqual(['UNCHANGED']);
    expect(outcomesOf(await update('2027-01-01'))).toEqual(['UPDATED']);
  });

  test.skipIf(provider === 'pipedrive')('that the CRM does not move have a warning', async () => {
    const { run, account } = await open('stays');
    const { results } = await run(CREATE, { records: [{ changes: NEW }] });
    const [{ remoteId }] = results;
    account.setQuirks({
      [provider === 'hubspot' ? 'dealStagesStay' : 'stagesStay']: true,
    } as never);
    const { stageId } = other;
    const kept = await run(UPDATE, { records: [{ remoteId, changes: { stageId } }] });
    // Salesforce does not say what a record has after a write.
    const warnings =
      provider === 'hubspot' ? [{ code: 'OTHER', field: ['changes', 'stageId'] }] : [];
    expect(kept.results[0]).toMatchObject({ outcome: 'UPDATED', deal: { status: 'OPEN' } });
    expect(kept.results[0].warnings.slice(0, 1)).toMatchObject(warnings);
  });

  test('whose response was lost are UNKNOWN, and a repetition finds what became of a change', async () => {
    const { run, account, count } = await open('lost');
    const { results } = await run(CREATE, { records: [{ changes: NEW }] });
    const [{ remoteId }] = results;
    const lose = (operation: string) =>
      account.fail({ kind: 'reset-after' } as never, { operation });
    lose(operations.update);
    const change = {
      idempotencyKey: 'change',
      records: [{ remoteId, changes: { ...other, closeDate: '2027-01-31' } }],
    };
    expect(outcomesOf(await run(UPDATE, change))).toEqual(['UNKNOWN']);
    expect(outcomesOf(await run(UPDATE, change))).toEqual(['UPDATED']);
    lose(operations.create);
    const before = count();
    const creation = { idempotencyKey: 'creation', records: [{ changes: NEW }] };
    for (const _ of [1, 2]) expect(outcomesOf(await run(CREATE, creation))).toEqual(['UNKNOWN']);
    expect(count()).toBe(before + 1);
  });

  test('are written in REST and by agents, by the same operations, and are in the audit', async () => {
    const { headers } = await open('apis');
    const customerId = headers['x-customer-id'] ?? '';
    const changes = {
      name: 'R',
      pipeline_id: first.pipelineId,
      stage_id: first.stageId,
      close_date: '2026-12-31',
    };
    const created = await crossbook.rest(
      'POST',
      '/deals/_create',
      { records: [{ changes }, { changes: { ...changes, stage_id: 'nothing' } }] },
      headers,
    );
    expect(created.status).toBe(200);
    expect(created.body.results).toMatchObject([
      { outcome: 'created' },
      {
        outcome: 'refused',
        problems: [{ code: 'NOT_AN_OPTION', field: ['changes', 'stage_id'] }],
      },
    ]);
    const [{ remote_id: remoteId }] = created.body.results;
    const updated = await crossbook.rest(
      'POST',
      '/deals/_update',
      { records: [{ remote_id: remoteId, changes: { close_date: '2027-01-31' } }] },
      headers,
    );
    expect(updated.body.results).toMatchObject([
      { outcome: 'updated', changed_fields: ['close_date'] },
    ]);
    const upserted = await crossbook.rest('POST', '/deals/_upsert', { records: [] }, headers);
    expect(upserted.status).toBe(405);
    const done = await callTool(crossbook, { 'x-api-key': crossbook.key }, 'update_deals', {
      customerId,
      dryRun: false,
      records: [{ remoteId, changes: { name: 'Renamed' } }],
    });
    expect(done.structuredContent.results).toMatchObject([
      { outcome: 'UPDATED', changedFields: ['name'] },
    ]);
    const audit = await crossbook.rest(
      'GET',
      `/writes?customer_id=${encodeURIComponent(customerId)}`,
    );
    expect(
      audit.body.records.map(({ operation, results }: Json) => [operation, results[0].fields]),
    ).toEqual([
      ['updateDeals', ['name']],
      ['updateDeals', ['close_date']],
      ['createDeals', ['name', 'pipeline_id', 'stage_id', 'close_date']],
    ]);
  });

  test('need a connection that may write deals, and are described with what they take', async () => {
    const contactsOnly = await openWritable(crossbook, {
      provider,
      customerId: `deals refused ${provider}`,
      people: [],
    });
    const { errors } = await contactsOnly.run(CREATE, { records: [{ changes: NEW }] });
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
    expect(contactsOnly.account.callCount()).toBe(0);
    const { headers } = await open('described');
    const { body } = await crossbook.rest(
      'GET',
      `/customers/${encodeURIComponent(headers['x-customer-id'] ?? '')}/connections/${provider}/writable_fields/deal`,
    );
    const names = body.records.map(({ name }: Json) => name);
    expect(names).toEqual(expect.arrayContaining([nameField, tier]));
    expect(names).not.toContain(readOnly);
    const { data } = await crossbook.execute(
      '{ providers { name capabilities { record canWrite canUpsert } } }',
    );
    const { capabilities } = data.providers.find(
      (one: Json) => one.name === provider.toUpperCase(),
    );
    expect(capabilities).toContainEqual({ record: 'DEAL', canWrite: true, canUpsert: false });
  });
});

test('A deal that is closed needs what the portal of HubSpot requires then', async () => {
  const { run, account } = await openWritable(crossbook, {
    provider: 'hubspot',
    customerId: 'deals closed',
    people: [],
    records: ['deal'],
  });
  account.setQuirks({ closedDealsRequire: ['amount'] } as never);
  const deal = (name: string, more: object) => ({
    changes: { name, stageId: 'closedwon', ...more },
  });
  const records = [
    deal('None', {}),
    deal('With', { amount: { value: '1' } }),
    deal('Open', { stageId: 'contractsent' }),
  ];
  expect(problemsOf(await run(CREATE, { records }))).toEqual([
    {
      index: 0,
      outcome: 'REFUSED',
      // It is about a field that is not given.
      problems: [{ code: 'REQUIRED', field: null }],
    },
  ]);
});

type Mistake = readonly [changes: object, code: string, field: readonly string[]];
