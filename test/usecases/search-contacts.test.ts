import { beforeEach, describe, expect, test } from 'vitest';
import { CrossbookError, type ErrorCode } from '../../src/domain/errors.ts';
import type { ContactField } from '../../src/domain/records/contact.ts';
import type { ContactFilterInput } from '../../src/domain/records/contact-filter.ts';
import type { RecordSearch } from '../../src/domain/records/record-search.ts';
import { searchContacts } from '../../src/usecases/search-contacts.ts';
import { createFakeServices, type FakeServices } from '../support/fake-services.ts';

const HOUR = 60 * 60 * 1000;
let fake: FakeServices;
let clock: number;

beforeEach(async () => {
  clock = Date.parse('2025-06-01T00:00:00.000Z');
  fake = await createFakeServices({ wall: () => clock });
});

describe('a search request', () => {
  test.each<{
    promise: string;
    headers: Record<string, string>;
    search?: Partial<RecordSearch<ContactFilterInput>>;
    code: ErrorCode;
  }>([
    {
      promise: 'a search without a caller is unauthorized, whatever else is wrong',
      headers: {},
      search: { filter: {} },
      code: 'UNAUTHORIZED',
    },
    {
      promise: 'a search without a customer is rejected',
      headers: { 'x-api-key': 'demo-key' },
      code: 'BAD_REQUEST',
    },
    {
      promise: 'a search without a provider is rejected',
      headers: demo({ 'x-provider-name': '' }),
      code: 'BAD_REQUEST',
    },
    {
      promise: 'an unknown provider is rejected',
      headers: demo({ 'x-provider-name': 'hotspur' }),
      code: 'BAD_REQUEST',
    },
    {
      promise: 'a customer of another application is not found',
      headers: demo({ 'x-api-key': 'other-key' }),
      code: 'NOT_FOUND',
    },
    {
      promise: 'an unknown customer is not found',
      headers: demo({ 'x-customer-id': 'nobody' }),
      code: 'NOT_FOUND',
    },
    {
      promise: 'a provider without contact search is not implemented',
      headers: demo({ 'x-provider-name': 'slack' }),
      code: 'NOT_IMPLEMENTED',
    },
    {
      promise: 'a token does not reach another customer',
      headers: token('demo-token', { 'x-customer-id': 'acme' }),
      code: 'FORBIDDEN',
    },
    {
      promise: 'a token does not reach a provider it is not for',
      headers: token('hubspot-token', { 'x-provider-name': 'salesforce' }),
      code: 'FORBIDDEN',
    },
    {
      promise: 'a filter has exactly one criterion',
      headers: demo(),
      search: { filter: { email: 'a@b.c', emailDomain: 'b.c' } },
      code: 'BAD_REQUEST',
    },
    {
      promise: 'an invalid email is rejected',
      headers: demo(),
      search: { filter: { email: 'ada' } },
      code: 'UNPROCESSABLE_ENTITY',
    },
    {
      promise: 'a page has at most a thousand',
      headers: demo(),
      search: { page: { size: 1001 } },
      code: 'BAD_REQUEST',
    },
    {
      promise: 'a page has no negative size',
      headers: demo(),
      search: { page: { size: -1 } },
      code: 'BAD_REQUEST',
    },
  ])('$promise', async ({ headers, search, code }) => {
    await expect(run(headers, search)).rejects.toMatchObject({ code });
    expect(fake.calls).toEqual([]);
  });

  test('the header of an unknown provider is answered with those that there are, as headers spell them', async () => {
    await expect(run(demo({ 'x-provider-name': 'Hubspot' }))).rejects.toThrow(
      /^The header x-provider-name is not a known provider\. Known providers: .*\bhubspot\b/,
    );
  });

  test.each(['salesforce', 'SALESFORCE'])(
    'the header names a provider as REST or as GraphQL spells it: %s',
    async (name) => {
      const page = await run(demo({ 'x-provider-name': name }));
      expect(page.source.provider).toBe('salesforce');
    },
  );

  test('a token determines the customer', async () => {
    const page = await run(token('demo-token', { 'x-provider-name': 'hubspot' }));
    expect(page.source.customerId).toBe('demo');
  });

  test('arguments take precedence over headers', async () => {
    const page = await run(demo({ 'x-provider-name': 'slack' }), { provider: 'salesforce' });
    expect(page.source.provider).toBe('salesforce');
  });
});

