import { describe, expect, test } from 'vitest';
import { PageSizes } from '../../../src/domain/page-sizes.ts';
import { hubspot } from '../../../src/providers/hubspot/provider.ts';
import { idsOf, PLAIN } from '../../provider-kit/contact-port-subject.ts';
import { byDomain } from '../../support/by-domain.ts';
import { createConnection } from '../../support/connection.ts';
import { createFakeFacts } from '../../support/fake-facts.ts';
import { toRedacted } from '../../support/redacted.ts';
import { createScriptedSend, type ScriptedSend } from '../../support/send.ts';
import { useHubSpot } from './use-sandbox.ts';

const subject = useHubSpot();

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

describe('a look-up by email', () => {
  test('finds a contact by a secondary address, alone and together with the primary one', async () => {
    const { account, openPort } = subject.open([
      { email: 'ada@first.example', secondaryEmails: ['ada@second.example', 'Ada@Third.example'] },
    ]);
    const emails = ['ada@third.example', 'ada@first.example', 'ada@second.example'];
    const found = await openPort().findByKey(emails, PLAIN);
    for (const email of emails)
      expect(idsOf(found.get(email) ?? [])).toEqual([account.recordId(1)]);
    expect(account.callCount()).toBe(1);
  });

  test.each([false, true])(
    'finds a contact by a secondary address, whether searches by email match it or not (%s)',
    async (searchEmailMatchesAliases) => {
      const { account, openPort } = subject.open([
        { email: 'ada@first.example', secondaryEmails: ['ada@second.example'] },
        { email: 'bob@second.example' },
      ]);
      account.setQuirks({ searchEmailMatchesAliases });
      const found = await openPort().findByKey(['ada@second.example'], PLAIN);
      expect(idsOf(found.get('ada@second.example') ?? [])).toEqual([account.recordId(1)]);
      const run = { direction: 'forward', from: undefined, limit: 5 } as const;
      const ofDomain = await openPort().readList(byDomain('second.example'), run, PLAIN);
      expect(idsOf(ofDomain)).toEqual([account.recordId(1), account.recordId(2)]);
    },
  );

  test('finds no contact by a work address, alone or in a call with others', async () => {
    const { openPort } = subject.open([
      { email: 'ada@first.example', workEmail: 'ada@work.example' },
    ]);
    const alone = await openPort().findByKey(['ada@work.example'], PLAIN);
    const together = await openPort().findByKey(['ada@first.example', 'ada@work.example'], PLAIN);
    expect(alone.get('ada@work.example')).toEqual([]);
    expect(together.get('ada@work.example')).toEqual([]);
    expect(together.get('ada@first.example')).toHaveLength(1);
  });

  test('returns an empty result for a batch without matches, also when HubSpot responds 404', async () => {
    const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
    account.setQuirks({ batchReadAllMissingIs404: true });
    const port = openPort();
    expect((await port.findByKey(['no@one.example'], PLAIN)).get('no@one.example')).toEqual([]);
    expect((await port.findByIds(['99999999'], PLAIN)).size).toBe(0);
  });

  test('gives the same contact when HubSpot omits properties instead of sending null', async () => {
    const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
    const before = await openPort().findByKey(['a@b.example'], PLAIN);
    account.setQuirks({ omitUnsetProperties: true, withoutRecordUrl: true });
    expect(await openPort().findByKey(['a@b.example'], PLAIN)).toEqual(before);
  });

  test('sends duplicate ids to HubSpot once', async () => {
    const { account, openPort } = subject.open([{ email: 'a@b.example' }]);
    account.setQuirks({ batchReadRefusesDuplicates: true });
    const id = account.recordId(1);
    expect([...(await openPort().findByIds([id, id, id], PLAIN)).keys()]).toEqual([id]);
  });

  test('ignores a record that was not requested', async () => {
    const stray = { results: [{ id: '7', properties: { email: 'someone@else.example' } }] };
    const script = createScriptedSend(
      { body: JSON.stringify(stray) },
      { body: JSON.stringify(stray) },
    );
    const port = openScripted(script);
    expect((await port.findByKey(['a@b.example'], PLAIN)).get('a@b.example')).toEqual([]);
    expect((await port.findByIds(['8'], PLAIN)).size).toBe(0);
  });

  test.each([
    [{ category: 'RATE_LIMITS' }, 'REMOTE_PROVIDER_RATE_LIMITED'],
    [{ category: 'INTERNAL_ERROR', message: 'some failed' }, 'REMOTE_PROVIDER_ERROR'],
    [{ message: 'who knows' }, 'REMOTE_PROVIDER_ERROR'],
  ])('fails when a part of its batch failed: %j', async (problem, code) => {
    const body = JSON.stringify({
      status: 'COMPLETE',
      results: [],
      numErrors: 1,
      errors: [problem],
    });
    const script = createScriptedSend({ status: 207, body });
    await expect(openScripted(script).findByKey(['a@b.example'], PLAIN)).rejects.toMatchObject({
      code,
      remote: { code: 207 },
    });
  });

  test('finds no contact by an id that HubSpot names as missing, whatever else it leaves out', async () => {
    const errors = [{ message: 'Could not get some CONTACT objects', context: { ids: ['7'] } }];
    const body = JSON.stringify({ results: [{ id: '8', properties: {} }], errors });
    const found = await openScripted(createScriptedSend({ status: 207, body })).findByIds(
      ['7', '8'],
      PLAIN,
    );
    expect([...found.keys()]).toEqual(['8']);
  });

  test('finds no contact by an email that HubSpot rejects as malformed, and still finds the others', async () => {
    const body = JSON.stringify({
      results: [{ id: '1', properties: { email: 'a@b.example' } }],
      errors: [{ category: 'VALIDATION_ERROR', message: 'odd@ is not valid' }],
    });
    const found = await openScripted(createScriptedSend({ status: 207, body })).findByKey(
      ['odd@', 'a@b.example'],
      PLAIN,
    );
    expect([...found].map(([, contacts]) => contacts.length)).toEqual([0, 1]);
  });
});

