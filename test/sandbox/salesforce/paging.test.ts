import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { API, type Client, openClient } from './client.ts';

const PEOPLE = Array.from({ length: 2_050 }, (_, place) => ({
  lastName: `No. ${place + 1}`,
  email: place % 2 === 0 ? 'same@crowd.example' : null,
  isDeleted: place === 7,
}));

describe('pages of a query', () => {
  let client: Client;
  beforeEach(async () => {
    client = await openClient(PEOPLE);
  });
  afterEach(() => client.sandbox.close());

  test('the first page names the next by a path that ends in its offset', async () => {
    const first = await client.query('SELECT Id FROM Contact');
    expect(Object.keys(first.body)).toEqual(['totalSize', 'done', 'nextRecordsUrl', 'records']);
    expect(first.body).toMatchObject({ totalSize: 2_049, done: false });
    expect(first.body.nextRecordsUrl).toMatch(/^\/services\/data\/v66\.0\/query\/01g\w{15}-2000$/);
    const second = await client.ask(first.body.nextRecordsUrl);
    expect(second.body).toMatchObject({ totalSize: 2_049, done: true });
    expect(second.body.records).toHaveLength(49);
    expect(second.body).not.toHaveProperty('nextRecordsUrl');
  });

  test.each([
    ['300', 300],
    ['1', 200],
    ['99999', 2_000],
  ])('a batch size of %s gives pages of %i', async (wanted, size) => {
    const headers = { 'sforce-query-options': `batchSize=${wanted}` };
    const { body } = await client.query('SELECT Id FROM Contact', headers);
    expect(body.records).toHaveLength(size);
    expect(body.nextRecordsUrl).toMatch(new RegExp(`-${size}$`));
  });

  test('an organisation may give fewer rows than asked for', async () => {
    client.account.setQuirks({ maxBatchSize: 500, doneFirst: true });
    const { body } = await client.query('SELECT Id FROM Contact');
    expect(body.nextRecordsUrl).toMatch(/-500$/);
    expect(Object.keys(body)[0]).toBe('done');
  });

  test('a cursor is good for two days and not a moment longer', async () => {
    const { nextRecordsUrl } = (await client.query('SELECT Id FROM Contact')).body;
    client.advance(2 * 86_400_000 - 1);
    client.account.issueToken('access');
    expect((await client.ask(nextRecordsUrl)).status).toBe(200);
    client.advance(1);
    expect(await client.ask(nextRecordsUrl)).toMatchObject({
      status: 400,
      body: [{ errorCode: 'INVALID_QUERY_LOCATOR' }],
    });
  });

  test.each(['01gRO0000009999YAA-2000', '01g', 'x-1', '..%2Fquery', '%E0%A4%A'])(
    '%s continues nothing',
    async (locator) => {
      const { status } = await client.ask(`${API}/query/${locator}`);
      expect([400, 404]).toContain(status);
    },
  );

  test('another organisation’s cursor is unknown', async () => {
    const { nextRecordsUrl } = (await client.query('SELECT Id FROM Contact')).body;
    const other = client.sandbox.salesforce.createAccount({});
    const headers = { authorization: `Bearer ${other.accessToken}` };
    expect((await client.ask(nextRecordsUrl, { headers })).body[0].errorCode).toBe('INVALID_QUERY_LOCATOR');
  });

  test('an offset, even of 0, ends with the first page', async () => {
    const { body } = await client.query('SELECT Id FROM Contact OFFSET 0');
    expect(body).toMatchObject({ totalSize: 2_000, done: true });
  });

  test('deleted rows are in queryAll, which goes on under query', async () => {
    const { body } = await client.ask(`${API}/queryAll?q=SELECT+Id,IsDeleted+FROM+Contact`);
    expect(body.totalSize).toBe(2_050);
    expect(body.records[7].IsDeleted).toBe(true);
    expect(body.nextRecordsUrl).toContain('/query/01g');
  });

  test('rows that come and go between two keyset pages are neither repeated nor skipped', async () => {
    const page = (from: string) =>
      client.query(`SELECT Id FROM Contact WHERE Id > '${from}' ORDER BY Id LIMIT 1000`);
    const first = (await page('003000000000000AAA')).body.records;
    client.account.removePerson(first[3].Id);
    const added = client.account.addPerson({ lastName: 'Late' });
    const second = (await page(first.at(-1).Id)).body.records;
    const third = (await page(second.at(-1).Id)).body.records;
    const ids = [...first, ...second, ...third].map(({ Id }) => Id);
    expect(new Set(ids).size).toBe(2_050);
    expect(ids.at(-1)).toBe(added);
  });

  test('ties come in another order when the organisation shuffles them', async () => {
    client.account.setQuirks({ shuffleTies: true });
    const soql = 'SELECT Id FROM Contact ORDER BY Email LIMIT 5';
    const [one, two] = [await client.query(soql), await client.query(soql)];
    expect(one.body.records).not.toEqual(two.body.records);
    const stable = 'SELECT Id FROM Contact ORDER BY Email, Id LIMIT 5';
    expect((await client.query(stable)).body.records).toEqual((await client.query(stable)).body.records);
  });
});
