import { expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import { CONTACT } from '../../src/domain/records/contact.ts';
import { createFakePeople } from '../support/fake-people.ts';
import { DEMO, openRest } from './open-rest.ts';

const SEARCH = '/contacts/_search';
const ADA = { filter: { email: 'ada@example.com' } };
const EVERYBODY = { filter: { email_domain: 'example.com' } };

test('a record has every field of the contact, under its name', async () => {
  const { ask } = await openRest();
  const { body } = await ask('POST', `${SEARCH}?include_raw_data=true`, { body: ADA });
  const { remoteId, ...person } = createFakePeople(1)[0] as Contact;
  expect(body.pagination).toEqual({ next: null, previous: null, total_count: 1 });
  expect(body.records).toStrictEqual([toSnakeCase({ id: remoteId, ...person })]);
});

test('raw data is in the response only on request', async () => {
  const { ask, fake } = await openRest();
  for (const query of ['', '?include_raw_data=false']) {
    const { body } = await ask('POST', `${SEARCH}${query}`, { body: ADA });
    expect(body.records[0]).not.toHaveProperty('raw_data');
  }
  expect(fake.calls.map(({ selection }) => selection?.rawData)).toEqual([false, false]);
});

test.each([
  'associations_to_fetch=company,deal',
  'associations_to_fetch=company&associations_to_fetch=deal,deal',
])(
  '%s gives a list of ids for each object, with one call per object for all contacts',
  async (query) => {
    const { ask, fake } = await openRest();
    const { body } = await ask('POST', `${SEARCH}?${query}&page_size=3`, { body: EVERYBODY });
    expect(body.records.map((record: { associations: unknown }) => record.associations)).toEqual(
      ['1', '2', '3'].map((id) => ({ company: [`company-of-${id}`], deal: [`deal-of-${id}`] })),
    );
    const calls = fake.calls.filter(({ method }) => method === 'findAssociations');
    expect(calls.map(({ keys }) => keys)).toEqual(Array(2).fill(['1', '2', '3']));
  },
);

test('a search whose contacts cannot be counted fetches no associations', async () => {
  const { ask, fake } = await openRest();
  const open = fake.services.openCrmPort;
  const count = () => Promise.reject(new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'down'));
  Object.assign(fake.services, {
    openCrmPort(...asked: Parameters<typeof open>) {
      const port = open(...asked);
      return { ...port, of: () => ({ ...port.of(CONTACT), count }) };
    },
  });
  const query = 'associations_to_fetch=company&page_size=3';
  const { body } = await ask('POST', `${SEARCH}?${query}`, { body: EVERYBODY });
  expect(body.errors[0].code).toBe('REMOTE_PROVIDER_UNAVAILABLE');
  expect(fake.calls.map(({ method }) => method)).not.toContain('findAssociations');
});

test('a listing of several pages is counted once, by its first page', async () => {
  const { ask, fake } = await openRest();
  for (let cursor = ''; cursor !== null; ) {
    const query = new URLSearchParams({ page_size: '7', ...(cursor && { cursor }) });
    const { pagination } = (await ask('POST', `${SEARCH}?${query}`, { body: EVERYBODY })).body;
    expect(pagination.total_count).toBe(30);
    cursor = pagination.next;
  }
  const called = fake.calls.map(({ method }) => method);
  expect(called.filter((method) => method === 'count')).toHaveLength(1);
  expect(called.filter((method) => method === 'readList')).toHaveLength(5);
});

test('associations that fail are named in associations_errors, and the contacts come with the others', async () => {
  const { ask, fake } = await openRest();
  const open = fake.services.openCrmPort;
  const refusal = new CrossbookError('REMOTE_PROVIDER_FORBIDDEN', 'The scope is missing.');
  Object.assign(fake.services, {
    openCrmPort(...asked: Parameters<typeof open>) {
      const port = open(...asked);
      const contacts = port.of(CONTACT);
      const related: typeof contacts.related = (ids, to) =>
        to === 'deal' ? contacts.related(ids, to) : Promise.reject(refusal);
      return { ...port, of: () => ({ ...contacts, related }) };
    },
  });
  const query = 'associations_to_fetch=company,deal,ticket&page_size=2';
  const { status, body } = await ask('POST', `${SEARCH}?${query}`, { body: EVERYBODY });
  expect(status).toBe(200);
  expect(body.records.map((record: { associations: unknown }) => record.associations)).toEqual([
    { deal: ['deal-of-1'] },
    { deal: ['deal-of-2'] },
  ]);
  const meta = { origin: 'crossbook', application_name: 'Demo', retryable: false };
  expect(body.associations_errors).toMatchObject([
    { code: 'REMOTE_PROVIDER_FORBIDDEN', status: '499', meta: { ...meta, association: 'company' } },
    { code: 'REMOTE_PROVIDER_FORBIDDEN', status: '499', meta: { ...meta, association: 'ticket' } },
  ]);
  const { body: without } = await ask('POST', SEARCH, { body: EVERYBODY });
  expect(without).not.toHaveProperty('associations_errors');
});

