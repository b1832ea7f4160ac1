import { describe, expect, test } from 'vitest';
import { PageSizes } from '../../../src/domain/page-sizes.ts';
import { hubspot } from '../../../src/providers/hubspot/provider.ts';
import { crowd, idsOf, PLAIN } from '../../provider-kit/contact-port-subject.ts';
import { byDomain } from '../../support/by-domain.ts';
import { createConnection } from '../../support/connection.ts';
import { createFakeFacts } from '../../support/fake-facts.ts';
import { toRedacted } from '../../support/redacted.ts';
import { createScriptedSend, type ScriptedSend } from '../../support/send.ts';
import { useHubSpot } from './use-sandbox.ts';

const DOMAIN = 'crowd.example';
const ALL = { direction: 'forward', from: undefined, limit: 1_002 } as const;

function openScripted({ send }: ScriptedSend) {
  const port = hubspot.crm?.open({
    send,
    connection: createConnection('hubspot'),
    openFacts: createFakeFacts,
    pageSizes: new PageSizes(),
    remember: (_name, read) => read(),
  });
  if (port === undefined) throw new Error('HubSpot can be searched.');
  return toRedacted(port);
}

function page(ids: readonly number[], { after, total = 9_999, domain = DOMAIN }: PageOptions = {}) {
  const results = ids.map((id) => ({ id: String(id), properties: { email: `p${id}@${domain}` } }));
  return {
    body: JSON.stringify({ total, results, ...(after && { paging: { next: { after } } }) }),
  };
}

describe('a search in the sandbox', () => {
  const subject = useHubSpot();

  test('reads a thousand records with one search call for each page of HubSpot', async () => {
    const { account, openPort } = subject.open(crowd(1_100, DOMAIN));
    expect(await openPort().readList(byDomain(DOMAIN), ALL, PLAIN)).toHaveLength(1_002);
    expect(account.callCount('contacts.search')).toBe(6);
    expect(account.callCount()).toBe(6);
  });

  test('continues beyond HubSpot’s maximum of 10,000 results', async () => {
    const people = Array.from({ length: 10_450 }, (_, index) => ({ email: `p${index}@${DOMAIN}` }));
    const { account, openPort } = subject.open(people);
    const port = openPort();
    const from = account.recordId(9_900);
    const run = await port.readList(byDomain(DOMAIN), { ...ALL, from }, PLAIN);
    expect(idsOf(run).at(0)).toBe(from);
    expect(idsOf(run).at(-1)).toBe(account.recordId(10_450));
    expect(run).toHaveLength(551);
    expect(await port.count(byDomain(DOMAIN))).toBe(10_450);
  });

  test.each(['forward', 'backward'] as const)(
    'leaves out a hit that no longer matches, paging %s, and continues correctly',
    async (direction) => {
      const { account, openPort } = subject.open(crowd(420, DOMAIN));
      for (const stale of [2, 400, 840]) {
        account.setQuirks({ searchStaleHit: account.recordId(stale) });
        const run = await openPort().readList(byDomain(DOMAIN), { ...ALL, direction }, PLAIN);
        expect(run).toHaveLength(420);
        expect(new Set(idsOf(run)).size).toBe(420);
      }
    },
  );

  test('does not count false or deleted hits', async () => {
    const { account, openPort } = subject.open(crowd(5, DOMAIN));
    const port = openPort();
    account.setQuirks({ searchStaleHit: account.recordId(2) });
    expect(await port.count(byDomain(DOMAIN))).toBe(5);
    account.setQuirks({ searchStaleHit: null, searchTotalWithoutResults: true });
    expect(await port.count(byDomain(DOMAIN))).toBe(0);
    expect(await port.readList(byDomain(DOMAIN), ALL, PLAIN)).toEqual([]);
  });

  test('leaves out contacts that left the domain or the CRM while the index lags, and loses no others', async () => {
    const { account, openPort } = subject.open(crowd(8, DOMAIN));
    account.setQuirks({ searchLagMs: 3_600_000 });
    account.removePerson(account.recordId(1));
    account.updatePerson(account.recordId(3), { email: 'moved@elsewhere.example' });
    const run = await openPort().readList(byDomain(DOMAIN), ALL, PLAIN);
    expect(idsOf(run)).toEqual([5, 7, 9, 11, 13, 15].map((index) => account.recordId(index)));
  });

  const withAliases = [
    { email: 'first@crowd.example' },
    { email: 'x@elsewhere.example', secondaryEmails: ['y@other.example', 'Second@crowd.example'] },
    {
      email: 'x2@elsewhere.example',
      secondaryEmails: ['y@mail.crowd.example', 'z@crowd.example.org'],
    },
    { email: 'x3@elsewhere.example', workEmail: 'work@crowd.example' },
  ];

  test.each([false, true])(
    'finds a contact by the domain of a secondary address, whether tokens are words (%s) or not',
    async (searchTokensAreWords) => {
      const { account, openPort } = subject.open(withAliases);
      account.setQuirks({ searchTokensAreWords });
      const ids = [1, 2].map((index) => account.recordId(index));
      expect(idsOf(await openPort().readList(byDomain('crowd.example'), ALL, PLAIN))).toEqual(ids);
      expect(await openPort().count(byDomain('crowd.example'))).toBe(2);
    },
  );

  test('uses primary addresses only in a portal that rejects searches of secondary ones', async () => {
    const { account, openPort } = subject.open(withAliases);
    account.setQuirks({ searchRefusesTokensOfEnumerations: true });
    expect(idsOf(await openPort().readList(byDomain(DOMAIN), ALL, PLAIN))).toEqual([
      account.recordId(1),
    ]);
    expect(account.callCount()).toBe(2);
    expect(await openPort().count(byDomain(DOMAIN))).toBe(1);
  });

  test('passes on any other rejection', async () => {
    const { account, openPort } = subject.open(withAliases);
    account.fail({ kind: 'answer', status: 400, body: { message: 'Invalid limit' } });
    await expect(openPort().readList(byDomain(DOMAIN), ALL, PLAIN)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_ERROR',
    });
    expect(account.callCount()).toBe(1);
  });

  test('skips many false hits in pages of HubSpot’s size', async () => {
    const strangers = Array.from({ length: 700 }, (_, index) => ({
      email: `s${index}@elsewhere.example`,
      secondaryEmails: [`s${index}@mail.crowd.example`],
    }));
    const { account, openPort } = subject.open([...strangers, { email: 'last@crowd.example' }]);
    account.setQuirks({ searchTokensAreWords: true });
    expect(idsOf(await openPort().readList(byDomain(DOMAIN), ALL, PLAIN))).toEqual([
      account.recordId(701),
    ]);
    expect(account.callCount()).toBe(4);
  });

  test('stays below the documented maximum size of a request', async () => {
    const { account, openPort } = subject.open(crowd(3, DOMAIN));
    account.setQuirks({ searchBodyLimit: true });
    expect(await openPort().readList(byDomain(DOMAIN), ALL, PLAIN)).toHaveLength(3);
  });
});

