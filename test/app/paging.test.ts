import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connected, connectAccount } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

const DOMAIN = 'crowd.example';
const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String) {
  searchContacts(filter: { emailDomain: "${DOMAIN}" }, first: $first, after: $after, last: $last, before: $before) {
    nodes { remoteId } totalCount pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }
}`;

/** Page sizes up to the maximum, each over more people than fit in one page, and in one page of the CRM. */
const SIZES = [
  { size: 1, people: 8 },
  { size: 2, people: 14 },
  { size: 50, people: 190 },
  { size: 200, people: 520 },
  { size: 1_000, people: 2_300 },
];

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce'] as const)('Pages of an email domain in %s', (provider) => {
  const connect = (customerId: string, people: number) =>
    connectAccount(crossbook, {
      provider,
      customerId: `${provider}-${customerId}`,
      people: Array.from({ length: people }, (_, index) => ({ email: `p.${index}@${DOMAIN}` })),
    });

  test.each(['forward', 'backward'] as const)(
    'paging %s repeats and skips no contact while contacts are added and deleted, for every page size',
    async (direction) => {
      await Promise.all(
        SIZES.map(async ({ size, people }) => {
          const connected = await connect(`${direction}-${size}`, people);
          const changes = createChanges(connected, { people, forward: direction === 'forward' });
          const seen: string[] = [];
          let cursor: string | null = null;
          for (let isMore = true; isMore; ) {
            const alive = changes.count();
            const page: Json = await readGraphQL(connected, { size, direction, cursor });
            const ids = page.nodes.map(({ remoteId }: Json) => remoteId);
            expect(page.totalCount).toBe(alive);
            expect(ids.length).toBeLessThanOrEqual(size);
            seen.push(...(direction === 'forward' ? ids : ids.toReversed()));
            isMore =
              direction === 'forward' ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage;
            if (isMore) expect(ids).toHaveLength(size);
            cursor = direction === 'forward' ? page.pageInfo.endCursor : page.pageInfo.startCursor;
            if (isMore) changes.make(seen.at(-1) ?? '');
          }
          expect(new Set(seen).size).toBe(seen.length);
          const stayed = direction === 'forward' ? changes.stayed() : changes.stayed().toReversed();
          expect(seen.filter((id) => stayed.includes(id))).toEqual(stayed);
          expect(seen.length).toBeGreaterThan(size);
        }),
      );
    },
  );

  test('REST cursors lead forward to the end and back over the same pages', async () => {
    const { account, headers } = await connect('rest', 47);
    const all = Array.from({ length: 47 }, (_, index) => account.recordId(index + 1));
    const ask = async (cursor: string | null): Promise<Json> => {
      const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `/contacts/_search?page_size=20${query}`;
      const { body } = await crossbook.rest(
        'POST',
        path,
        { filter: { email_domain: DOMAIN } },
        headers,
      );
      return { ids: body.records.map(({ id }: Json) => id), ...body.pagination };
    };
    const pages: Json[] = [await ask(null)];
    while (pages.at(-1).next !== null) pages.push(await ask(pages.at(-1).next));
    expect(pages.map(({ ids }) => ids)).toEqual([
      all.slice(0, 20),
      all.slice(20, 40),
      all.slice(40),
    ]);
    expect(pages.map(({ total_count: total }) => total)).toEqual([47, 47, 47]);
    expect(pages[0].previous).toBeNull();
    const middle = await ask(pages[2].previous);
    expect(middle.ids).toEqual(pages[1].ids);
    expect((await ask(middle.previous)).ids).toEqual(pages[0].ids);
  });
});

test('REST has a cursor exactly where GraphQL says that there is a page, also on an empty page', async () => {
  const people = Array.from({ length: 5 }, (_, index) => ({ email: `p.${index}@${DOMAIN}` }));
  const { headers } = await connectAccount(crossbook, {
    provider: 'hubspot',
    customerId: 'empty-pages',
    people,
  });
  const emails = people.map(({ email }) => email);
  for (const customer_id of ['b', 'c', 'd', 'e'])
    await crossbook.rest('PUT', '/customers', { customer_id, name: 'N', email: 'n@example.com' });
  const lists = [
    {
      path: (query: string) => ['POST', `/contacts/_search${query}`],
      body: { filter: { email_domain: DOMAIN } },
      field: `searchContacts(filter: { emailDomain: "${DOMAIN}" }, ARGS)`,
    },
    {
      path: (query: string) => ['POST', `/contacts/_search${query}`],
      body: { filter: { emails } },
      field: `searchContacts(filter: { emails: ${JSON.stringify(emails)} }, ARGS)`,
    },
    {
      path: (query: string) => ['GET', `/customers${query}`],
      body: undefined,
      field: 'customers(ARGS)',
    },
    {
      path: (query: string) => ['GET', `/events${query}`],
      body: undefined,
      field: 'events(ARGS)',
    },
  ];
  for (const { path, body, field } of lists) {
    const read = async (size: number, cursor?: string | null) => {
      const [method = '', url = ''] = path(
        `?page_size=${size}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      );
      const answer = (await crossbook.rest(method, url, body, headers)).body;
      expect(answer.errors, url).toBeUndefined();
      const after = cursor ? `, after: ${JSON.stringify(cursor)}` : '';
      const query = `{ list: ${field.replace('ARGS', `first: ${size}${after}`)} { pageInfo { hasNextPage hasPreviousPage } } }`;
      const { data } = await crossbook.execute(query, {}, headers);
      const { next, previous } = answer.pagination;
      expect(next !== null, `${field}: next`).toBe(data.list.pageInfo.hasNextPage);
      if (previous !== undefined)
        expect(previous !== null, `${field}: previous`).toBe(data.list.pageInfo.hasPreviousPage);
      return { records: answer.records, next, previous };
    };
    const first = await read(2);
    const start = await read(0);
    const middle = await read(0, first.next);
    expect([start.records, middle.records]).toEqual([[], []]);
    expect((await read(2, start.next)).records).toEqual(first.records);
    expect((await read(2, middle.next)).records).toEqual((await read(2, first.next)).records);
  }
});

