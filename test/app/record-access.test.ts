import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECORD_TYPES } from '../../src/domain/records/record-type.ts';
import { callTool } from '../mcp/ask-mcp.ts';
import { consent, openBrowser } from '../support/connect-browser.ts';
import { type ConnectWorld, openConnectWorld, type WorldLink } from '../support/connect-world.ts';
import type { Json } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const PATHS: Readonly<Record<string, string>> = {
  CONTACT: 'contacts',
  COMPANY: 'companies',
  DEAL: 'deals',
};
const FIELDS: Readonly<Record<string, string>> = {
  CONTACT: 'searchContacts',
  COMPANY: 'searchCompanies',
  DEAL: 'searchDeals',
};
const NAMES = RECORD_TYPES.map((type) => type.toLowerCase());

let world: ConnectWorld;
beforeAll(async () => {
  world = await openConnectWorld(undefined, {
    mcp: { allowsKeys: true, writes: false, text: true, issuer: undefined },
  });
});
afterAll(() => world.close());

describe.each(['hubspot', 'salesforce'])('A connection to %s', (provider) => {
  test.each(RECORD_TYPES)(
    'that was granted %s reads these records, and no others before any call',
    async (type) => {
      const link = await connect({ providers: [provider], records: [type.toLowerCase()] });
      const account = await findAccount(link.customerId, provider);
      for (const other of RECORD_TYPES) {
        const calls = account.callCount();
        const { rest, graphql } = await searchBoth(link.customerId, provider, other);
        if (other === type) {
          expect([rest.status, graphql.errors]).toEqual([200, undefined]);
          expect(account.callCount()).toBeGreaterThan(calls);
          continue;
        }
        const [inRest] = rest.body.errors;
        const [inGraphQL] = graphql.errors;
        expect([rest.status, inRest.code, inGraphQL.extensions.code]).toEqual([
          403,
          'FORBIDDEN',
          'FORBIDDEN',
        ]);
        expect(inGraphQL.message).toBe(inRest.detail);
        expect(inRest.detail).toContain(`records: [${other}]`);
        expect(account.callCount()).toBe(calls);
      }
    },
  );

  test('shows what it may in GraphQL, in REST, and for the customer’s own token', async () => {
    const link = await connect({
      providers: [provider],
      records: ['contact', 'deal'],
      access: 'read_write',
    });
    const expected = RECORD_TYPES.map((type) => ({
      record: type.toLowerCase(),
      can_read: type !== 'COMPANY',
      can_write: type !== 'COMPANY',
      missing_scopes: [],
    }));
    expect(await readAccess(link.customerId, provider)).toEqual(expected);
    const { body: issued } = await world.crossbook.rest(
      'POST',
      `/customers/${link.customerId}/tokens`,
    );
    const path = `/customers/${link.customerId}/connections/${provider}`;
    const headers = { authorization: `Bearer ${issued.token}` };
    const request = new Request(`http://crossbook.test${path}`, { headers });
    const shown: Json = await (await toFetch(world.crossbook.app.answer)(request)).json();
    expect(shown.granted_access).toEqual(expected);
    const { data }: Json = await world.crossbook.execute(
      'query ($id: ID!) { customer(customerId: $id) { connections { missingScopes grantedAccess { record canRead canWrite missingScopes } } } }',
      { id: link.customerId },
    );
    const [{ missingScopes, grantedAccess }] = data.customer.connections;
    expect(missingScopes).toEqual([]);
    expect(
      grantedAccess.map(({ record, canRead, canWrite, missingScopes: missing }: Json) => ({
        record: record.toLowerCase(),
        can_read: canRead,
        can_write: canWrite,
        missing_scopes: missing,
      })),
    ).toEqual(expected);
  });

  test('is extended by another link for its account, and keeps what it had', async () => {
    const link = await connect({ providers: [provider], access: 'read_write' });
    const before = await readConnection(link.customerId, provider);
    const extended = await extend(link, { providers: [provider], records: ['company'] });
    expect(extended.status).toBe('completed');
    const narrower = await extend(link, { providers: [provider] });
    expect(narrower.status).toBe('completed');
    const after = await readConnection(link.customerId, provider);
    expect(after.id).toBe(before.id);
    expect(toShort(after.granted_access)).toEqual({ contact: 'rw', company: 'r', deal: '' });
    expect(after.missing_scopes ?? []).toEqual([]);
    const events = await world.rows(
      `select data from crossbook.events where connection_id = '${after.id}' order by sequence`,
    );
    expect(events.map(({ data }: Json) => [data.readable_records, data.writable_records])).toEqual([
      [['contact'], ['contact']],
      [['contact', 'company'], ['contact']],
      [['contact', 'company'], ['contact']],
    ]);
  });

  test('answers the searches that run while it is extended', async () => {
    const link = await connect({ providers: [provider] });
    let isOver = false;
    const statuses = new Map<number, number>();
    const search = async () => {
      while (!isOver) {
        const { status } = await searchRest(link.customerId, provider, 'CONTACT');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const searches = [search(), search(), search()];
    for (const records of [['company'], ['deal'], ['contact']]) {
      const ended = await extend(link, { providers: [provider], records, access: 'read_write' });
      expect(ended.status).toBe('completed');
    }
    isOver = true;
    await Promise.all(searches);
    expect([...statuses.keys()]).toEqual([200]);
    expect((await searchRest(link.customerId, provider, 'DEAL')).status).toBe(200);
  });

  test('for another account is not extended, and replaces what was allowed where the link allows that', async () => {
    const link = await connect({ providers: [provider], records: ['contact', 'deal'] });
    const { consentUrl } = await startAgain(link, { providers: [provider], records: ['company'] });
    const { account } = await readConnection(link.customerId, provider);
    const other = await otherAccount(consentUrl, account.id);
    const refused = await finish(link, consentUrl, other);
    expect(refused.body.failure).toBe('account_mismatch');
    expect(toShort(await readAccess(link.customerId, provider))).toEqual({
      contact: 'r',
      company: '',
      deal: 'r',
    });
    const again = await startAgain(link, {
      providers: [provider],
      records: ['company'],
      allow_account_change: true,
    });
    const changed = await finish(link, again.consentUrl, other);
    expect(changed.body.status).toBe('completed');
    expect(toShort(await readAccess(link.customerId, provider))).toEqual({
      contact: '',
      company: 'r',
      deal: '',
    });
  });

  test('of another customer with the same account is not extended', async () => {
    const first = await connect({ providers: [provider] });
    const second = await connect({ providers: [provider], records: NAMES, access: 'read_write' });
    expect((await readConnection(first.customerId, provider)).account.id).toBe(
      (await readConnection(second.customerId, provider)).account.id,
    );
    expect(toShort(await readAccess(first.customerId, provider))).toEqual({
      contact: 'r',
      company: '',
      deal: '',
    });
    const waiting = await startAgain(second, { providers: [provider], records: ['deal'] });
    const back = await second.browser.visit(await consent(waiting.consentUrl));
    const { code } = Object.fromEntries(new URL(back.headers.get('location') ?? '').searchParams);
    const path = `/customers/${first.customerId}/connect_links/${waiting.id}/_confirm`;
    expect((await world.crossbook.rest('POST', path, { code })).status).toBe(404);
    expect(toShort(await readAccess(first.customerId, provider))['deal']).toBe('');
  });

  test('stays as it is where the extension is denied or fails', async () => {
    const link = await connect({ providers: [provider], records: ['contact'] });
    const before = await readConnection(link.customerId, provider);
    const wanted = { providers: [provider], records: NAMES, access: 'read_write' };
    const denied = await startAgain(link, wanted);
    await link.browser.visit(await consent(denied.consentUrl, { decision: 'deny' }));
    // The customer closes the window, before and after consent.
    await startAgain(link, wanted);
    const unconfirmed = await startAgain(link, wanted);
    await link.browser.visit(await consent(unconfirmed.consentUrl));
    expect(await readConnection(link.customerId, provider)).toEqual(before);
    expect((await searchRest(link.customerId, provider, 'CONTACT')).status).toBe(200);
    expect((await searchRest(link.customerId, provider, 'DEAL')).status).toBe(403);
  });
});

test('HubSpot is asked for the scopes of the records, and of those that the connection has', async () => {
  const link = await world.link({ records: ['company'], optional_scopes: ['tickets'] });
  const first = await link.browser.start(link.url, { provider: 'hubspot' });
  expect(scopesOf(first.consentUrl)).toEqual(['oauth crm.objects.companies.read', 'tickets']);
  await confirm(link, await consent(first.consentUrl));
  const again = await startAgain(link, { records: ['deal'], access: 'read_write' });
  expect(scopesOf(again.consentUrl)).toEqual([
    'oauth crm.objects.companies.read crm.objects.deals.read crm.objects.deals.write',
    null,
  ]);
});

test('a link fails where the customer’s account does not allow all of its scopes, and the connection stays', async () => {
  const link = await connect({});
  const { hubspot } = world.crossbook.sandbox;
  const before = await readConnection(link.customerId, 'hubspot');
  const account = hubspot.accounts().find(({ id }) => id === before.account.id);
  if (!account) throw new Error('There is no such account.');
  const { grantedScopes } = account.quirks;
  const missing = 'crm.objects.deals.write';
  account.setQuirks({ grantedScopes: grantedScopes.filter((scope) => scope !== missing) });
  try {
    const again = await startAgain(link, { records: ['deal'], access: 'read_write' });
    const back = await link.browser.visit(await consent(again.consentUrl));
    expect(back.text).toContain(`Not granted: ${missing}`);
    expect(await readConnection(link.customerId, 'hubspot')).toEqual(before);
  } finally {
    account.setQuirks({ grantedScopes });
  }
});

test('a link that was granted before the connection was extended fails when it is confirmed, because its tokens allow less', async () => {
  const link = await connect({});
  const waiting = await startAgain(link, { records: ['company'] });
  const callback = await consent(waiting.consentUrl);
  const back = await link.browser.visit(callback);
  expect((await extend(link, { records: ['deal'], access: 'read_write' })).status).toBe(
    'completed',
  );
  const extended = await readConnection(link.customerId, 'hubspot');
  const location = new URL(back.headers.get('location') ?? '');
  const { status, body } = await world.crossbook.rest(
    'POST',
    `/customers/${link.customerId}/connect_links/${waiting.id}/_confirm`,
    { code: location.searchParams.get('code') },
  );
  expect([status, body.errors[0].detail]).toEqual([
    409,
    'The link cannot be confirmed: it is FAILED (MISSING_SCOPES).',
  ]);
  expect(await readConnection(link.customerId, 'hubspot')).toEqual(extended);
});

test.each([
  [{}, ['Your contacts are read', 'Nothing is changed or deleted']],
  [{ records: ['contact', 'company'] }, ['Your contacts and companies are read']],
  [
    { records: ['deal'], access: 'read_write' },
    ['Your deals will be changed', 'Nothing is deleted'],
  ],
])('the page of a link with %j says what it allows', async (more, sentences) => {
  const link = await world.link(more);
  const { text } = await link.browser.visit(link.url);
  for (const sentence of sentences) expect(text).toContain(sentence);
  expect(text.includes('will be changed')).toBe('access' in more);
});

test('the page of a link that extends a connection says what will be allowed altogether', async () => {
  const link = await connect({ access: 'read_write' });
  const { body } = await world.create(link.customerId, { records: ['company'] });
  const { text } = await link.browser.visit(body.url);
  expect(text).toContain('Your contacts and companies are read');
  expect(text).toContain('Your contacts will be changed');
  expect(text).toContain(
    'wants to read the contacts and companies in your CRM, and change the contacts.',
  );
});

describe('An application that brings the credentials', () => {
  const token = { type: 'token', value: 'invented' };

  test.each([
    [[{ credentials: token }], { contact: 'r' }],
    [[{ records: ['company'] }], { company: 'r' }],
    [[{ access: 'read_write' }], { contact: 'rw' }],
    [
      [{ records: ['deal', 'contact', 'deal'], access: 'READ_WRITE' }],
      { contact: 'rw', deal: 'rw' },
    ],
    [[{ records: ['deal'] }, { access: 'read_write' }], { deal: 'rw' }],
    [[{ records: ['deal'], access: 'read_write' }, { access: 'read' }], { deal: 'r' }],
    [
      [{ records: ['deal'], access: 'read_write' }, { records: ['deal', 'company'] }],
      { deal: 'rw', company: 'r' },
    ],
    [[{ records: ['deal'], access: 'read_write' }, { records: ['company'] }], { company: 'r' }],
    [[{ records: ['deal'], access: 'read_write' }, { credentials: token }], { deal: 'rw' }],
    [[{ records: ['deal'], access: 'read_write' }, {}], { deal: 'rw' }],
  ])('sets its access with %j', async (upserts, expected) => {
    const customerId = await world.addCustomer();
    for (const given of upserts) await upsert(customerId, given);
    expect(toShort(await readAccess(customerId, 'hubspot'))).toEqual({
      contact: '',
      company: '',
      deal: '',
      ...expected,
    });
  });

  test('does not widen what a customer has allowed by a link', async () => {
    const link = await connect({});
    for (const given of [{ records: NAMES }, { access: 'read_write' }]) {
      const { status, body } = await upsert(link.customerId, given);
      expect([status, body.errors[0].detail]).toEqual([
        422,
        expect.stringContaining('create another link with `records` and `access` to extend it'),
      ]);
    }
    expect((await upsert(link.customerId, { records: ['contact'], access: 'read' })).status).toBe(
      200,
    );
    expect(toShort(await readAccess(link.customerId, 'hubspot'))).toEqual({
      contact: 'r',
      company: '',
      deal: '',
    });
    // With other credentials, the application decides.
    await upsert(link.customerId, { records: ['deal'], credentials: token });
    expect(toShort(await readAccess(link.customerId, 'hubspot'))).toEqual({
      contact: '',
      company: '',
      deal: 'r',
    });
  });

  test('names at least one type', async () => {
    const customerId = await world.addCustomer();
    const { status, body } = await upsert(customerId, { records: [] });
    expect([status, body.errors[0].detail]).toEqual([
      422,
      expect.stringContaining('connections[0] has an empty list of records'),
    ]);
    const link = await world.create(customerId, { records: [] });
    expect(link.status).toBe(400);
  });
});

describe('A customer token', () => {
  test.each(['REST', 'GraphQL'])(
    'issued by %s has the right to write only if it asks for it',
    async (api) => {
      const customerId = await world.addCustomer();
      const issue = async (canWrite: boolean | undefined) => {
        if (api === 'REST') {
          const given = canWrite === undefined ? {} : { can_write: canWrite };
          return (await world.crossbook.rest('POST', `/customers/${customerId}/tokens`, given))
            .body;
        }
        const { data }: Json = await world.crossbook.execute(
          'mutation ($input: IssueCustomerTokenInput!) { issueCustomerToken(input: $input) { token } }',
          { input: { customerId, canWrite } },
        );
        return data.issueCustomerToken;
      };
      expect(decodeJwt((await issue(true)).token)['canWrite']).toBe(true);
      for (const canWrite of [false, undefined])
        expect(decodeJwt((await issue(canWrite)).token)).not.toHaveProperty('canWrite');
    },
  );
});

test('every API takes what a link asks for, and the connection is the same', async () => {
  const { crossbook } = world;
  const wanted = { contact: 'r', company: '', deal: 'r' };
  const input = { providers: ['HUBSPOT'], returnUrl: 'http://localhost:3000/', confirm: false };
  const [inGraphQL, inMcp] = [await world.addCustomer(), await world.addCustomer()];
  const { data }: Json = await crossbook.execute(
    'mutation ($input: CreateConnectLinkInput!) { createConnectLink(input: $input) { url link { records access } } }',
    { input: { ...input, customerId: inGraphQL, records: ['DEAL', 'CONTACT'] } },
  );
  expect(data.createConnectLink.link).toEqual({ records: ['CONTACT', 'DEAL'], access: 'READ' });
  const { structuredContent } = await callTool(
    crossbook,
    { 'x-api-key': crossbook.key },
    'create_connect_link',
    {
      customerId: inMcp,
      providers: ['hubspot'],
      returnUrl: 'http://localhost:3000/',
      records: ['CONTACT', 'DEAL'],
    },
  );
  for (const [customerId, url] of [
    [inGraphQL, data.createConnectLink.url],
    [inMcp, structuredContent.link.url],
  ] as const) {
    const browser = openBrowser(crossbook.app);
    const { consentUrl } = await browser.start(url, { provider: 'hubspot' });
    await confirm({ customerId, browser, id: '', url }, await consent(consentUrl));
    expect(toShort(await readAccess(customerId, 'hubspot'))).toEqual(wanted);
    const listed = await callTool(crossbook, { 'x-api-key': crossbook.key }, 'list_connections', {
      customerId,
    });
    expect(listed.structuredContent.connections[0]).toMatchObject({
      canRead: ['CONTACT', 'DEAL'],
      canWrite: [],
    });
  }
});

test('the list of providers says what a link can ask for', async () => {
  const { data }: Json = await world.crossbook.execute(
    '{ providers { name canConnect grantableAccess { record readScopes writeScopes } } }',
  );
  for (const { canConnect, grantableAccess } of data.providers)
    expect(grantableAccess.map(({ record }: Json) => record)).toEqual(
      canConnect ? RECORD_TYPES : [],
    );
  const hubspot = data.providers.find(({ name }: Json) => name === 'HUBSPOT');
  expect(hubspot.grantableAccess[1]).toEqual({
    record: 'COMPANY',
    readScopes: ['crm.objects.companies.read'],
    writeScopes: ['crm.objects.companies.write'],
  });
});

test('fields of records are not mapped where these may not be read', async () => {
  const definitions = [{ name: 'favoriteColor', type: 'text' }];
  await world.crossbook.rest('PUT', '/custom_fields/contact', { definitions });
  const link = await connect({ records: ['deal'] });
  const { status, body } = await world.crossbook.rest(
    'POST',
    `/customers/${link.customerId}/connections/hubspot/mapping_links`,
    { return_url: 'http://localhost:3000/fields' },
  );
  expect([status, body.errors[0].code]).toEqual([403, 'FORBIDDEN']);
});

async function connect(more: object): Promise<WorldLink> {
  const link = await world.link(more);
  const { providers: [provider = 'hubspot'] = [] } = more as { providers?: string[] };
  const { consentUrl } = await link.browser.start(link.url, { provider });
  const { body } = await confirm(link, await consent(consentUrl));
  if (body.status !== 'completed') throw new Error(`Not connected: ${JSON.stringify(body)}`);
  return link;
}

/** Another link for the customer of a link, whose flow has begun in the same browser. */
async function startAgain({ customerId, browser }: WorldLink, more: object) {
  const { body } = await world.create(customerId, more);
  const { providers: [provider = 'hubspot'] = [] } = more as { providers?: string[] };
  const { consentUrl } = await browser.start(body.url, { provider });
  return { id: body.id as string, consentUrl };
}

async function extend(link: WorldLink, more: object) {
  const again = await startAgain(link, more);
  return (await confirm({ ...link, id: again.id }, await consent(again.consentUrl))).body;
}

/** Redeems the code, or reads the link where there is none. */
async function confirm({ customerId, browser }: WorldLink, callback: string) {
  const back = await browser.visit(callback);
  const location = back.headers.get('location') ?? readWayBack(back.text);
  const { code, connect_link_id: id } = Object.fromEntries(new URL(location).searchParams);
  const path = `/customers/${customerId}/connect_links/${id}`;
  return code === undefined
    ? world.crossbook.rest('GET', path)
    : world.crossbook.rest('POST', `${path}/_confirm`, { code });
}

async function finish(link: WorldLink, consentUrl: string, account: string) {
  return confirm(link, await consent(consentUrl, { account }));
}

function readWayBack(page: string): string {
  const [, url = ''] = /href="(http:\/\/localhost:3000[^"]*)"/.exec(page) ?? [];
  return url.replaceAll('&amp;', '&');
}

