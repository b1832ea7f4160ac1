import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../src/domain/records/contact.ts';
import { byDomain } from '../../support/by-domain.ts';
import { type Org, useOrgs } from './open-org.ts';

const open = useOrgs();
const PLAIN = { rawData: false };
const EMAIL = 'team@shared.example';
const TEAM = Array.from({ length: 23 }, () => ({ email: 'Team@Shared.example' }));
const RUN = { direction: 'forward', from: undefined, limit: 20 } as const;

async function find({ openPort }: Org): Promise<readonly Contact[]> {
  return (await openPort().findByKey([EMAIL], PLAIN)).get(EMAIL) ?? [];
}

describe('rows', () => {
  test('with one email are all found, with the email as stored', async () => {
    const contacts = await find(open(TEAM));
    expect(contacts).toHaveLength(23);
    expect(contacts[0]?.emailAddresses).toEqual([
      { emailAddress: 'Team@Shared.example', emailAddressType: 'primary' },
    ]);
  });

  test('are assembled when pages are smaller than requested', async () => {
    const org = open(TEAM, { maxBatchSize: 7, doneFirst: true });
    expect(await find(org)).toHaveLength(23);
    expect([org.account.callCount('query'), org.account.callCount('query.more')]).toEqual([1, 3]);
    expect(await org.openPort().readList(byDomain('shared.example'), RUN, PLAIN)).toHaveLength(20);
  });

  test('stay in the order of their ids when Salesforce shuffles ties', async () => {
    const { account, openPort } = open(TEAM, { shuffleTies: true, maxBatchSize: 4 });
    const expected = Array.from({ length: 20 }, (_, index) => account.recordId(index + 1));
    for (const _ of [1, 2, 3]) {
      const run = await openPort().readList(byDomain('shared.example'), RUN, PLAIN);
      expect(run.map(({ remoteId }) => remoteId)).toEqual(expected);
    }
  });

  test('with an email that is equal only in the Turkish locale are left out', async () => {
    const people = [{ email: 'KIRK@x.example' }, { email: 'kirk@x.example' }];
    const { account, openPort } = open(people, { userLocale: 'tr' });
    const found = async (email: string) =>
      (await openPort().findByKey([email], PLAIN)).get(email)?.map(({ remoteId }) => remoteId);
    // By the Turkish locale Salesforce matches the wrong contact, which the adapter filters out.
    expect(await found('kırk@x.example')).toEqual([]);
    expect(await found('kirk@x.example')).toEqual([account.recordId(2)]);
  });

  test('take one more call when they were merged, unless the surviving contact is requested too', async () => {
    const { account, openPort } = open(TEAM.slice(0, 3));
    const [loser = '', survivor = ''] = [1, 2].map((index) => account.recordId(index));
    account.mergePerson(loser, survivor);
    for (const [asked, calls] of [
      [[loser, survivor], 1],
      [[loser], 2],
    ] as const) {
      account.resetCalls();
      expect((await openPort().findByIds(asked, PLAIN)).get(loser)?.remoteId).toBe(survivor);
      expect(account.callCount('queryAll')).toBe(calls);
    }
  });

  test('are left out of every search when they are deleted', async () => {
    const org = open(TEAM.slice(0, 3), { namesDeleted: true });
    const gone = org.account.recordId(2);
    org.account.removePerson(gone);
    const port = org.openPort();
    expect(await find(org)).toHaveLength(2);
    expect(await port.readList(byDomain('shared.example'), RUN, PLAIN)).toHaveLength(2);
    expect(await port.count(byDomain('shared.example'))).toBe(2);
    expect((await port.findByIds([gone], PLAIN)).size).toBe(0);
  });

  test('are the same in an org with picklists for states and countries', async () => {
    const mailingAddress = { street: 'A\nB', city: 'C', state: 'D', postalCode: 'E', country: 'F' };
    const [contact] = await find(
      open([{ email: EMAIL, mailingAddress }], { stateAndCountryPicklists: true }),
    );
    expect(contact?.addresses).toEqual([
      {
        addressType: 'mailing',
        street1: 'A',
        street2: 'B',
        city: 'C',
        state: 'D',
        postalCode: 'E',
        country: 'F',
      },
    ]);
  });
});

