import { SPECIAL_PEOPLE } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toRestRecord } from './to-rest-record.ts';

const PEOPLE = 600;
const CONTACT = `remoteId accountId ownerId firstName lastName
  addresses { addressType street1 street2 city state postalCode country }
  emailAddresses { emailAddress emailAddressType } phoneNumbers { phoneNumber phoneNumberType }
  lifecycleStage lastActivityAt createdAt updatedAt lastModifiedAt isDeleted`;
const SEARCH = `query ($filter: ContactFilter!, $first: Int, $after: String, $more: Boolean!) {
  searchContacts(filter: $filter, first: $first, after: $after) {
    nodes { ${CONTACT} ... @include(if: $more) { rawData associations(to: [COMPANY, DEAL, TICKET]) { object remoteId } } }
    pageInfo { hasNextPage hasPreviousPage endCursor } totalCount fetchedAt
  }
}`;

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce'])(
  'The same search through GraphQL and REST, %s:',
  (provider) => {
    test('returns the same values for hundreds of people, field by field', async () => {
      const emails = emailsOf(crossbook);
      const { nodes, totalCount } = await searchGraphQL(provider, {
        filter: { emails },
        first: 1_000,
      });
      const { records, pagination } = await searchRest(provider, { emails }, '?page_size=1000');
      expect(records.length).toBeGreaterThan(500);
      expect(nodes.map(toRestRecord)).toEqual(records);
      expect([pagination.total_count, pagination.next]).toEqual([totalCount, null]);
      // Every field is set in some record and unset in another.
      for (const name of Object.keys(records[0])) {
        const values = records.map((record: Json) => record[name]).filter(isSomething);
        const isNever = provider === 'salesforce' && name === 'lifecycle_stage';
        if (name !== 'is_deleted') expect([name, values.length > 0]).toEqual([name, !isNever]);
      }
    });

    test('returns the same raw records of the provider, and the same associations', async () => {
      const emails = emailsOf(crossbook).slice(0, 200);
      const graphql = await searchGraphQL(provider, {
        filter: { emails },
        first: 1_000,
        more: true,
      });
      const query =
        '?page_size=1000&include_raw_data=true&associations_to_fetch=company,deal,ticket';
      const rest = await searchRest(provider, { emails }, query);
      expect(rest.records.length).toBeGreaterThan(100);
      const asRest = graphql.nodes.map(({ associations, ...node }: Json) => ({
        ...toRestRecord(node),
        associations: Object.fromEntries(
          ['company', 'deal', 'ticket'].map((object) => [object, idsOf(associations, object)]),
        ),
      }));
      expect(asRest).toEqual(rest.records);
      expect(rest.records.some(({ raw_data }: Json) => Object.keys(raw_data).length > 3)).toBe(
        true,
      );
      const linked = rest.records.some(({ associations }: Json) => associations.deal.length > 0);
      expect(linked).toBe(provider === 'hubspot');
    });

    test('returns the same person for each email of unusual form', async () => {
      for (const email of SPECIAL_PEOPLE.flatMap(({ email }) => (email ? [email] : []))) {
        const { nodes, totalCount } = await searchGraphQL(provider, { filter: { email } });
        const { records, pagination } = await searchRest(provider, { email });
        expect(nodes.map(toRestRecord), email).toEqual(records);
        expect(pagination).toEqual({ next: null, previous: null, total_count: totalCount });
      }
    });

    test('returns the same pages of an email domain, to the end', async () => {
      let after: string | null = null;
      let cursor: string | null = null;
      for (let page = 0; page < 3; page += 1) {
        const filter = { emailDomain: 'example.com' };
        const graphql = await searchGraphQL(provider, { filter, first: 7, after });
        const at = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const rest = await searchRest(
          provider,
          { email_domain: 'example.com' },
          `?page_size=7${at}`,
        );
        expect(graphql.nodes.map(toRestRecord)).toEqual(rest.records);
        expect(rest.pagination.total_count).toBe(graphql.totalCount);
        expect(rest.pagination.next !== null).toBe(graphql.pageInfo.hasNextPage);
        expect(rest.pagination.previous !== null).toBe(graphql.pageInfo.hasPreviousPage);
        after = graphql.pageInfo.endCursor;
        cursor = rest.pagination.next;
        if (cursor === null) break;
      }
    });

    test.each([
      [{ email: 'nobody' }, { email: 'nobody' }],
      [{ emailDomain: 'no domain' }, { email_domain: 'no domain' }],
      [{ emails: ['ada@example.com', '@'] }, { emails: ['ada@example.com', '@'] }],
    ])('rejects %j with the same message', async (filter, restFilter) => {
      const sent = { filter, more: false };
      const { errors } = await crossbook.execute(SEARCH, sent, { 'x-provider-name': provider });
      const { body } = await askRest(provider, restFilter, '');
      const [{ id: _, ...one }, { id: __, ...other }] = [errors[0].extensions, body.errors[0]];
      expect(one).toEqual(other);
    });
  },
);

async function searchGraphQL(provider: string, variables: Json): Promise<Json> {
  const { data, errors } = await crossbook.execute(
    SEARCH,
    { more: false, ...variables },
    { 'x-provider-name': provider },
  );
  expect(errors).toBeUndefined();
  return data.searchContacts;
}

async function searchRest(provider: string, filter: Json, query = ''): Promise<Json> {
  const { status, body } = await askRest(provider, filter, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

function askRest(provider: string, filter: Json, query: string) {
  return crossbook.rest(
    'POST',
    `/contacts/_search${query}`,
    { filter },
    { 'x-provider-name': provider },
  );
}

/** Of the first people of the demo: the unusual ones come first. */
function emailsOf({ sandbox }: TestApp): readonly string[] {
  const emails = new Set<string>();
  for (const { email } of sandbox.hubspot.demo.people.all()) {
    if (email && emails.size < PEOPLE) emails.add(email.trim().toLowerCase());
  }
  return [...emails];
}

function idsOf(associations: Json, wanted: string): readonly string[] {
  return associations
    .filter(({ object }: Json) => object.toLowerCase() === wanted)
    .map(({ remoteId }: Json) => remoteId);
}

function isSomething(value: Json): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}