/** The value of another account on the provider's page. */
async function otherAccount(consentUrl: string, known: string): Promise<string> {
  const page = await (await fetch(consentUrl)).text();
  const values = [...page.matchAll(/name="account" value="([^"]*)"/g)].map(
    ([, value = '']) => value,
  );
  const other = values.find((value) => value !== known);
  if (other === undefined) throw new Error('There is one account only.');
  return other;
}

function scopesOf(consentUrl: string): (string | null)[] {
  const { searchParams } = new URL(consentUrl);
  return [searchParams.get('scope'), searchParams.get('optional_scope')];
}

async function findAccount(customerId: string, provider: string) {
  const { account } = await readConnection(customerId, provider);
  const { hubspot, salesforce } = world.crossbook.sandbox;
  const crm = provider === 'hubspot' ? hubspot : salesforce;
  const found = crm.accounts().find(({ id }) => id === account.id);
  if (!found) throw new Error(`There is no account ${account.id}.`);
  return found;
}

async function readConnection(customerId: string, provider: string): Promise<Json> {
  const path = `/customers/${customerId}/connections/${provider}`;
  return (await world.crossbook.rest('GET', path)).body;
}

async function readAccess(customerId: string, provider: string): Promise<Json> {
  return (await readConnection(customerId, provider)).granted_access;
}

function toShort(access: Json): Record<string, string> {
  return Object.fromEntries(
    access.map(({ record, can_read: reads, can_write: writes }: Json) => [
      record,
      `${reads ? 'r' : ''}${writes ? 'w' : ''}`,
    ]),
  );
}

function upsert(customerId: string, connection: object) {
  return world.crossbook.rest('PUT', '/customers', {
    customer_id: customerId,
    name: 'Ada',
    email: 'a@example.com',
    connections: [{ provider_name: 'hubspot', ...connection }],
  });
}

function searchRest(customerId: string, provider: string, type: string) {
  return world.crossbook.rest(
    'POST',
    `/${PATHS[type]}/_search?page_size=1`,
    { filter: { all: true } },
    { 'x-customer-id': customerId, 'x-provider-name': provider },
  );
}

async function searchBoth(customerId: string, provider: string, type: string) {
  const graphql: Json = await world.crossbook.execute(
    `{ ${FIELDS[type]}(filter: { all: true }, first: 1) { nodes { remoteId } } }`,
    {},
    { 'x-customer-id': customerId, 'x-provider-name': provider },
  );
  return { rest: await searchRest(customerId, provider, type), graphql };
}