describe('a search with unusual responses of HubSpot', () => {
  test('starts the next page after the last record, not at an offset', async () => {
    const script = createScriptedSend(page([1, 2], { after: '2' }), page([3]));
    const run = await openScripted(script).readList(byDomain(DOMAIN), { ...ALL, from: '1' }, PLAIN);
    expect(idsOf(run)).toEqual(['1', '2', '3']);
    const [first, second] = script.requests.map(({ body }) => JSON.parse(body ?? '') as SearchBody);
    expect(first?.filterGroups[0]?.filters.at(-1)).toMatchObject({ operator: 'GTE', value: '1' });
    expect(second?.filterGroups[0]?.filters.at(-1)).toMatchObject({ operator: 'GT', value: '2' });
    expect(second).not.toHaveProperty('after');
    expect(first?.sorts).toEqual([{ propertyName: 'hs_object_id', direction: 'ASCENDING' }]);
    expect(script.requests.map(({ budget }) => budget)).toEqual(['search', 'search']);
  });

  test('backward returns the records nearest to its start when it ends within its last page', async () => {
    const script = createScriptedSend(page([9, 8], { after: '2' }), page([7, 6, 5]));
    const run = { direction: 'backward', from: '9', limit: 4 } as const;
    expect(idsOf(await openScripted(script).readList(byDomain(DOMAIN), run, PLAIN))).toEqual([
      '6',
      '7',
      '8',
      '9',
    ]);
  });

  test('skips an empty page that is not the last by its offset', async () => {
    const script = createScriptedSend(page([], { after: '200' }), page([7]));
    expect(idsOf(await openScripted(script).readList(byDomain(DOMAIN), ALL, PLAIN))).toEqual(['7']);
    expect(JSON.parse(script.requests[1]?.body ?? '')).toMatchObject({ after: '200', limit: 200 });
  });

  test('leaves out records outside of the range, and records with an invalid id', async () => {
    const script = createScriptedSend(page([500, 3, 600], { after: '3' }), page([601]));
    const run = await openScripted(script).readList(
      byDomain(DOMAIN),
      { ...ALL, from: '500' },
      PLAIN,
    );
    expect(idsOf(run)).toEqual(['500', '600', '601']);
    const odd = { results: [{ id: 'x1', properties: { email: `x@${DOMAIN}` } }, null, 7, {}] };
    const dirty = createScriptedSend({ body: JSON.stringify(odd) });
    expect(await openScripted(dirty).readList(byDomain(DOMAIN), ALL, PLAIN)).toEqual([]);
  });

  test('orders ids as numbers, whatever their length', async () => {
    const script = createScriptedSend(page([9, 10, 99, 100]));
    const run = await openScripted(script).readList(byDomain(DOMAIN), { ...ALL, from: '9' }, PLAIN);
    expect(idsOf(run)).toEqual(['9', '10', '99', '100']);
  });

  test('gives up after a bounded number of calls on endless pages', async () => {
    const script = createScriptedSend(
      ...Array.from({ length: 50 }, () => page([], { after: '200' })),
    );
    await expect(openScripted(script).readList(byDomain(DOMAIN), ALL, PLAIN)).rejects.toMatchObject(
      {
        code: 'REMOTE_PROVIDER_BAD_RESPONSE',
      },
    );
    expect(script.requests.length).toBeLessThanOrEqual(20);
  });

  test('returns a large total of HubSpot, less the false hits seen', async () => {
    const foreign = page([1, 2, 3], { after: '200', total: 450, domain: 'other.example' });
    expect(await openScripted(createScriptedSend(foreign)).count(byDomain(DOMAIN))).toBe(447);
  });
});

interface PageOptions {
  readonly after?: string;
  readonly total?: number;
  readonly domain?: string;
}

interface SearchBody {
  readonly filterGroups: readonly { readonly filters: readonly object[] }[];
  readonly sorts: readonly object[];
}
