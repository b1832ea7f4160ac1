import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import { byFilter, createClient, ids, SEARCH, type Send } from './client.ts';

let sandbox: Sandbox;
let send: Send;
let demo: Send;

beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
  send = createClient(sandbox, sandbox.hubspot.createAccount({ people: PEOPLE }));
  demo = createClient(sandbox, sandbox.hubspot.demo);
});
afterAll(() => sandbox.close());

const PEOPLE = [
  {
    firstName: 'Ada',
    email: 'Ada@Example.com',
    lifecycleStage: 'lead',
    companyIndex: 4,
    lastActivityAt: 1_700_000_000_000,
  },
  {
    firstName: 'ada',
    email: 'second@example.com',
    lifecycleStage: 'customer',
    secondaryEmails: ['Alias@example.com'],
  },
  { firstName: 'Grace', email: 'grace@mail.example.com', lifecycleStage: '', jobTitle: '' },
  { firstName: null, email: 'ada@example.com', custom: { favorite_color: 'green' } },
  { firstName: 'Gone', email: 'gone@example.com', isDeleted: true },
];

test.each([
  ['firstname', 'EQ', 'ADA', ['501', '502']],
  ['firstname', 'NEQ', 'ada', ['503']],
  ['lifecyclestage', 'EQ', 'LEAD', []],
  ['lifecyclestage', 'EQ', 'lead', ['501']],
  ['email', 'IN', ['ada@example.com', 'second@example.com'], ['501', '502']],
  ['email', 'IN', ['Ada@Example.com'], []],
  ['email', 'NOT_IN', ['ada@example.com'], ['502', '503']],
  ['email', 'HAS_PROPERTY', undefined, ['501', '502', '503']],
  ['email', 'NOT_HAS_PROPERTY', undefined, ['504']],
  ['jobtitle', 'NOT_HAS_PROPERTY', undefined, ['501', '502', '503', '504']],
  ['email', 'CONTAINS_TOKEN', '*@example.com', ['501', '502']],
  ['email', 'NOT_CONTAINS_TOKEN', '*@example.com', ['503', '504']],
  ['hs_email_domain', 'EQ', 'mail.example.com', ['503']],
  ['hs_additional_emails', 'EQ', 'alias@example.com', ['502']],
  ['hs_object_id', 'GT', '502', ['503', '504']],
  ['hs_object_id', 'LTE', 502, ['501', '502']],
  ['notes_last_updated', 'GTE', '1700000000000', ['501']],
  ['notes_last_updated', 'LT', '2023-11-14T22:13:20Z', []],
  ['associatedcompanyid', 'EQ', '5790939004', ['501']],
  ['favorite_color', 'EQ', 'Green', ['504']],
  ['email', 'EQ', 'gone@example.com', []],
])('the search filter %s %s %j matches as documented', async (name, operator, value, expected) => {
  expect(ids(await send(SEARCH, byFilter(name, operator, value)))).toEqual(expected);
});

test('BETWEEN includes both ends, filter groups are combined by OR, filters of a group by AND', async () => {
  const between = {
    propertyName: 'hs_object_id',
    operator: 'BETWEEN',
    value: '502',
    highValue: '503',
  };
  const grace = { propertyName: 'firstname', operator: 'EQ', value: 'grace' };
  expect(ids(await send(SEARCH, { filters: [between] }))).toEqual(['502', '503']);
  expect(ids(await send(SEARCH, { filterGroups: [{ filters: [between, grace] }] }))).toEqual([
    '503',
  ]);
  const groups = [{ filters: [grace] }, { filters: [{ ...grace, value: 'ada' }] }];
  expect(ids(await send(SEARCH, { filterGroups: groups }))).toEqual(['501', '502', '503']);
});

test('a query matches prefixes of words, and an empty search matches every contact', async () => {
  expect(ids(await send(SEARCH, { query: 'gra example' }))).toEqual(['503']);
  expect((await send(SEARCH, {})).body.total).toBe(4);
});

