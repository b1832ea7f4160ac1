import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { API, type Client, openClient } from './client.ts';

const QUERY = `${API}/query/?q=SELECT+COUNT()+FROM+Contact`;

describe('Several requests in one call:', () => {
  let client: Client;
  beforeAll(async () => {
    client = await openClient([
      { lastName: 'One', email: 'one@example.com' },
      { lastName: 'Two', email: 'two@example.com', isDeleted: true },
    ]);
  });
  beforeEach(() => client.account.setQuirks({ errorCodeFirst: false, namesDeleted: false }));
  afterAll(() => client.sandbox.close());

  const composite = (parts: readonly object[], more = {}) =>
    client.send(`${API}/composite`, { body: { compositeRequest: parts, ...more } });
  const batch = (parts: readonly object[], more = {}) =>
    client.send(`${API}/composite/batch`, { body: { batchRequests: parts, ...more } });
  const usage = (headers: Headers) =>
    Number(/api-usage=(\d+)/.exec(headers.get('sforce-limit-info') ?? '')?.[1]);

  test('a composite request is answered by reference id, and costs one call', async () => {
    const before = usage((await client.send(`${API}/limits`)).headers);
    const { body, headers } = await composite([
      { method: 'GET', url: QUERY, referenceId: 'count' },
      { method: 'GET', url: `${API}/query/?q=SELECT+Shoe+FROM+Contact`, referenceId: 'wrong' },
    ]);
    expect(body.compositeResponse).toEqual([
      {
        body: { totalSize: 1, done: true, records: [] },
        httpHeaders: {},
        httpStatusCode: 200,
        referenceId: 'count',
      },
      expect.objectContaining({
        httpStatusCode: 400,
        body: [expect.objectContaining({ errorCode: 'INVALID_FIELD' })],
      }),
    ]);
    expect(usage(headers)).toBe(before + 1);
  });

  test('allOrNone rolls back the successful parts', async () => {
    const parts = [QUERY, `${API}/nothing`].map((url, place) => ({
      method: 'GET',
      url,
      referenceId: `r${place}`,
    }));
    const { body } = await composite(parts, { allOrNone: true });
    expect(body.compositeResponse).toMatchObject([
      { httpStatusCode: 400, body: [{ errorCode: 'PROCESSING_HALTED' }] },
      { httpStatusCode: 404 },
    ]);
  });

  test('a composite takes at most five queries', async () => {
    const parts = (count: number) =>
      Array.from({ length: count }, (_, place) => ({
        method: 'GET',
        url: QUERY,
        referenceId: `q${place}`,
      }));
    expect((await composite(parts(5))).status).toBe(200);
    expect((await composite(parts(6))).status).toBe(400);
  });

  test('reference ids are required and unique', async () => {
    const part = { method: 'GET', url: QUERY };
    expect((await composite([part])).status).toBe(400);
    const twice = { ...part, referenceId: 'same' };
    expect((await composite([twice, twice])).status).toBe(400);
  });

  test('a batch counts each of its parts, and accepts short URLs', async () => {
    const before = usage((await client.send(`${API}/limits`)).headers);
    const short = 'v60.0/query/?q=SELECT+COUNT()+FROM+Contact';
    const { body, headers } = await batch(
      [short, QUERY, 'v66.0/nothing'].map((url) => ({ method: 'GET', url })),
    );
    expect(body.hasErrors).toBe(true);
    expect(body.results.map(({ statusCode }: { statusCode: number }) => statusCode)).toEqual([
      200, 200, 404,
    ]);
    expect(usage(headers)).toBe(before + 3);
  });

  test('a batch with haltOnError stops at the first error', async () => {
    const parts = ['v66.0/nothing', QUERY].map((url) => ({ method: 'GET', url }));
    const { body } = await batch(parts, { haltOnError: true });
    expect(body.results[1]).toMatchObject({
      statusCode: 412,
      result: [{ errorCode: 'BATCH_PROCESSING_HALTED' }],
    });
  });

  test('a batch takes at most 25 parts', async () => {
    const parts = (count: number) =>
      Array.from({ length: count }, () => ({ method: 'GET', url: QUERY }));
    expect((await batch(parts(25))).status).toBe(200);
    expect((await batch(parts(26))).status).toBe(400);
  });

  test('a collection reads many records by id: null for a missing, deleted or malformed id', async () => {
    const [one, two, three] = [1, 2, 3].map((index) => client.account.recordId(index));
    const ids = [three, one?.slice(0, 15), two, 'nonsense'];
    const { body } = await client.send(`${API}/composite/sobjects/Contact`, {
      body: { ids, fields: ['email'] },
    });
    expect(body).toEqual([
      null,
      {
        attributes: { type: 'Contact', url: `${API}/sobjects/Contact/${one}` },
        Id: one,
        Email: 'one@example.com',
      },
      null,
      null,
    ]);
  });

  test('dates are date-only, datetimes have milliseconds and an offset without a colon', async () => {
    const lastActivityAt = Date.UTC(2026, 9, 14, 15, 9, 26, 535);
    const id = client.account.addPerson({
      lastName: 'Timed',
      lastActivityAt,
      createdAt: lastActivityAt,
    });
    const { body } = await client.send(
      `${API}/sobjects/Contact/${id}?fields=LastActivityDate,CreatedDate`,
    );
    expect(body).toMatchObject({
      LastActivityDate: '2026-10-14',
      CreatedDate: '2026-10-14T15:09:26.000+0000',
    });
    client.account.removePerson(id);
  });

  test('too many ids, or an unknown field, fail the whole request', async () => {
    const ids = Array.from({ length: 2_001 }, (_, place) => client.account.recordId(place));
    const get = (body: object) => client.send(`${API}/composite/sobjects/Contact`, { body });
    expect((await get({ ids, fields: ['Id'] })).status).toBe(400);
    expect((await get({ ids: [], fields: ['Shoe'] })).body[0].errorCode).toBe('INVALID_FIELD');
  });

  test('a record is read by id, with all fields or some; a deleted one is 404', async () => {
    const [one, two] = [1, 2].map((index) => client.account.recordId(index));
    const whole = await client.send(`${API}/sobjects/Contact/${one}`);
    expect(whole.body).toMatchObject({
      Id: one,
      Name: 'One',
      MailingAddress: null,
      LastActivityDate: null,
    });
    const some = await client.send(`${API}/sobjects/Contact/${one}?fields=Email`);
    expect(Object.keys(some.body)).toEqual(['attributes', 'Id', 'Email']);
    expect((await client.send(`${API}/sobjects/Contact/${two}`)).body[0].errorCode).toBe(
      'NOT_FOUND',
    );
    client.account.setQuirks({ namesDeleted: true, errorCodeFirst: true });
    const deleted = await client.send(`${API}/sobjects/Contact/${two}`);
    expect(deleted.status).toBe(404);
    expect(Object.entries(deleted.body[0])[0]).toEqual(['errorCode', 'ENTITY_IS_DELETED']);
  });

  test('a parameterized search matches words, not whole emails, by GET and POST', async () => {
    const body = {
      q: 'one example',
      in: 'EMAIL',
      fields: ['Id', 'Email'],
      sobjects: [{ name: 'Contact' }],
    };
    const posted = await client.send(`${API}/parameterizedSearch`, { body });
    expect(posted.body.searchRecords).toMatchObject([{ attributes: { type: 'Contact' } }]);
    const got = await client.send(
      `${API}/parameterizedSearch/?q=one&sobject=Contact&Contact.fields=Id,Email&in=EMAIL`,
    );
    expect(got.body.searchRecords).toMatchObject([{ Email: 'one@example.com' }]);
    expect((await client.send(`${API}/parameterizedSearch/?q=o&sobject=Contact`)).status).toBe(400);
  });
});
