import { describe, expect, test } from 'vitest';
import { DEAL, type Deal } from '../../src/domain/records/deal.ts';
import { type DealFilterInput, dealFilters } from '../../src/domain/records/deal-filter.ts';
import { hubspot } from '../../src/providers/hubspot/provider.ts';
import { salesforce } from '../../src/providers/salesforce/provider.ts';
import { useSandboxPorts } from '../support/sandbox-ports.ts';

const { sandbox, ports } = useSandboxPorts();

const WHOLE = { rawData: false };
const RANGE = { direction: 'forward', from: undefined, limit: 100 } as const;

const MANY = { additionalCurrencies: ['EUR', 'JPY'] };

type RecordValues = Readonly<Record<string, string | null>>;

/** A deal with these values is read so. */
const HUBSPOT: readonly (readonly [string, RecordValues, object, Partial<Deal>])[] = [
  [
    'an amount in the only currency of the portal',
    { amount: '1200' },
    {},
    { amount: { value: '1200', currency: 'USD' } },
  ],
  [
    'an amount in the only currency of a portal in euros',
    { amount: '0.5' },
    { companyCurrency: 'EUR' },
    { amount: { value: '0.5', currency: 'EUR' } },
  ],
  [
    'an amount in a currency of its own',
    { amount: '1200.55', currency: 'EUR' },
    MANY,
    { amount: { value: '1200.55', currency: 'EUR' } },
  ],
  [
    'an amount without a currency in a portal with several',
    { amount: '7' },
    MANY,
    { amount: { value: '7', currency: 'USD' } },
  ],
  ['an amount of nothing', { amount: '0' }, {}, { amount: { value: '0', currency: 'USD' } }],
  [
    'a large amount',
    { amount: '12345678901234567.89' },
    {},
    { amount: { value: '12345678901234567.89', currency: 'USD' } },
  ],
  ['no amount', {}, MANY, { amount: null }],
  ['a cleared amount', { amount: '' }, MANY, { amount: null }],
  ['an amount that is no number', { amount: 'a lot' }, {}, { amount: null }],
  [
    'an open stage',
    { dealstage: 'contractsent', pipeline: 'default' },
    {},
    {
      status: 'open',
      stage: {
        id: 'contractsent',
        label: 'Contract Out for Signature',
        status: 'open',
        probability: 0.9,
      },
      pipeline: { id: 'default', label: 'Sales Pipeline' },
    },
  ],
  [
    'a won stage',
    { dealstage: 'closedwon', pipeline: 'default' },
    {},
    {
      status: 'won',
      stage: { id: 'closedwon', label: 'Closed Won', status: 'won', probability: 1 },
    },
  ],
  [
    'a lost stage',
    { dealstage: 'closedlost', pipeline: 'default' },
    {},
    {
      status: 'lost',
      stage: { id: 'closedlost', label: 'Closed Lost', status: 'lost', probability: 0 },
    },
  ],
  [
    'a won stage of another pipeline',
    { dealstage: '161204504', pipeline: '84210377' },
    {},
    {
      status: 'won',
      stage: { id: '161204504', label: 'Renewed', status: 'won', probability: 1 },
      pipeline: { id: '84210377', label: 'Renewals' },
    },
  ],
  [
    'a lost stage of another pipeline',
    { dealstage: '161204505', pipeline: '84210377' },
    {},
    {
      status: 'lost',
      stage: { id: '161204505', label: 'Churned', status: 'lost', probability: 0 },
    },
  ],
  [
    'an archived stage',
    { dealstage: '161204503', pipeline: '84210377' },
    {},
    {
      status: 'open',
      stage: { id: '161204503', label: 'On Hold', status: 'open', probability: 0.3 },
    },
  ],
  [
    'a probability of its own',
    { dealstage: 'contractsent', pipeline: 'default', probability: '0.35' },
    {},
    {
      stage: {
        id: 'contractsent',
        label: 'Contract Out for Signature',
        status: 'open',
        probability: 0.35,
      },
    },
  ],
  [
    'neither a stage nor a pipeline',
    { dealstage: null, pipeline: null },
    {},
    { status: 'open', stage: null, pipeline: null },
  ],
  [
    'a stage that no pipeline has any more',
    { dealstage: 'gone', pipeline: 'default' },
    {},
    { status: 'open', stage: { id: 'gone', label: null, status: 'open', probability: null } },
  ],
  ['a close date', { closedate: '2026-03-31' }, {}, { closeDate: '2026-03-31' }],
  ['no close date', {}, {}, { closeDate: null }],
  [
    'a hidden outcome',
    { dealstage: 'closedwon', pipeline: 'default' },
    { hiddenProperties: ['deal.hs_is_closed_won'] },
    { status: null },
  ],
];

