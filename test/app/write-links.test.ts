import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';
import { outcomesOf, problemsOf } from '../support/write-contacts.ts';
import { openLinkable } from '../support/write-links.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({ sandbox: { port: 0, hosts: [], all: true } });
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce', 'pipedrive'] as const)('Links of %s', (provider) => {
  const open = (name: string, more: object = {}) =>
    openLinkable(crossbook, { provider, customerId: `links ${name} ${provider}`, ...more });
  const PAIRS = ['CONTACT 0 COMPANY 0', 'DEAL 0 COMPANY 1', 'CONTACT 1 DEAL 0'];

  test('are made and removed, in either order, and a repeated call changes nothing', async () => {
    const { link, unlink, linksOf, toLink, account } = await open('twice');
    const links = PAIRS.map(toLink);
    const reversed = links.map(({ from, to }) => ({ from: to, to: from }));
    const preview = await link(links, { dryRun: true });
    expect(preview.errors).toBeUndefined();
    expect(preview.write).toBeNull();
    expect(outcomesOf(preview)).toEqual(['CREATED', 'CREATED', 'CREATED']);
    expect(linksOf('CONTACT', 0, 'COMPANY')).toEqual([]);
    expect(outcomesOf(await link(links))).toEqual(['CREATED', 'CREATED', 'CREATED']);
    expect(linksOf('CONTACT', 0, 'COMPANY').map((one) => one.charAt(0))).toEqual(['0']);
    expect(linksOf('DEAL', 0, 'COMPANY').map((one) => one.charAt(0))).toEqual(['1']);
    expect(linksOf('DEAL', 0, 'CONTACT')).toEqual(['1']);
    const written = account.calls().filter(isWrite).length;
    expect(outcomesOf(await link(reversed))).toEqual(['UNCHANGED', 'UNCHANGED', 'UNCHANGED']);
    expect(account.calls().filter(isWrite)).toHaveLength(written);
    expect(outcomesOf(await unlink(reversed))).toEqual(['UPDATED', 'UPDATED', 'UPDATED']);
    for (const [from, to] of [
      ['CONTACT', 'COMPANY'],
      ['DEAL', 'COMPANY'],
      ['DEAL', 'CONTACT'],
    ] as const)
      expect(linksOf(from, 0, to)).toEqual([]);
    expect(outcomesOf(await unlink(links))).toEqual(['UNCHANGED', 'UNCHANGED', 'UNCHANGED']);
  });

  test('to another primary company replace it', async () => {
    const { link, linksOf, toLink } = await open('primary');
    for (const holder of ['CONTACT 0', 'DEAL 0']) {
      const [from = 'CONTACT'] = holder.split(' ') as ['CONTACT' | 'DEAL'];
      expect(outcomesOf(await link([toLink(`${holder} COMPANY 0!`)]))).toEqual(['CREATED']);
      expect(linksOf(from, 0, 'COMPANY')).toEqual(['0!']);
      const done = await link([toLink(`${holder} COMPANY 1!`)]);
      expect(outcomesOf(done)).toEqual(['CREATED']);
      const isReplaced = provider !== 'hubspot';
      expect(linksOf(from, 0, 'COMPANY')).toEqual(isReplaced ? ['1!'] : ['0', '1!']);
      expect(done.results[0].warnings.map(({ code }: Json) => code)).toEqual(
        isReplaced ? ['OTHER'] : [],
      );
      expect(outcomesOf(await link([toLink(`${holder} COMPANY 1!`)]))).toEqual(['UNCHANGED']);
    }
  });

  test('are refused one by one, with what is wrong', async () => {
    const { link, linksOf, toLink, end } = await open('problems');
    const done = await link([
      toLink('CONTACT 0 CONTACT 1'),
      { from: end('CONTACT', 0), to: { record: 'COMPANY', remoteId: '999' } },
      { from: { record: 'DEAL', remoteId: '' }, to: end('CONTACT', 0) },
      toLink('CONTACT 1 COMPANY 2'),
      toLink('CONTACT 0 DEAL 1'),
      toLink('DEAL 1 CONTACT 0'),
      toLink('DEAL 2 COMPANY 0!'),
      toLink('DEAL 2 COMPANY 1!'),
    ]);
    expect(done.errors).toBeUndefined();
    expect(problemsOf(done).map((one) => (one as Json).problems)).toEqual([
      [{ code: 'INVALID_VALUE', field: ['to', 'record'] }],
      [{ code: 'NOT_FOUND', field: ['to', 'remoteId'] }],
      [{ code: 'NOT_FOUND', field: ['from', 'remoteId'] }],
      [{ code: 'CONFLICT', field: null }],
      [{ code: 'CONFLICT', field: null }],
      [{ code: 'CONFLICT', field: null }],
      [{ code: 'CONFLICT', field: null }],
    ]);
    expect(outcomesOf(done)[3]).toBe('CREATED');
    expect(linksOf('CONTACT', 1, 'COMPANY').map((one) => one.charAt(0))).toEqual(['2']);
    expect(linksOf('DEAL', 2, 'COMPANY')).toEqual([]);
  });

  test('are written once with an idempotency key, and are in the audit', async () => {
    const { link, unlink, toLink, headers, ids } = await open('key');
    const links = [toLink('CONTACT 0 COMPANY 0')];
    const first = await link(links, { idempotencyKey: 'k' });
    await unlink(links);
    const again = await link(links, { idempotencyKey: 'k' });
    expect(again).toEqual({ ...first, write: { ...first.write, isReplayed: true } });
    const other = await link([toLink('CONTACT 1 COMPANY 0')], { idempotencyKey: 'k' });
    expect(other.errors[0].extensions.code).toBe('UNPROCESSABLE_ENTITY');
    const { data } = await crossbook.execute(
      `query ($id: ID!) { write(id: $id) { operation isComplete results { outcome remoteId fields
        link { from { record remoteId } to { record remoteId } } } } }`,
      { id: first.write.id },
      headers,
    );
    expect(data.write).toEqual({
      operation: 'linkRecords',
      isComplete: true,
      results: [
        {
          outcome: 'CREATED',
          remoteId: null,
          fields: [],
          link: {
            from: { record: 'CONTACT', remoteId: ids.CONTACT[0] },
            to: { record: 'COMPANY', remoteId: ids.COMPANY[0] },
          },
        },
      ],
    });
  });

  test.each(['reset-after', 'reset'] as const)(
    'have the outcome UNKNOWN where the response is lost (%s), and a repetition reads them',
    async (kind) => {
      const { link, linksOf, toLink, account } = await open(`lost ${kind}`);
      account.fail({ kind } as never, { operation: WRITES[provider] });
      const input = { idempotencyKey: kind };
      const links = [toLink('CONTACT 0 COMPANY 0')];
      const first = await link(links, input);
      expect(outcomesOf(first)).toEqual(['UNKNOWN']);
      expect(first.write.isComplete).toBe(false);
      const again = await link(links, input);
      const isWritten = kind === 'reset-after';
      expect(outcomesOf(again)).toEqual([isWritten ? 'CREATED' : 'UNKNOWN']);
      expect(again.write).toMatchObject({ id: first.write.id, isComplete: isWritten });
      expect(linksOf('CONTACT', 0, 'COMPANY')).toHaveLength(isWritten ? 1 : 0);
    },
  );

  test('need a connection that may write the records of both sides, and a caller that may write', async () => {
    const { link, toLink, account } = await open('access', { records: ['contact'] });
    account.resetCalls();
    const done = await link([toLink('CONTACT 0 COMPANY 0')]);
    expect(done.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(done.errors[0].message).toContain('companies');
    expect(account.calls()).toEqual([]);
    const allowed = await open('tokens');
    const customerId = `links tokens ${provider}`;
    const links = [
      {
        from: { record: 'contact', remote_id: allowed.ids.CONTACT[0] },
        to: { record: 'company', remote_id: allowed.ids.COMPANY[0] },
      },
    ];
    const write = async (more: object) => {
      const path = `/customers/${encodeURIComponent(customerId)}/tokens`;
      const { body } = await crossbook.rest('POST', path, more);
      const { answer } = crossbook.app;
      const response = await toFetch(answer)(
        new Request('http://crossbook.test/links/_create', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${body.token}`,
            'content-type': 'application/json',
            'x-provider-name': provider,
          },
          body: JSON.stringify({ links }),
        }),
      );
      return response.status;
    };
    expect(await write({})).toBe(403);
    expect(allowed.linksOf('CONTACT', 0, 'COMPANY')).toEqual([]);
    expect(await write({ can_write: true })).toBe(200);
    expect(allowed.linksOf('CONTACT', 0, 'COMPANY')).toHaveLength(1);
  });

  test('are read as they are after a write, whatever was cached before', async () => {
    const { link, unlink, toLink, headers, ids } = await open('cache');
    const companies = async () => {
      const { data, errors } = await crossbook.execute(
        `{ searchContacts(filter: { email: "l0@links.example" }, readFromCache: true) { nodes {
          companies(first: 5) { nodes { remoteId } } } } }`,
        {},
        headers,
      );
      expect(errors).toBeUndefined();
      return data.searchContacts.nodes[0].companies.nodes;
    };
    expect(await companies()).toEqual([]);
    await link([toLink('CONTACT 0 COMPANY 1')]);
    expect(await companies()).toEqual([{ remoteId: ids.COMPANY[1] }]);
    await unlink([toLink('CONTACT 0 COMPANY 1')]);
    expect(await companies()).toEqual([]);
  });

  test('are written in REST, a hundred at most', async () => {
    const { headers, ids, linksOf } = await open('rest');
    const links = [
      {
        from: { record: 'contact', remote_id: ids.CONTACT[0] },
        to: { record: 'company', remote_id: ids.COMPANY[0] },
        is_primary: true,
      },
    ];
    const key = { ...headers, 'idempotency-key': 'rest' };
    const { status, body } = await crossbook.rest('POST', '/links/_create', { links }, key);
    expect(status).toBe(200);
    expect(body.results).toEqual([toSimple('created')]);
    expect(linksOf('CONTACT', 0, 'COMPANY')).toEqual(['0!']);
    const plain = links.map(({ from, to }) => ({ from, to }));
    const again = await crossbook.rest('POST', '/links/_create', { links: plain }, headers);
    expect(again.body.results).toEqual([toSimple('unchanged')]);
    const removed = await crossbook.rest('POST', '/links/_remove', { links: plain }, headers);
    expect(removed.body.results).toEqual([toSimple('updated')]);
    const listed = await crossbook.rest('GET', `/writes/${body.write.id}`, undefined, headers);
    expect(listed.body.results[0].link).toEqual({ from: links[0]?.from, to: links[0]?.to });
    const many = Array.from({ length: 101 }, () => plain[0]);
    const tooMany = await crossbook.rest('POST', '/links/_remove', { links: many }, headers);
    expect(tooMany.status).toBe(400);
  });
});

describe('Links of HubSpot', () => {
  const open = (name: string) =>
    openLinkable(crossbook, { provider: 'hubspot', customerId: `hubspot links ${name}` });

  test('have the types of HubSpot, also of the primary company, and one call for a hundred', async () => {
    const { link, unlink, account, toLink, ids } = await openLinkable(crossbook, {
      provider: 'hubspot',
      customerId: 'hubspot links types',
      contacts: 100,
    });
    const links = ids.CONTACT.map((_, index) => toLink(`CONTACT ${index} COMPANY 0`));
    account.resetCalls();
    expect(new Set(outcomesOf(await link(links)))).toEqual(new Set(['CREATED']));
    expect(new Set(outcomesOf(await unlink(links)))).toEqual(new Set(['UPDATED']));
    const operations = account.calls().map(({ operation }) => operation);
    expect(operations.filter((one) => one === 'associations.batchCreate')).toHaveLength(1);
    expect(operations.filter((one) => one === 'associations.batchArchive')).toHaveLength(1);
    await link([toLink('CONTACT 0 COMPANY 1'), toLink('CONTACT 1 COMPANY 1!')]);
    expect(account.people.get(1)).toMatchObject({ companyIndex: null });
    expect(account.people.get(2)?.companyIndex).not.toBeNull();
  });

  test('have no primary contact of a deal', async () => {
    const { link, toLink } = await open('deal');
    const done = await link([toLink('DEAL 0 CONTACT 0!')]);
    expect(problemsOf(done)).toEqual([
      {
        index: 0,
        outcome: 'REFUSED',
        problems: [{ code: 'INVALID_VALUE', field: ['isPrimary'] }],
      },
    ]);
  });

  test('become the primary one where they exist', async () => {
    const { link, linksOf, toLink } = await open('promote');
    await link([toLink('CONTACT 0 COMPANY 0!'), toLink('CONTACT 0 COMPANY 1')]);
    expect(outcomesOf(await link([toLink('CONTACT 0 COMPANY 1!')]))).toEqual(['UPDATED']);
    expect(linksOf('CONTACT', 0, 'COMPANY')).toEqual(['0', '1!']);
  });

  test('stay where they are only to be the primary one no more', async () => {
    const { link, unlink, linksOf, toLink } = await open('demote');
    await link([toLink('CONTACT 0 COMPANY 0!'), toLink('DEAL 0 CONTACT 0')]);
    const done = await unlink([toLink('CONTACT 0 COMPANY 0!'), toLink('DEAL 0 CONTACT 0!')]);
    expect(outcomesOf(done)).toEqual(['UPDATED', 'REFUSED']);
    expect(done.results[1].problems).toMatchObject([{ code: 'INVALID_VALUE' }]);
    expect(linksOf('CONTACT', 0, 'COMPANY')).toEqual(['0']);
    expect(linksOf('DEAL', 0, 'CONTACT')).toEqual(['0']);
    expect(outcomesOf(await unlink([toLink('CONTACT 0 COMPANY 0!')]))).toEqual(['UNCHANGED']);
  });

  test('that the response does not list are UNKNOWN, and those with an error are refused', async () => {
    const { link, toLink, account, ids } = await open('partial');
    const errors = [
      {
        category: 'OBJECT_NOT_FOUND',
        message: 'gone',
        context: { fromObjectId: [ids.CONTACT[0]], toObjectId: [ids.COMPANY[0]] },
      },
    ];
    account.fail({ kind: 'answer', status: 207, body: { results: [], errors } } as never, {
      operation: 'associations.batchCreate',
    });
    const done = await link([toLink('CONTACT 0 COMPANY 0'), toLink('CONTACT 1 COMPANY 0')]);
    expect(outcomesOf(done)).toEqual(['REFUSED', 'UNKNOWN']);
    expect(done.results[0].problems).toMatchObject([{ code: 'NOT_FOUND' }]);
  });
});

describe('Links of Salesforce', () => {
  const open = (name: string) =>
    openLinkable(crossbook, { provider: 'salesforce', customerId: `salesforce links ${name}` });

  test('give a contact one account, unless it can have several', async () => {
    const { link, linksOf, toLink, ids } = await open('one account');
    await link([toLink('CONTACT 0 COMPANY 0')]);
    const refused = await link([toLink('CONTACT 0 COMPANY 1')]);
    expect(refused.results[0]).toMatchObject({
      outcome: 'REFUSED',
      problems: [{ code: 'ALREADY_EXISTS', existingRemoteIds: [ids.COMPANY[0]] }],
    });
    expect(refused.results[0].problems[0].message).toContain('Contacts to Multiple Accounts');
    expect(linksOf('CONTACT', 0, 'COMPANY')).toEqual(['0!']);
    const several = await open('accounts');
    several.account.setQuirks({ contactsToMultipleAccounts: true } as never);
    const links = ['CONTACT 0 COMPANY 0', 'CONTACT 0 COMPANY 1'].map(several.toLink);
    expect(outcomesOf(await several.link(links))).toEqual(['CREATED', 'CREATED']);
    expect(several.linksOf('CONTACT', 0, 'COMPANY')).toEqual(['0!', '1']);
    const promoted = await several.link([several.toLink('CONTACT 0 COMPANY 1!')]);
    expect(outcomesOf(promoted)).toEqual(['UPDATED']);
    expect(promoted.results[0].warnings).toEqual([
      { code: 'OTHER', existingRemoteIds: [several.ids.COMPANY[0]] },
    ]);
    expect(several.linksOf('CONTACT', 0, 'COMPANY')).toEqual(['1!']);
    await several.link([several.toLink('CONTACT 0 COMPANY 2')]);
    expect(outcomesOf(await several.unlink([several.toLink('CONTACT 0 COMPANY 2')]))).toEqual([
      'UPDATED',
    ]);
    expect(several.linksOf('CONTACT', 0, 'COMPANY')).toEqual(['1!']);
  });

  test('have a primary contact of an opportunity, which another replaces', async () => {
    const { link, unlink, account, toLink } = await open('roles');
    const deal = account.records.all('deal').at(-3)?.index ?? 0;
    await link([toLink('DEAL 0 CONTACT 0!'), toLink('DEAL 0 CONTACT 1')]);
    expect(account.links.primaryContactOf(deal)).toBe(1);
    expect(outcomesOf(await link([toLink('CONTACT 1 DEAL 0!')]))).toEqual(['UPDATED']);
    expect(account.links.primaryContactOf(deal)).toBe(2);
    expect(outcomesOf(await unlink([toLink('CONTACT 1 DEAL 0!')]))).toEqual(['UPDATED']);
    expect(account.links.primaryContactOf(deal)).toBeNull();
    expect(outcomesOf(await unlink([toLink('CONTACT 1 DEAL 0')]))).toEqual(['UPDATED']);
    expect(account.links.find('deal', deal, 'contact').map(({ index }) => index)).toEqual([1]);
  });

  test('are refused with the reason of Salesforce', async () => {
    const { link, toLink, account } = await open('rule');
    account.fail(
      {
        kind: 'answer',
        status: 200,
        body: [
          {
            success: false,
            errors: [
              { statusCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: 'No.', fields: [] },
            ],
          },
        ],
      } as never,
      { operation: 'composite.write' },
    );
    const done = await link([toLink('CONTACT 0 COMPANY 0')]);
    expect(done.results[0]).toMatchObject({
      outcome: 'REFUSED',
      problems: [{ code: 'CUSTOMER_RULE', field: null, isRetryable: false }],
    });
  });
});

describe('Links of Pipedrive', () => {
  test('give a deal one person, and no participants', async () => {
    const { link, linksOf, toLink } = await openLinkable(crossbook, {
      provider: 'pipedrive',
      customerId: 'pipedrive links person',
    });
    await link([toLink('DEAL 0 CONTACT 0')]);
    const refused = await link([toLink('DEAL 0 CONTACT 1')]);
    expect(refused.results[0].problems).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
    expect(refused.results[0].problems[0].message).toContain('participants');
    expect(outcomesOf(await link([toLink('DEAL 0 CONTACT 1!')]))).toEqual(['CREATED']);
    expect(linksOf('DEAL', 0, 'CONTACT')).toEqual(['1']);
  });
});

const toSimple = (outcome: string) => ({ index: 0, outcome, problems: [], warnings: [] });

const WRITES = {
  hubspot: 'associations.batchCreate',
  salesforce: 'composite.write',
  pipedrive: 'persons.update',
} as const;

function isWrite({ operation }: { readonly operation: string }): boolean {
  return /batchCreate|batchArchive|composite\.write|\.update$/.test(operation);
}
