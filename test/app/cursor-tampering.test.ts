import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAccount } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

const DOMAIN = 'crowd.example';
const PEOPLE = Array.from({ length: 5 }, (_, index) => ({ email: `p.${index}@${DOMAIN}` }));
const PAGE = `query ($filter: ContactFilter!, $after: String) {
  searchContacts(filter: $filter, first: 2, after: $after) { nodes { remoteId } pageInfo { endCursor } }
}`;
const EITHER_WAY = `query ($domain: String!, $first: Int, $after: String, $last: Int, $before: String) {
  searchContacts(filter: { emailDomain: $domain }, first: $first, after: $after, last: $last, before: $before) {
    nodes { remoteId }
  }
}`;

let crossbook: TestApp;
let headers: Record<string, string>;
let otherHeaders: Record<string, string>;
beforeAll(async () => {
  crossbook = await openApp();
  const open = async (customerId: string) =>
    (await connectAccount(crossbook, { provider: 'salesforce', people: PEOPLE, customerId }))
      .headers;
  headers = await open('one');
  otherHeaders = await open('other');
});
afterAll(() => crossbook.close());

describe.each(['GraphQL', 'REST'])('A cursor in %s', (api) => {
  const ask = (cursor: string | null, options: Asked = {}) =>
    (api === 'REST' ? askRest : askGraphQL)(cursor, options);

  test('gives the next page when it was not modified', async () => {
    const { cursor } = await ask(null);
    expect(await ask(cursor)).toMatchObject({ status: '200', count: 2 });
  });

  test('is 400 with any single bit flipped', async () => {
    const { cursor } = await ask(null);
    const refused = new Set<string>();
    for (const [index, character] of [...(cursor ?? '')].entries()) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = String.fromCharCode(character.charCodeAt(0) ^ (1 << bit));
        const tampered = `${cursor?.slice(0, index)}${changed}${cursor?.slice(index + 1)}`;
        const { status } = await ask(tampered);
        if (status !== '400')
          throw new Error(`${status} for ${JSON.stringify(tampered)}, not ${cursor}`);
        refused.add(tampered);
      }
    }
    expect(refused.size).toBe((cursor?.length ?? 0) * 8);
    expect(refused.size).toBeGreaterThan(400);
  });

  test('is 400 when it was truncated, lengthened, or spliced from two cursors', async () => {
    const { cursor: first } = await ask(null);
    const { cursor: second } = await ask(first);
    if (first === null || second === null) throw new Error('There are no cursors.');
    const macAt = first.lastIndexOf('.');
    const mixed = [
      first.slice(0, macAt) + second.slice(macAt),
      second.slice(0, macAt) + first.slice(macAt),
    ];
    const malformed = [
      ` ${first}`,
      `${first}=`,
      `${first}A`,
      first.slice(0, -1),
      first.slice(1),
      first + first,
    ];
    for (const cursor of [
      ...mixed,
      ...malformed,
      'x',
      '.',
      'test.',
      'A'.repeat(5_000),
      first.toUpperCase(),
    ]) {
      expect((await ask(cursor)).status, cursor).toBe('400');
    }
  });

  test('is 400 with another filter, customer or provider', async () => {
    const { cursor } = await ask(null);
    const statuses = [
      await ask(cursor, { filter: 'other.example' }),
      await ask(cursor, { headers: otherHeaders }),
      await ask(cursor, { headers: { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' } }),
      await ask(cursor, { headers: { 'x-customer-id': 'demo', 'x-provider-name': 'salesforce' } }),
    ].map(({ status }) => status);
    expect(statuses).toEqual(['400', '400', '400', '400']);
  });
});

describe('A cursor of a REST page contains its direction, which', () => {
  test('cannot be changed: the signature no longer matches', async () => {
    const { previous } = await readMiddle();
    expect((await askRest(previous)).status).toBe('200');
    const [version, key, payload = '', mac] = previous.split('.');
    const position = Buffer.from(payload, 'base64url').toString();
    expect(position.charAt(0)).toBe('b');
    for (const direction of ['f', ' ', 'x', '']) {
      const changed = Buffer.from(direction + position.slice(1)).toString('base64url');
      expect((await askRest([version, key, changed, mac].join('.'))).status, direction).toBe('400');
    }
  });

  test('is checked by GraphQL’s after and before too', async () => {
    const { next, previous } = await readMiddle();
    const lead = async (variables: object) => {
      const { data, errors } = await crossbook.execute(
        EITHER_WAY,
        { domain: DOMAIN, ...variables },
        headers,
      );
      return errors?.[0].message ?? data.searchContacts.nodes.length;
    };
    expect(await lead({ first: 2, after: next })).toBe(1);
    expect(await lead({ last: 2, before: previous })).toBe(2);
    expect(await lead({ last: 2, before: next })).toBe('The cursor pages forward, not backward.');
    expect(await lead({ first: 2, after: previous })).toBe(
      'The cursor pages backward, not forward.',
    );
  });
});

async function readMiddle(): Promise<{ next: string; previous: string }> {
  const { cursor } = await askRest(null);
  const query = `page_size=2&cursor=${encodeURIComponent(cursor ?? '')}`;
  const filter = { email_domain: DOMAIN };
  const { body } = await crossbook.rest('POST', `/contacts/_search?${query}`, { filter }, headers);
  return body.pagination;
}

async function askGraphQL(
  after: string | null,
  { filter = DOMAIN, headers: sent = headers }: Asked,
) {
  const variables = { filter: { emailDomain: filter }, after };
  const { data, errors } = await crossbook.execute(PAGE, variables, sent);
  return toOutcome(errors?.[0].extensions.status, data?.searchContacts?.nodes, () => ({
    cursor: data.searchContacts.pageInfo.endCursor,
  }));
}

async function askRest(
  cursor: string | null,
  { filter = DOMAIN, headers: sent = headers }: Asked = {},
) {
  const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const path = `/contacts/_search?page_size=2${query}`;
  const { body } = await crossbook.rest('POST', path, { filter: { email_domain: filter } }, sent);
  return toOutcome(body.errors?.[0].status, body.records, () => ({ cursor: body.pagination.next }));
}

function toOutcome(
  refused: string | undefined,
  items: Json,
  found: () => { cursor: string | null },
) {
  if (refused !== undefined) return { status: refused, count: 0, cursor: null };
  return { status: '200', count: items.length as number, ...found() };
}

interface Asked {
  readonly filter?: string;
  readonly headers?: Record<string, string>;
}