const SALESFORCE: readonly (readonly [string, RecordValues, object, Partial<Deal>])[] = [
  [
    'an amount in an org with one currency',
    { amount: '1200' },
    {},
    { amount: { value: '1200', currency: null } },
  ],
  [
    'an amount in an org with several',
    { amount: '1200.55', currency: 'EUR' },
    { multiCurrency: true },
    { amount: { value: '1200.55', currency: 'EUR' } },
  ],
  [
    'an amount in the default currency of an org with several',
    { amount: '7' },
    { multiCurrency: true },
    { amount: { value: '7', currency: 'USD' } },
  ],
  ['an amount of nothing', { amount: '0' }, {}, { amount: { value: '0', currency: null } }],
  ['no amount', {}, { multiCurrency: true }, { amount: null }],
  ['a cleared amount', { amount: '' }, {}, { amount: null }],
  [
    'the first stage',
    { dealstage: 'Prospecting' },
    {},
    {
      status: 'open',
      stage: { id: 'Prospecting', label: 'Prospecting', status: 'open', probability: 0.1 },
    },
  ],
  [
    'a stage whose label was changed',
    { dealstage: 'Proposal/Price Quote' },
    {},
    {
      status: 'open',
      stage: { id: 'Proposal/Price Quote', label: 'Proposal', status: 'open', probability: 0.75 },
    },
  ],
  [
    'a won stage',
    { dealstage: 'Closed Won' },
    {},
    {
      status: 'won',
      stage: { id: 'Closed Won', label: 'Closed Won', status: 'won', probability: 1 },
    },
  ],
  [
    'a lost stage',
    { dealstage: 'Closed Lost' },
    {},
    {
      status: 'lost',
      stage: { id: 'Closed Lost', label: 'Closed Lost', status: 'lost', probability: 0 },
    },
  ],
  [
    'a probability of its own',
    { dealstage: 'Prospecting', probability: '0.35' },
    {},
    { stage: { id: 'Prospecting', label: 'Prospecting', status: 'open', probability: 0.35 } },
  ],
  [
    'no stage, which begins in the first',
    {},
    {},
    {
      status: 'open',
      stage: { id: 'Prospecting', label: 'Prospecting', status: 'open', probability: 0.1 },
    },
  ],
  ['the pipeline of all', {}, {}, { pipeline: { id: 'opportunities', label: 'Opportunities' } }],
  ['a close date', { closedate: '2026-03-31' }, {}, { closeDate: '2026-03-31' }],
  ['a next step', { nextstep: 'Send the contract' }, {}, { nextStep: 'Send the contract' }],
  [
    'a hidden amount',
    { amount: '1200' },
    { hiddenFields: ['Opportunity.Amount'] },
    { amount: null },
  ],
  [
    'a hidden outcome',
    { dealstage: 'Closed Won' },
    { hiddenFields: ['Opportunity.IsWon'] },
    { status: null },
  ],
  [
    'a hidden probability',
    { dealstage: 'Closed Won' },
    { hiddenFields: ['Opportunity.Probability'] },
    {
      status: 'won',
      stage: { id: 'Closed Won', label: 'Closed Won', status: 'won', probability: 1 },
    },
  ],
  [
    'hidden settings of stages',
    { dealstage: 'Proposal/Price Quote' },
    { hiddenObjects: ['OpportunityStage'] },
    {
      stage: {
        id: 'Proposal/Price Quote',
        label: 'Proposal/Price Quote',
        status: 'open',
        probability: 0.75,
      },
    },
  ],
];