async function readGraphQL(
  { headers }: Connected,
  { size, direction, cursor }: Step,
): Promise<Json> {
  const variables =
    direction === 'forward' ? { first: size, after: cursor } : { last: size, before: cursor };
  const { data, errors } = await crossbook.execute(PAGE, variables, headers);
  expect(errors).toBeUndefined();
  return data.searchContacts;
}

/** Between two pages contacts are added and deleted: ahead of the cursor, behind it, and at its position. */
function createChanges({ account }: Connected, { people, forward }: Crowd) {
  const alive = new Set(Array.from({ length: people }, (_, index) => account.recordId(index + 1)));
  const stayed = new Set(alive);
  let step = 0;
  const remove = (id: string | undefined) => {
    if (id === undefined || !account.removePerson(id)) return;
    alive.delete(id);
    stayed.delete(id);
  };
  return {
    make(boundary: string) {
      const ids = [...alive];
      const at = ids.indexOf(boundary);
      const [ahead, behind] = forward ? [at + 2, at - 1] : [at - 2, at + 1];
      if (step % 2 === 0) remove(boundary);
      remove(ids[ahead]);
      if (step % 3 === 0) remove(ids[behind]);
      // A new record has the largest id, so it is ahead of forward paging; additions stop so that paging ends.
      if (step < 3) alive.add(account.addPerson({ email: `late.${step}@${DOMAIN}` }));
      step += 1;
    },
    count: () => alive.size,
    stayed: () => [...stayed],
  };
}

interface Step {
  readonly size: number;
  readonly direction: 'forward' | 'backward';
  readonly cursor: string | null;
}

interface Crowd {
  readonly people: number;
  readonly forward: boolean;
}