describe('associations', () => {
  test('are read from all pages, as texts, without duplicates', async () => {
    const link = (toObjectId: unknown) => ({ toObjectId, associationTypes: [] });
    const script = createScriptedSend(
      {
        status: 207,
        body: JSON.stringify({
          results: [
            {
              from: { id: '1' },
              to: [link(5790939450), link('11')],
              paging: { next: { after: 'a1' } },
            },
            { from: { id: '2' }, to: [link(12)] },
            { from: { id: '77' }, to: [link(13)] },
          ],
          errors: [
            { category: 'OBJECT_NOT_FOUND', subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND' },
          ],
        }),
      },
      { body: JSON.stringify({ results: [{ from: { id: 1 }, to: [link(11), link(14)] }] }) },
    );
    const found = await openScripted(script).related?.(['1', '2', '3', 'x'], 'company');
    const ids = [...(found ?? [])].map(([id, linked]) => [
      id,
      linked.map(({ remoteId }) => remoteId),
    ]);
    expect(ids).toEqual([
      ['1', ['5790939450', '11', '14']],
      ['2', ['12']],
      ['3', []],
      ['x', []],
    ]);
    expect(JSON.parse(script.requests[1]?.body ?? '')).toEqual({
      inputs: [{ id: '1', after: 'a1' }],
    });
  });

  test('are read in batches for more than a thousand contacts', async () => {
    const { account, openPort } = subject.open(
      Array.from({ length: 1_500 }, () => ({ companyIndex: 3 })),
    );
    const ids = Array.from({ length: 1_500 }, (_, index) => account.recordId(index + 1));
    const found = await openPort().related?.(ids, 'company');
    expect(account.callCount('associations.batchRead')).toBe(2);
    expect([...(found?.values() ?? [])].filter((linked) => linked.length === 1)).toHaveLength(
      1_500,
    );
  });

  test('with endless pages give an error', async () => {
    const more = { results: [{ from: { id: '1' }, to: [], paging: { next: { after: 'a' } } }] };
    const script = createScriptedSend(
      ...Array.from({ length: 99 }, () => ({ body: JSON.stringify(more) })),
    );
    await expect(openScripted(script).related?.(['1'], 'deal')).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_BAD_RESPONSE',
    });
  });
});
