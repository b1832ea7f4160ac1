import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import { BATCH_READ, createClient, ids, type Send } from './client.ts';

let sandbox: Sandbox;
let send: Send;

beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
  send = createClient(sandbox, sandbox.hubspot.demo);
});
afterAll(() => sandbox.close());

function byEmail(...emails: readonly string[]): object {
  return {
    idProperty: 'email',
    properties: ['email', 'hs_additional_emails'],
    inputs: emails.map((id) => ({ id })),
  };
}

test('a complete batch is 200, in an arbitrary order', async () => {
  const answer = await send(BATCH_READ, byEmail('ada@example.com', 'ADA+crm@example.com'));
  expect(answer).toMatchObject({ status: 200, body: { status: 'COMPLETE' } });
  expect(ids(answer)).toEqual(['503', '501']);
  expect(answer.body).not.toHaveProperty('numErrors');
});

test('a batch with missing records is 207, with one error that lists them all', async () => {
  const answer = await send(
    BATCH_READ,
    byEmail('no@one.example', 'ada@example.com', 'not@there.example'),
  );
  expect(answer.status).toBe(207);
  expect(ids(answer)).toEqual(['501']);
  expect(answer.body).toMatchObject({ status: 'COMPLETE', numErrors: 1 });
  expect(answer.body.errors).toEqual([
    {
      status: 'error',
      category: 'OBJECT_NOT_FOUND',
      message:
        'Could not get some CONTACT objects, they may be deleted or not exist. Check that ids are valid.',
      context: { ids: ['no@one.example', 'not@there.example'] },
    },
  ]);
});

test('a batch that finds nothing is 207 with no results', async () => {
  expect(await send(BATCH_READ, byEmail('no@one.example'))).toMatchObject({
    status: 207,
    body: { results: [] },
  });
});

test('a secondary email finds its contact once', async () => {
  const answer = await send(BATCH_READ, byEmail('grace.hopper@navy.example', 'GRACE@example.com'));
  expect(ids(answer)).toEqual(['502']);
  expect(answer.body.results[0].properties).toMatchObject({
    email: 'grace@example.com',
    hs_additional_emails: 'grace.hopper@navy.example;rear.admiral@navy.example',
  });
});

test('an email belongs to one contact only: the other people who share it have none', async () => {
  expect(ids(await send(BATCH_READ, byEmail('team@shared.example')))).toEqual(['513']);
  const others = await send(BATCH_READ, {
    properties: ['email'],
    inputs: [{ id: '514' }, { id: '515' }],
  });
  expect(others.body.results.map((one: { properties: object }) => one.properties)).toEqual([
    expect.objectContaining({ email: null }),
    expect.objectContaining({ email: null }),
  ]);
});

test('a batch without idProperty reads by id, and returns deleted records only with archived', async () => {
  const account = sandbox.hubspot.createAccount({
    people: [{ email: 'a@a.example' }, { email: 'b@b.example', isDeleted: true }],
  });
  const read = createClient(sandbox, account);
  const inputs = [{ id: '501' }, { id: '502' }, { id: 'x' }];
  expect(ids(await read(BATCH_READ, { inputs }))).toEqual(['501']);
  const archived = await read(`${BATCH_READ}?archived=true`, { inputs });
  expect(ids(archived)).toEqual(['502']);
  expect(archived.body.results[0]).toMatchObject({
    archived: true,
    archivedAt: expect.any(String),
  });
});

test('a batch takes a hundred inputs, and is 400 with one more or with an idProperty that is not unique', async () => {
  const many = Array.from({ length: 101 }, (_, position) => `nobody.${position}@none.example`);
  expect((await send(BATCH_READ, byEmail(...many.slice(1)))).status).toBe(207);
  expect((await send(BATCH_READ, byEmail(...many))).status).toBe(400);
  expect(
    (await send(BATCH_READ, { idProperty: 'firstname', inputs: [{ id: 'Ada' }] })).status,
  ).toBe(400);
});

test('a contact is read by id or by email, with its companies on request', async () => {
  const path = '/crm/v3/objects/contacts';
  const byId = await send(`${path}/501?properties=email,phone&associations=companies,deals`);
  expect(byId.body).toMatchObject({
    id: '501',
    properties: { email: 'ada@example.com', phone: '+44 20 7946 0001' },
    associations: {
      companies: {
        results: expect.arrayContaining([{ id: '5790939001', type: 'contact_to_company' }]),
      },
    },
  });
  expect((await send(`${path}/ada%2Bcrm%40example.com?idProperty=email`)).body.id).toBe('503');
  expect(await send(`${path}/999999`)).toMatchObject({
    status: 404,
    body: { category: 'OBJECT_NOT_FOUND' },
  });
});

test('a list continues after the last id, and its last page has no paging', async () => {
  const account = sandbox.hubspot.createAccount({ people: [{}, {}, { isDeleted: true }, {}] });
  const list = createClient(sandbox, account);
  const first = await list('/crm/objects/2026-03/contacts?limit=2');
  expect(ids(first)).toEqual(['501', '502']);
  const second = await list(
    `/crm/v3/objects/contacts?limit=2&after=${first.body.paging.next.after}`,
  );
  expect(ids(second)).toEqual(['504']);
  expect(second.body.paging).toBeUndefined();
});
