import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAccount } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

const DOMAIN = 'crowd.example';
const PEOPLE = Array.from({ length: 5 }, (_, index) => ({ email: `p.${index}@${DOMAIN}` }));
const PAGE = `query ($filter: ContactFilter!, $after: String) {
  searchContacts(filter: $filter, first: 2, after: $after) { nodes { remoteId } pageInfo { endCursor } }
}`;

let crossbook: TestApp;
let headers: Record<string, string>;
let otherHeaders: Record<string, string>;
beforeAll(async () => {
  crossbook = await openApp();
  const open = async (customerId: string) =>
    (await connectAccount(crossbook, { provider: 'salesforce', people: PEOPLE, customerId })).headers;
  headers = await open('one');
  otherHeaders = await open('other');
});
afterAll(() => crossbook.close());

describe.each(['GraphQL', 'REST'])('a cursor in %s', (face) => {
  const ask = (cursor: string | null, asked: Asked = {}) =>
    (face === 'REST' ? askRest : askGraphQL)(cursor, asked);

  test('leads on where nothing was changed', async () => {
    const { cursor } = await ask(null);
    expect(await ask(cursor)).toMatchObject({ status: '200', count: 2 });
  });

  test('of which any one bit was changed is 400', async () => {
    const { cursor } = await ask(null);
    const refused = new Set<string>();
    for (const [index, character] of [...(cursor ?? '')].entries()) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = String.fromCharCode(character.charCodeAt(0) ^ (1 << bit));
        const tampered = `${cursor?.slice(0, index)}${changed}${cursor?.slice(index + 1)}`;
        const { status } = await ask(tampered);
        if (status !== '400') throw new Error(`${status} for ${JSON.stringify(tampered)}, not ${cursor}`);
        refused.add(tampered);
      }
    }
    expect(refused.size).toBe((cursor?.length ?? 0) * 8);
    expect(refused.size).toBeGreaterThan(400);
  });

  test('that was cut, lengthened, or put together of two is 400', async () => {
    const { cursor: first } = await ask(null);
    const { cursor: second } = await ask(first);
    if (first === null || second === null) throw new Error('There are no cursors.');
    const macAt = first.lastIndexOf('.');
    const mixed = [first.slice(0, macAt) + second.slice(macAt), second.slice(0, macAt) + first.slice(macAt)];
    const odd = [` ${first}`, `${first}=`, `${first}A`, first.slice(0, -1), first.slice(1), first + first];
    for (const cursor of [...mixed, ...odd, 'x', '.', 'test.', 'A'.repeat(5_000), first.toUpperCase()]) {
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

async function askGraphQL(after: string | null, { filter = DOMAIN, headers: sent = headers }: Asked) {
  const variables = { filter: { emailDomain: filter }, after };
  const { data, errors } = await crossbook.execute(PAGE, variables, sent);
  return toOutcome(errors?.[0].extensions.status, data?.searchContacts?.nodes, () => ({
    cursor: data.searchContacts.pageInfo.endCursor,
  }));
}

async function askRest(cursor: string | null, { filter = DOMAIN, headers: sent = headers }: Asked) {
  const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const path = `/contacts/_search?page_size=2${query}`;
  const { body } = await crossbook.rest('POST', path, { filter: { email_domain: filter } }, sent);
  return toOutcome(body.errors?.[0].status, body.records, () => ({ cursor: body.pagination.next }));
}

function toOutcome(refused: string | undefined, items: Json, found: () => { cursor: string | null }) {
  if (refused !== undefined) return { status: refused, count: 0, cursor: null };
  return { status: '200', count: items.length as number, ...found() };
}

interface Asked {
  readonly filter?: string;
  readonly headers?: Record<string, string>;
}