describe('query cursors', () => {
  test('are replaced once when they have expired, without an error', async () => {
    const org = open(TEAM, { maxBatchSize: 10 });
    org.account.fail('invalid-locator', { operation: 'query.more', after: 1 });
    expect(await find(org)).toHaveLength(23);
    expect(org.account.callCount('query')).toBe(2);
  });

  test('give an error, and no endless loop, when they expire immediately', async () => {
    const org = open(TEAM, { maxBatchSize: 10, cursorTtlMs: 0, errorCodeFirst: true });
    await expect(find(org)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_ERROR',
      remote: { code: 400, body: [{ errorCode: 'INVALID_QUERY_LOCATOR' }] },
    });
    expect(org.account.callCount()).toBe(4);
  });
});

describe('fields', () => {
  test('are left out when they are hidden from the user, in plain and in composite calls', async () => {
    const emails = Array.from(
      { length: 100 },
      (_, index) => `person.${index}@long-company-name.example`,
    );
    const person = { email: emails[0] ?? '', fax: '1', phone: '2', firstName: 'Ada' };
    const org = open([person], { hiddenFields: ['Fax', 'LastActivityDate', 'MailingAddress'] });
    // One call is rejected; one more describes the fields and reads. Later calls reuse the result.
    for (const [asked, calls] of [
      [emails.slice(0, 1), 2],
      [emails, 1],
    ] as const) {
      org.account.resetCalls();
      const found = await org.openPort().findByKey(asked, PLAIN);
      expect(found.get(emails[0] ?? '')).toEqual([
        expect.objectContaining({
          firstName: 'Ada',
          lastActivityAt: null,
          phoneNumbers: [{ phoneNumber: '2', phoneNumberType: 'primary' }],
        }),
      ]);
      expect(org.account.callCount()).toBe(calls);
    }
  });

  test('are left out when they do not exist', async () => {
    const fieldMappings = [{ schemaField: 'shoe_size', mappedField: 'Shoe_Size__c' }];
    const schemaMappingsConfig = {
      commonObjects: [{ object: 'contact', fieldMappings }],
      standardObjects: [],
    };
    const { openPort } = open(TEAM);
    const port = openPort({ schemaMappingsConfig });
    const found = (await port.findByKey([EMAIL], { rawData: true })).get(EMAIL);
    expect(found).toHaveLength(23);
    expect(found?.[0]?.rawData).not.toHaveProperty('Shoe_Size__c');
    expect((await port.findByKey([EMAIL], PLAIN)).get(EMAIL)).toHaveLength(23);
  });

  test('can be mapped from the account of a contact', async () => {
    const fieldMappings = [{ schemaField: 'company', mappedField: 'Account.Name' }];
    const entityMappings = [
      { entityId: null, object: { type: 'standard', name: 'Contact' } as const, fieldMappings },
    ];
    const { openPort } = open([{ email: EMAIL, companyIndex: 3 }]);
    const found = await openPort({ entityMappings }).findByKey([EMAIL], { rawData: true });
    expect(found.get(EMAIL)?.[0]?.rawData?.['Account']).toMatchObject({ Name: expect.any(String) });
  });
});

describe('errors', () => {
  test('an exceeded daily limit is a rate limit error, for a whole call and for a part of it', async () => {
    const emails = Array.from(
      { length: 100 },
      (_, index) => `person.${index}@long-company-name.example`,
    );
    const { account, openPort } = open(TEAM);
    account.setLimits({ requestsPerDay: 0 });
    for (const asked of [[EMAIL], emails]) {
      await expect(openPort().findByKey(asked, PLAIN)).rejects.toMatchObject({
        code: 'REMOTE_PROVIDER_RATE_LIMITED',
        message:
          'Salesforce responded with 403 REQUEST_LIMIT_EXCEEDED: TotalRequests Limit exceeded.',
      });
    }
  });
});
