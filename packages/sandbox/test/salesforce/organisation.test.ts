import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { API, type Client, openClient } from './client.ts';

describe('A Salesforce org', () => {
  let client: Client;
  beforeEach(async () => {
    client = await openClient([
      {
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'ADA.LI@X.EXAMPLE',
        phone: '(415) 555-1212',
        companyIndex: 1,
      },
      { lastName: 'Other', email: 'other@x.example' },
    ]);
  });
  afterEach(() => client.sandbox.close());
  const count = async (where: string) => {
    const { status, body } = await client.query(`SELECT COUNT() FROM Contact WHERE ${where}`);
    return status === 200 ? body.totalSize : body[0].message.split('\n').at(-1);
  };

  test('with probabilistic encryption rejects filters and sorting; with deterministic encryption only exact matches work', async () => {
    const refused = "field 'Email' can not be filtered in a query call";
    client.account.setQuirks({ encryptedFields: { Email: 'probabilistic' } });
    expect(await count("Email = 'other@x.example'")).toBe(refused);
    expect(await count("Email LIKE '%x.example'")).toBe(refused);
    expect((await client.query('SELECT Id FROM Contact ORDER BY Email')).status).toBe(400);
    expect((await client.query('SELECT Email FROM Contact')).body.records).toHaveLength(2);
    client.account.setQuirks({ encryptedFields: { Email: 'deterministic' } });
    expect(await count("Email IN ('other@x.example')")).toBe(1);
    expect(await count("Email LIKE '%x.example'")).toBe(refused);
    const { body } = await client.send(`${API}/sobjects/Contact/describe`);
    expect(body.fields.find(({ name }: { name: string }) => name === 'Email')).toMatchObject({
      encrypted: true,
      filterable: true,
      sortable: false,
    });
  });

  test('with described custom fields returns numbers as numbers, and compares them as numbers', async () => {
    const { recordId, addPerson, setQuirks } = client.account;
    addPerson({ lastName: 'Small', custom: { shoe_size: '9', member: 'true' } });
    addPerson({ lastName: 'Tall', custom: { shoe_size: '44' } });
    setQuirks({
      customFields: {
        Shoe_Size__c: { type: 'double' },
        Member__c: { type: 'boolean', isCalculated: true },
      },
    });
    const { body } = await client.query(
      'SELECT Shoe_Size__c, Member__c FROM Contact WHERE Shoe_Size__c > 8.5 ORDER BY Shoe_Size__c',
    );
    expect(body.records).toMatchObject([
      { Shoe_Size__c: 9, Member__c: true },
      { Shoe_Size__c: 44, Member__c: false },
    ]);
    const { body: one } = await client.send(
      `${API}/sobjects/Contact/${recordId(1)}?fields=Member__c`,
    );
    expect(one.Member__c).toBe(false);
    const { body: described } = await client.send(`${API}/sobjects/Contact/describe`);
    expect(
      described.fields.find(({ name }: { name: string }) => name === 'Member__c'),
    ).toMatchObject({
      type: 'boolean',
      custom: true,
      calculated: true,
      nillable: false,
    });
  });

  test('without access to accounts has neither the type nor the relationship', async () => {
    client.account.setQuirks({ hiddenObjects: ['Account'] });
    const { status, body } = await client.query('SELECT Id FROM Account');
    expect([status, body[0].errorCode]).toEqual([400, 'INVALID_TYPE']);
    expect(body[0].message).toContain("sObject type 'Account' is not supported.");
    expect((await client.query('SELECT Account.Name FROM Contact')).body[0].errorCode).toBe(
      'INVALID_FIELD',
    );
    expect((await client.send(`${API}/sobjects/Account/describe`)).status).toBe(404);
    expect((await client.query('SELECT AccountId FROM Contact')).status).toBe(200);
  });

  test('compares by the locale of its user: in Turkish, i is not the lower case of I', async () => {
    expect(await count("Email = 'ada.li@x.example'")).toBe(1);
    client.account.setQuirks({ userLocale: 'tr' });
    expect(await count("Email = 'ada.li@x.example'")).toBe(0);
    expect(await count("Email = 'ada.lı@x.example'")).toBe(1);
  });

  test('responds 304 to a conditional describe that has not changed', async () => {
    const path = `${API}/sobjects/Contact/describe`;
    const first = await client.send(path);
    const headers = { 'if-modified-since': first.headers.get('last-modified') ?? '' };
    const second = await client.send(path, { headers });
    expect([first.status, second.status, second.text]).toEqual([200, 304, '']);
  });

  test('finds words and numbers in any notation, and rejects an empty search', async () => {
    const search = (sosl: string) => client.send(`${API}/search?q=${encodeURIComponent(sosl)}`);
    const names = async (sosl: string) =>
      (await search(sosl)).body.searchRecords.map(({ LastName }: { LastName: string }) => LastName);
    expect(await names('FIND {4155551212} IN PHONE FIELDS RETURNING Contact(LastName)')).toEqual([
      'Lovelace',
    ]);
    expect(
      await names('FIND {lovel* OR other} RETURNING Contact(LastName ORDER BY LastName LIMIT 5)'),
    ).toEqual(['Lovelace', 'Other']);
    expect(
      await names("FIND {other} RETURNING Contact(LastName WHERE LastName != 'Other')"),
    ).toEqual([]);
    expect((await search('FIND {a} RETURNING Contact(Id)')).body[0].errorCode).toBe(
      'MALFORMED_SEARCH',
    );
    expect((await search('FIND {ada} RETURNING Task(Id)')).body[0].errorCode).toBe('INVALID_TYPE');
  });

  test('rejects a reference to a field that an earlier part did not return', async () => {
    const compositeRequest = ['first', 'second'].map((referenceId) => ({
      method: 'GET',
      referenceId,
      url: `${API}/query/?q=SELECT+Id+FROM+Contact+WHERE+Id='@{second.records[0].Id}'`,
    }));
    const { body } = await client.send(`${API}/composite`, { body: { compositeRequest } });
    expect(body.compositeResponse[0]).toMatchObject({ httpStatusCode: 400 });
  });
});
