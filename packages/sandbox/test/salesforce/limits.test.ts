import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SALESFORCE_FAULTS } from '../../src/salesforce/faults.ts';
import { API, type Client, openClient } from './client.ts';

const DAY = 86_400_000;

describe('Any Salesforce request:', () => {
  let client: Client;
  beforeEach(async () => {
    client = await openClient([{ lastName: 'One', email: 'one@example.com' }]);
  });
  afterEach(() => client.sandbox.close());

  const send = (headers = {}) => client.query('SELECT Id FROM Contact', headers);

  test.each([
    ['an unknown token', 'Bearer nobody'],
    ['a missing token', ''],
  ])('%s is rejected as an invalid session', async (_title, authorization) => {
    const { status, body } = await send({ authorization });
    expect(status).toBe(401);
    expect(body).toEqual([
      { message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' },
    ]);
  });

  test('a refresh token is rejected as a session, and sessions expire', async () => {
    expect((await send({ authorization: `Bearer ${client.account.refreshToken}` })).status).toBe(
      401,
    );
    client.advance(2 * 3_600_000);
    expect((await send()).status).toBe(401);
  });

  test('calls are counted, and calls beyond the daily limit are rejected until earlier ones are a day old', async () => {
    client.account.setLimits({ requestsPerDay: 2 });
    expect((await send()).headers.get('sforce-limit-info')).toBe('api-usage=1/2');
    client.advance(DAY / 2);
    client.account.issueToken('access');
    await send();
    const refused = await send();
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual([
      { message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' },
    ]);
    expect(refused.headers.has('retry-after')).toBe(false);
    client.advance(DAY / 2);
    client.account.issueToken('access');
    expect((await send()).status).toBe(200);
  });

  test('too many concurrent long requests reject the next one', async () => {
    client.account.setLimits({ longRequests: 2 });
    client.account.fail({ kind: 'hang' }, { times: 2 });
    const stop = new AbortController();
    const url = `${client.sandbox.salesforce.origin}${API}/limits`;
    const headers = { authorization: `Bearer ${client.account.accessToken}` };
    const hanging = [1, 2].map(() =>
      fetch(url, { headers, signal: stop.signal }).catch(() => undefined),
    );
    await expect.poll(() => client.account.running().length).toBe(2);
    expect((await send()).status).toBe(200);
    client.advance(20_000);
    expect((await send()).body[0].message).toBe('ConcurrentPerOrgLongTxn Limit exceeded.');
    stop.abort();
    await Promise.all(hanging);
  });

  test.each([
    ['per-app', 'api-usage=1/100000; per-app-api-usage=1/250(appName=crossbook)'],
    ['bursts', 'api-usage=1/100000; api-bursts=1/750'],
  ] as const)('the limit header can have the form %s', async (limitInfo, expected) => {
    client.account.setQuirks({ limitInfo });
    expect((await send()).headers.get('sforce-limit-info')).toBe(expected);
  });

  test('a URI or header above 16,384 bytes is rejected with HTML', async () => {
    const uri = await client.query(`SELECT Id FROM Contact WHERE Email = '${'a'.repeat(16_384)}'`);
    expect([uri.status, uri.headers.get('content-type')]).toEqual([414, 'text/html;charset=utf-8']);
    const headers = await send({ 'x-long': 'a'.repeat(16_384) });
    expect([headers.status, headers.headers.get('content-type')]).toEqual([
      431,
      'text/html;charset=utf-8',
    ]);
  });

  test('versions are listed without authentication; a retired version is 410 and a future one 404', async () => {
    const { body } = await client.send('/services/data/', { headers: { authorization: '' } });
    expect(body.at(0)).toMatchObject({ version: '41.0' });
    expect(body.at(-1)).toMatchObject({ version: '68.0', url: '/services/data/v68.0' });
    const status = async (version: string) =>
      (await client.send(`/services/data/${version}/limits`)).status;
    expect(await status('v40.0')).toBe(410);
    expect(await status('v41.0')).toBe(200);
    expect(await status('v69.0')).toBe(404);
  });

  test('a query by POST is rejected, and a body must be JSON', async () => {
    const posted = await client.send(`${API}/query/?q=SELECT+Id+FROM+Contact`, { body: {} });
    expect([posted.status, posted.body[0].errorCode]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    const headers = { 'content-type': 'text/plain' };
    expect((await client.send(`${API}/composite`, { body: {}, headers })).status).toBe(415);
  });

  test('a field hidden from the user is an unknown field', async () => {
    client.account.setQuirks({ hiddenFields: ['HomePhone'] });
    const { body } = await client.query('SELECT HomePhone FROM Contact');
    expect(body[0].errorCode).toBe('INVALID_FIELD');
  });

  test('state and country codes exist only where the org uses them', async () => {
    const soql = 'SELECT MailingCountryCode FROM Contact';
    expect((await client.query(soql)).status).toBe(400);
    client.account.setQuirks({ stateAndCountryPicklists: true });
    expect((await client.query(soql)).status).toBe(200);
  });

  test('every named fault rejects one request', async () => {
    for (const name of Object.keys(SALESFORCE_FAULTS)) {
      client.account.fail(name);
      expect((await send()).status, name).toBeGreaterThanOrEqual(400);
    }
    expect((await send()).status).toBe(200);
  });
});
