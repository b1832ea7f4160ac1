import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import { createClient, type Send } from './client.ts';

let sandbox: Sandbox;
let send: Send;

beforeAll(async () => {
  sandbox = await openSandbox();
  const people = [
    { companyIndex: 1, otherCompanyIndexes: [9], dealIndexes: [3] },
    {},
    { ticketIndexes: [5] },
  ];
  send = createClient(sandbox, sandbox.hubspot.createAccount({ people }));
});
afterAll(() => sandbox.close());

const inputs = [{ id: '501' }, { id: '502' }, { id: '404404' }];

test.each(['/crm/v4/associations/contacts/companies', '/crm/associations/2026-03/0-1/0-2'])(
  '%s gives numeric ids, marks the primary company by its type, and responds 207 when a contact has none',
  async (path) => {
    const { status, body } = await send(`${path}/batch/read`, { inputs });
    expect(status).toBe(207);
    expect(body.results).toEqual([
      {
        from: { id: '501' },
        to: [
          { toObjectId: 5_790_939_009, associationTypes: [UNLABELLED] },
          { toObjectId: 5_790_939_001, associationTypes: [UNLABELLED, PRIMARY] },
        ],
      },
    ]);
    expect(body.numErrors).toBe(2);
    expect(body.errors[0]).toEqual({
      status: 'error',
      category: 'OBJECT_NOT_FOUND',
      subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
      message: 'No company is associated with contact 502.',
      context: { fromObjectId: ['502'], fromObjectType: ['contact'], toObjectType: ['company'] },
    });
  },
);
const UNLABELLED = { category: 'HUBSPOT_DEFINED', typeId: 279, label: null };
const PRIMARY = { category: 'HUBSPOT_DEFINED', typeId: 1, label: 'Primary' };

test('deals and tickets are associated too', async () => {
  const deals = await send('/crm/v4/associations/contact/deal/batch/read', {
    inputs: [{ id: '501' }],
  });
  expect(deals).toMatchObject({
    status: 200,
    body: { results: [{ to: [{ toObjectId: 9_100_000_003 }] }] },
  });
  const tickets = await send('/crm/v4/associations/contact/ticket/batch/read', {
    inputs: [{ id: '503' }],
  });
  expect(tickets).toMatchObject({
    status: 200,
    body: { results: [{ to: [{ toObjectId: 7_200_000_005 }] }] },
  });
});

test('an association batch takes a thousand inputs, and is 400 with one more, as a bare list, or with unknown types', async () => {
  const path = '/crm/v4/associations/contacts/companies/batch/read';
  const many = Array.from({ length: 1_001 }, (_, position) => ({ id: String(position) }));
  expect((await send(path, { inputs: many.slice(1) })).status).toBe(207);
  expect((await send(path, { inputs: many })).status).toBe(400);
  expect((await send(path, inputs)).status).toBe(400);
  expect((await send('/crm/v4/associations/contacts/unicorns/batch/read', { inputs })).status).toBe(
    400,
  );
});