test('a record has three properties by default, null for unset ones, and ignores unknown ones', async () => {
  const { body } = await send(SEARCH, {
    ...byFilter('email', 'EQ', 'grace@mail.example.com'),
    properties: PROPERTIES,
  });
  expect(body.results[0]).toEqual({
    id: '503',
    properties: {
      createdate: '2023-01-02T09:30:00.250Z',
      lastmodifieddate: '2023-01-02T09:30:00.250Z',
      hs_object_id: '503',
      jobtitle: '',
      phone: null,
    },
    createdAt: '2023-01-02T09:30:00.250Z',
    updatedAt: '2023-01-02T09:30:00.250Z',
    archived: false,
    url: expect.stringMatching(/^https:\/\/app\.hubspot\.com\/contacts\/\d+\/record\/0-1\/503$/),
  });
  expect(body.paging).toBeUndefined();
});
const PROPERTIES = ['jobtitle', 'phone', 'no_such_property'];

test('search pages continue by an offset as a string, in the order of the first sort only', async () => {
  const sorts = ['-hs_object_id', { propertyName: 'firstname', direction: 'ASCENDING' }];
  const first = await send(SEARCH, { sorts, limit: '3' });
  expect(ids(first)).toEqual(['504', '503', '502']);
  expect(first.body).toMatchObject({ total: 4, paging: { next: { after: '3' } } });
  const second = await send(SEARCH, { sorts, limit: 3, after: '3' });
  expect(ids(second)).toEqual(['501']);
  expect(second.body.paging).toBeUndefined();
});

test('search paging ends at ten thousand results, and a filter by id continues from there', async () => {
  const everybody = byFilter('email', 'CONTAINS_TOKEN', '*@bigco.example');
  const last = await demo(SEARCH, {
    ...everybody,
    limit: 200,
    after: '9800',
    sorts: ['hs_object_id'],
  });
  expect(last.body.total).toBeGreaterThan(12_000);
  expect(ids(last)).toHaveLength(200);
  expect(
    await demo(SEARCH, { ...everybody, limit: 200, after: last.body.paging.next.after }),
  ).toMatchObject({
    status: 400,
    body: { category: 'VALIDATION_ERROR' },
  });
  const beyond = [{ propertyName: 'hs_object_id', operator: 'GT', value: ids(last).at(-1) }];
  const next = await demo(SEARCH, { filters: beyond, sorts: ['hs_object_id'] });
  expect(Number(ids(next)[0])).toBe(Number(ids(last).at(-1)) + 1);
});

const EQ = { propertyName: 'firstname', operator: 'EQ', value: 'x' };
const MESSAGE_OF_JACKSON = 'Cannot deserialize value of type';
test.each([
  ['a page of more than 200', { limit: 201 }, 'limit'],
  ['more than 5 groups', { filterGroups: Array(6).fill({ filters: [EQ] }) }, 'groups'],
  [
    'more than 6 filters in a group',
    { filterGroups: [{ filters: Array(7).fill(EQ) }] },
    'in a group',
  ],
  [
    'more than 18 filters',
    { filterGroups: Array(4).fill({ filters: Array(5).fill(EQ) }) },
    'filters',
  ],
  ['a cursor of the list', { after: 'NTI1Cg==' }, MESSAGE_OF_JACKSON],
  ['IN with one value', byFilter('email', 'IN', 'a@b.c'), 'Invalid input JSON on line'],
  ['an unknown operator', byFilter('email', 'LIKE', 'a'), MESSAGE_OF_JACKSON],
  ['an unknown property in a filter', byFilter('nope', 'EQ', 'a'), 'problem with the request'],
  ['a query of more than 3,000 characters', { query: 'x'.repeat(3_001) }, '3000'],
  ['a body that is a list', [], MESSAGE_OF_JACKSON],
])('a search with %s is 400', async (_what, body, message) => {
  const answer = await send(SEARCH, body);
  expect(answer).toMatchObject({
    status: 400,
    body: { status: 'error', correlationId: expect.any(String) },
  });
  expect(answer.body.message).toContain(message);
  expect(answer.headers.get('x-hubspot-correlation-id')).toBe(answer.body.correlationId);
});

test.each([
  '/crm/v3/objects/CONTACT',
  '/crm/v3/objects/0-1',
  '/crm/objects/2026-03/contacts',
  '/crm/objects/2026-09/contact',
])('%s is an alias of the same path', async (path) => {
  expect(ids(await send(`${path}/search`, byFilter('firstname', 'EQ', 'grace')))).toEqual(['503']);
});

test('an unknown object type is 400, without a category', async () => {
  const { status, body } = await send('/crm/v3/objects/unicorns/search', {});
  expect(status).toBe(400);
  expect(body).toEqual({
    status: 'error',
    message: 'Unable to infer object type from: unicorns',
    correlationId: expect.any(String),
  });
});