test('a provider without associations gives empty lists', async () => {
  const { ask } = await openRest();
  const headers = { ...DEMO, 'x-provider-name': 'salesforce' };
  const { body } = await ask('POST', `${SEARCH}?associations_to_fetch=company`, {
    headers,
    body: ADA,
  });
  expect(body.records[0].associations).toEqual({ company: [] });
});

test('associations are neither fetched nor returned when the cache is read', async () => {
  const { ask, fake } = await openRest();
  const query = 'read_from_cache=true&associations_to_fetch=company';
  const { body } = await ask('POST', `${SEARCH}?${query}`, { body: ADA });
  expect(body.records[0]).not.toHaveProperty('associations');
  expect(fake.calls.map(({ method }) => method)).toEqual(['findByEmails']);
});

test('a second search reads the cached result of the first, and returns its age', async () => {
  const { ask, fake } = await openRest();
  const first = await ask('POST', SEARCH, { body: ADA });
  const second = await ask('POST', `${SEARCH}?read_from_cache=true`, { body: ADA });
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('x-fetched-at')).toBe(first.headers.get('x-fetched-at'));
  expect(fake.calls).toHaveLength(1);
});

test.each([
  ['a domain', EVERYBODY],
  ['a list of emails', { filter: { emails: createFakePeople(30).flatMap(emailsOf) } }],
])('the cursors of %s lead to the end and back, without repeats', async (_, body) => {
  const { ask } = await openRest();
  const forward = await follow('next');
  expect(forward).toEqual(Array.from({ length: 30 }, (_, index) => String(index + 1)));

  async function follow(direction: 'next' | 'previous') {
    const ids: string[] = [];
    let cursor: string | null | undefined;
    let last: string | undefined;
    do {
      const query = new URLSearchParams({ page_size: '7', ...(cursor && { cursor }) });
      const { pagination, records } = (await ask('POST', `${SEARCH}?${query}`, { body })).body;
      expect(pagination.total_count).toBe(30);
      if (last) expect((await page(pagination.previous)).at(-1)).toBe(last);
      else expect(pagination.previous).toBeNull();
      ids.push(...records.map(({ id }: { id: string }) => id));
      last = ids.at(-1);
      cursor = pagination[direction];
    } while (cursor);
    return ids;
  }

  async function page(cursor: string): Promise<string[]> {
    const query = new URLSearchParams({ page_size: '7', cursor });
    const answer = await ask('POST', `${SEARCH}?${query}`, { body });
    return answer.body.records.map(({ id }: { id: string }) => id);
  }
});

test('a cursor of another filter is rejected', async () => {
  const { ask } = await openRest();
  const { next } = (await ask('POST', `${SEARCH}?page_size=1`, { body: EVERYBODY })).body
    .pagination;
  expect((await ask('POST', `${SEARCH}?cursor=${next}`, { body: ADA })).status).toBe(400);
});

test('a search without results is a success', async () => {
  const { ask } = await openRest();
  const { status, body } = await ask('POST', SEARCH, {
    body: { filter: { email: 'nobody@nowhere.org' } },
  });
  expect([status, body]).toEqual([
    200,
    { pagination: { next: null, previous: null, total_count: 0 }, records: [] },
  ]);
});

function emailsOf({ emailAddresses }: Pick<Contact, 'emailAddresses'>): string[] {
  return emailAddresses.map(({ emailAddress }) => emailAddress);
}

/** What is null is left out, but for the second line of a street. Raw data is the provider's, and keeps its own names. */
function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => inner !== null || name === 'street2')
      .map(([name, inner]) => [
        name.replaceAll(/[A-Z]|\d/g, (letter) => `_${letter.toLowerCase()}`),
        name === 'rawData' ? inner : toSnakeCase(inner),
      ]),
  );
}