test.each(HUBSPOT)('HubSpot: %s', async (_title, values, quirks, expected) => {
  const account = sandbox().hubspot.createAccount({ limits: null, quirks });
  const id = account.addRecord('deal', values);
  const deals = ports.open(hubspot, account).crm.of(DEAL);
  expect((await deals.findByIds([id], WHOLE)).get(id)).toMatchObject(expected);
  expect(await deals.readList({ by: 'all' }, RANGE, WHOLE)).toMatchObject([expected]);
});

test.each(SALESFORCE)('Salesforce: %s', async (_title, values, quirks, expected) => {
  const account = sandbox().salesforce.createAccount({ limits: null, quirks });
  const id = account.addRecord('deal', values);
  const deals = ports.open(salesforce, account).crm.of(DEAL);
  expect((await deals.findByIds([id], WHOLE)).get(id)).toMatchObject(expected);
  expect(await deals.readList({ by: 'all' }, RANGE, WHOLE)).toMatchObject([expected]);
});

/** Each filter finds what its own check accepts, and nothing else. */
describe.each([
  ['hubspot', hubspot, ['closedwon', 'closedlost', 'contractsent', 'appointmentscheduled']],
  ['salesforce', salesforce, ['Closed Won', 'Closed Lost', 'Prospecting', 'Value Proposition']],
] as const)('Filters of deals in %s', (name, provider, stages) => {
  const open = () => {
    const account = sandbox()[name].createAccount({ limits: null });
    for (let index = 0; index < 24; index += 1) {
      account.addRecord('deal', {
        name: `Deal ${index}`,
        dealstage: stages[index % stages.length] ?? null,
        pipeline: 'default',
        closedate: `2026-0${1 + (index % 6)}-15`,
        owner: String(1 + (index % 3)),
      });
    }
    return ports.open(provider, account).crm.of(DEAL);
  };

  test('find the deals that match, and count them', async () => {
    const deals = open();
    const all = await deals.readList({ by: 'all' }, RANGE, WHOLE);
    expect(all).toHaveLength(24);
    const [some] = all;
    const owner = { ownerId: some?.ownerId ?? '' };
    const inSpring = { closeDate: { from: '2026-02-01', to: '2026-04-15' } };
    const filters: readonly DealFilterInput[] = [
      { status: 'open' },
      { status: 'won' },
      { status: 'lost' },
      { stageId: some?.stage?.id },
      { pipelineId: some?.pipeline?.id },
      { pipelineId: 'none' },
      owner,
      inSpring,
      { closeDate: { from: '2026-05-15' } },
      { closeDate: { to: '2026-01-15' } },
      { status: 'open', ...owner, ...inSpring, pipelineId: some?.pipeline?.id },
      { status: 'won', stageId: some?.stage?.id, pipelineId: some?.pipeline?.id, ...owner },
    ];
    for (const given of filters) {
      const filter = dealFilters.read(given);
      if (filter.by !== 'where') throw new Error('Not a combination.');
      const expected = all.filter((deal) => dealFilters.matches(deal, filter));
      const found = await deals.readList(filter, RANGE, WHOLE);
      expect(
        found.map((one) => one.remoteId),
        JSON.stringify(given),
      ).toEqual(expected.map((one) => one.remoteId));
      expect(await deals.count(filter), JSON.stringify(given)).toBe(expected.length);
    }
  });
});
