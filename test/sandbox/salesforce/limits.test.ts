import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SALESFORCE_FAULTS } from '../../../src/sandbox/salesforce/faults.ts';
import { API, type Client, openClient } from './client.ts';

const DAY = 86_400_000;

describe('what stands before every answer', () => {
  let client: Client;
  beforeEach(async () => {
    client = await openClient([{ lastName: 'One', email: 'one@example.com' }]);
  });
  afterEach(() => client.sandbox.close());

  const ask = (headers = {}) => client.query('SELECT Id FROM Contact', headers);

  test.each([
    ['an unknown token', 'Bearer nobody'],
    ['no token', ''],
  ])('%s is a session that is not valid', async (_title, authorization) => {
    const { status, body } = await ask({ authorization });
    expect(status).toBe(401);
    expect(body).toEqual([{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }]);
  });

  test('a refresh token opens nothing, and sessions end by the clock', async () => {
    expect((await ask({ authorization: `Bearer ${client.account.refreshToken}` })).status).toBe(401);
    client.advance(2 * 3_600_000);
    expect((await ask()).status).toBe(401);
  });

  test('the day’s calls are counted, and those beyond are refused until older ones are a day old', async () => {
    client.account.setLimits({ requestsPerDay: 2 });
    expect((await ask()).headers.get('sforce-limit-info')).toBe('api-usage=1/2');
    client.advance(DAY / 2);
    client.account.issueToken('access');
    await ask();
    const refused = await ask();
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual([
      { message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' },
    ]);
    expect(refused.headers.has('retry-after')).toBe(false);
    client.advance(DAY / 2);
    client.account.issueToken('access');
    expect((await ask()).status).toBe(200);
  });

  test('too many long requests at once refuse the next', async () => {
    client.account.setLimits({ longRequests: 2 });
    client.account.fail({ kind: 'hang' }, { times: 2 });
    const stop = new AbortController();
    const url = `${client.sandbox.salesforce.origin}${API}/limits`;
    const headers = { authorization: `Bearer ${client.account.accessToken}` };
    const hanging = [1, 2].map(() => fetch(url, { headers, signal: stop.signal }).catch(() => undefined));
    await expect.poll(() => client.account.running().length).toBe(2);
    expect((await ask()).status).toBe(200);
    client.advance(20_000);
    expect((await ask()).body[0].message).toBe('ConcurrentPerOrgLongTxn Limit exceeded.');
    stop.abort();
    await Promise.all(hanging);
  });

  test.each([
    ['per-app', 'api-usage=1/100000; per-app-api-usage=1/250(appName=crossbook)'],
    ['bursts', 'api-usage=1/100000; api-bursts=1/750'],
  ] as const)('the limit header has a form called %s', async (limitInfo, expected) => {
    client.account.setQuirks({ limitInfo });
    expect((await ask()).headers.get('sforce-limit-info')).toBe(expected);
  });

  test('an address of more than 16,384 bytes is refused in HTML, and so are headers that make it so', async () => {
    const uri = await client.query(`SELECT Id FROM Contact WHERE Email = '${'a'.repeat(16_384)}'`);
    expect([uri.status, uri.headers.get('content-type')]).toEqual([414, 'text/html;charset=utf-8']);
    const headers = await ask({ 'x-long': 'a'.repeat(16_384) });
    expect([headers.status, headers.headers.get('content-type')]).toEqual([431, 'text/html;charset=utf-8']);
  });

  test('versions are listed for anybody; a retired one is gone, and one to come is not there yet', async () => {
    const { body } = await client.ask('/services/data/', { headers: { authorization: '' } });
    expect(body.at(0)).toMatchObject({ version: '41.0' });
    expect(body.at(-1)).toMatchObject({ version: '68.0', url: '/services/data/v68.0' });
    const status = async (version: string) => (await client.ask(`/services/data/${version}/limits`)).status;
    expect(await status('v40.0')).toBe(410);
    expect(await status('v41.0')).toBe(200);
    expect(await status('v69.0')).toBe(404);
  });

  test('a query is not posted, and a body has to be JSON', async () => {
    const posted = await client.ask(`${API}/query/?q=SELECT+Id+FROM+Contact`, { body: {} });
    expect([posted.status, posted.body[0].errorCode]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    const headers = { 'content-type': 'text/plain' };
    expect((await client.ask(`${API}/composite`, { body: {}, headers })).status).toBe(415);
  });

  test('a field that the user may not see does not exist', async () => {
    client.account.setQuirks({ hiddenFields: ['HomePhone'] });
    const { body } = await client.query('SELECT HomePhone FROM Contact');
    expect(body[0].errorCode).toBe('INVALID_FIELD');
  });

  test('codes of addresses exist where the organisation uses them', async () => {
    const soql = 'SELECT MailingCountryCode FROM Contact';
    expect((await client.query(soql)).status).toBe(400);
    client.account.setQuirks({ stateAndCountryPicklists: true });
    expect((await client.query(soql)).status).toBe(200);
  });

  test('every refusal that has a name can be had, once', async () => {
    for (const name of Object.keys(SALESFORCE_FAULTS)) {
      client.account.fail(name);
      expect((await ask()).status, name).toBeGreaterThanOrEqual(400);
    }
    expect((await ask()).status).toBe(200);
  });
});
