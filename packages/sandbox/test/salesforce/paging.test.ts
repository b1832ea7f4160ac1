import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { API, type Client, openClient } from './client.ts';

const PEOPLE = Array.from({ length: 2_050 }, (_, place) => ({
  lastName: `No. ${place + 1}`,
  email: place % 2 === 0 ? 'same@crowd.example' : null,
  isDeleted: place === 7,
}));

describe('Pages of a Salesforce query', () => {
  let client: Client;
  beforeEach(async () => {
    client = await openClient(PEOPLE);
  });
  afterEach(() => client.sandbox.close());

  test('link the next page by a path that ends in its offset', async () => {
    const first = await client.query('SELECT Id FROM Contact');
    expect(Object.keys(first.body)).toEqual(['totalSize', 'done', 'nextRecordsUrl', 'records']);
    expect(first.body).toMatchObject({ totalSize: 2_049, done: false });
    expect(first.body.nextRecordsUrl).toMatch(/^\/services\/data\/v66\.0\/query\/01g\w{15}-2000$/);
    const second = await client.send(first.body.nextRecordsUrl);
    expect(second.body).toMatchObject({ totalSize: 2_049, done: true });
    expect(second.body.records).toHaveLength(49);
    expect(second.body).not.toHaveProperty('nextRecordsUrl');
  });

  test.each([
    ['300', 300],
    ['1', 200],
    ['99999', 2_000],
  ])('with a batch size of %s have %i rows', async (wanted, size) => {
    const headers = { 'sforce-query-options': `batchSize=${wanted}` };
    const { body } = await client.query('SELECT Id FROM Contact', headers);
    expect(body.records).toHaveLength(size);
    expect(body.nextRecordsUrl).toMatch(new RegExp(`-${size}$`));
  });

  test('can have fewer rows than requested', async () => {
    client.account.setQuirks({ maxBatchSize: 500, doneFirst: true });
    const { body } = await client.query('SELECT Id FROM Contact');
    expect(body.nextRecordsUrl).toMatch(/-500$/);
    expect(Object.keys(body)[0]).toBe('done');
  });

  test('have a cursor that expires after exactly two days', async () => {
    const { nextRecordsUrl } = (await client.query('SELECT Id FROM Contact')).body;
    client.advance(2 * 86_400_000 - 1);
    client.account.issueToken('access');
    expect((await client.send(nextRecordsUrl)).status).toBe(200);
    client.advance(1);
    expect(await client.send(nextRecordsUrl)).toMatchObject({
      status: 400,
      body: [{ errorCode: 'INVALID_QUERY_LOCATOR' }],
    });
  });

  test.each(['01gRO0000009999YAA-2000', '01g', 'x-1', '..%2Fquery', '%E0%A4%A'])(
    'cannot be continued with %s',
    async (locator) => {
      const { status } = await client.send(`${API}/query/${locator}`);
      expect([400, 404]).toContain(status);
    },
  );

  test('cannot be continued with another org’s cursor', async () => {
    const { nextRecordsUrl } = (await client.query('SELECT Id FROM Contact')).body;
    const other = client.sandbox.salesforce.createAccount({});
    const headers = { authorization: `Bearer ${other.accessToken}` };
    expect((await client.send(nextRecordsUrl, { headers })).body[0].errorCode).toBe(
      'INVALID_QUERY_LOCATOR',
    );
  });

  test('with an OFFSET, even of 0, end after the first page', async () => {
    const { body } = await client.query('SELECT Id FROM Contact OFFSET 0');
    expect(body).toMatchObject({ totalSize: 2_000, done: true });
  });

  test('contain deleted rows in queryAll, which continues under query', async () => {
    const { body } = await client.send(`${API}/queryAll?q=SELECT+Id,IsDeleted+FROM+Contact`);
    expect(body.totalSize).toBe(2_050);
    expect(body.records[7].IsDeleted).toBe(true);
    expect(body.nextRecordsUrl).toContain('/query/01g');
  });

  test('neither repeat nor skip rows when the client pages by keyset while rows are added and deleted', async () => {
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

  test('have ties in another order when the org shuffles them', async () => {
    client.account.setQuirks({ shuffleTies: true });
    const soql = 'SELECT Id FROM Contact ORDER BY Email LIMIT 5';
    const [one, two] = [await client.query(soql), await client.query(soql)];
    expect(one.body.records).not.toEqual(two.body.records);
    const stable = 'SELECT Id FROM Contact ORDER BY Email, Id LIMIT 5';
    expect((await client.query(stable)).body.records).toEqual(
      (await client.query(stable)).body.records,
    );
  });
});