describe('cursors', () => {
  test('are valid only for the search that created them', async () => {
    const first = await run(demo(), { filter: { emailDomain: 'example.com' }, page: { size: 1 } });
    const [contact] = first.items;
    if (!contact) throw new Error('nobody at example.com');
    const cursor = first.cursorOf(contact, 'forward');
    const next = await run(demo(), {
      filter: { emailDomain: 'example.com' },
      page: { size: 1, cursor },
    });
    expect(next.items[0]?.remoteId).not.toBe(contact.remoteId);
    expect(next.hasPreviousPage).toBe(true);

    const refused = { code: 'BAD_REQUEST' };
    const elsewhere = { provider: 'salesforce', filter: { emailDomain: 'example.com' } } as const;
    await expect(run(demo(), { ...elsewhere, page: { cursor } })).rejects.toMatchObject(refused);
    await expect(
      run(demo(), { filter: { emailDomain: 'example.org' }, page: { cursor } }),
    ).rejects.toMatchObject(refused);
    await expect(
      run(demo(), { filter: { email: 'ada@example.com' }, page: { cursor: 'x' } }),
    ).rejects.toMatchObject(refused);
    const against = { cursor, direction: 'backward' } as const;
    await expect(
      run(demo(), { filter: { emailDomain: 'example.com' }, page: against }),
    ).rejects.toMatchObject(refused);
  });
});

describe('the cache', () => {
  test('is read only on request, with the age of its entry', async () => {
    const live = await run(demo());
    clock += HOUR / 6;
    const kept = await run(demo(), { readFromCache: true });
    expect(fake.calls).toHaveLength(1);
    expect(kept).toMatchObject({
      items: live.items,
      fetchedAt: live.fetchedAt,
      totalCount: live.totalCount,
    });
    await run(demo());
    expect(fake.calls).toHaveLength(2);
  });

  test('stores the complete page', async () => {
    const search = { filter: { emailDomain: 'example.com' }, page: { size: 1 } };
    for (const asked of [{}, search]) {
      const live = await run(demo(), asked);
      const ids = live.items.map(({ remoteId }) => remoteId);
      const kept = await run(demo(), { ...asked, readFromCache: true });
      expect(kept.items.map(({ remoteId }) => remoteId)).toEqual(ids);
      expect(ids).toHaveLength(1);
    }
  });

  test('fetches an entry again that is too old', async () => {
    await run(demo());
    clock += HOUR;
    const fresh = await run(demo(), { readFromCache: true });
    expect(fake.calls).toHaveLength(2);
    expect(fresh.fetchedAt).toBe(new Date(clock).toISOString());
  });

  test('replaces a provider that is down, with entries of a day at most', async () => {
    const live = await run(demo());
    fake.faults.set('hubspot', new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'down'));
    clock += 23 * HOUR;
    expect((await run(demo(), { readFromCache: true })).fetchedAt).toBe(live.fetchedAt);
    clock += 2 * HOUR;
    const refused = { code: 'REMOTE_PROVIDER_UNAVAILABLE' };
    await expect(run(demo(), { readFromCache: true })).rejects.toMatchObject(refused);
  });

  test('does not hide a bug by an old entry', async () => {
    await run(demo());
    fake.faults.set('hubspot', new TypeError('a bug'));
    clock += HOUR;
    await expect(run(demo(), { readFromCache: true })).rejects.toThrow('a bug');
  });

  test('does not use an entry without raw data for a search with raw data', async () => {
    await run(demo());
    const selection = { rawData: true, totalCount: true, needsPreviousPage: true };
    const page = await run(demo(), { readFromCache: true, selection });
    expect(page.items[0]?.rawData).not.toBeNull();
    expect(fake.calls).toHaveLength(2);
  });

  test('uses an entry with some fields only for searches of no other fields', async () => {
    const wanting = (...fields: ContactField[]) => ({
      rawData: false,
      totalCount: true,
      needsPreviousPage: true,
      fields: new Set(fields),
    });
    await run(demo(), { selection: wanting('firstName', 'ownerId') });
    await run(demo(), { readFromCache: true, selection: wanting('firstName') });
    expect(fake.calls).toHaveLength(1);
    const more = await run(demo(), {
      readFromCache: true,
      selection: wanting('firstName', 'lastName'),
    });
    expect(more.items[0]?.lastName).toBe('Lovelace');
    const all = await run(demo(), { readFromCache: true });
    expect(all.items[0]?.accountId).toBe('account-1');
    expect(fake.calls).toHaveLength(3);
    await run(demo(), { readFromCache: true, selection: wanting('lastName') });
    expect(fake.calls).toHaveLength(3);
  });
});

test('the total of a page that is the whole list takes no call', async () => {
  const page = await run(demo(), { filter: { emailDomain: 'example.com' }, page: { size: 1000 } });
  expect(page.totalCount).toBe(page.items.length);
  expect(fake.calls.map(({ method }) => method)).toEqual(['readList']);
});

async function run(
  headers: Record<string, string>,
  search: Partial<RecordSearch<ContactFilterInput>> = {},
) {
  const context = fake.openContext(new Headers(headers));
  return searchContacts(context, {
    filter: { email: fake.people[0]?.emailAddresses[0]?.emailAddress },
    page: {},
    readFromCache: false,
    selection: { rawData: false, totalCount: true, needsPreviousPage: true },
    ...search,
  });
}

function demo(headers: Record<string, string> = {}): Record<string, string> {
  return {
    'x-api-key': 'demo-key',
    'x-customer-id': 'demo',
    'x-provider-name': 'hubspot',
    ...headers,
  };
}

function token(name: string, headers: Record<string, string>): Record<string, string> {
  return { authorization: `Bearer ${name}`, ...headers };
}
