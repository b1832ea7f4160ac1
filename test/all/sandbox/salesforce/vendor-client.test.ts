import { openSandbox, type SalesforceAccount, type Sandbox } from '@crossbook/sandbox';
import { Connection, OAuth2 } from 'jsforce';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, SALESFORCE_CALLBACK } from '../../../../packages/sandbox/test/consent.ts';
import { DIFFERENCES } from '../../../../packages/sandbox/test/differences.ts';

// The vendor's own client is the reference: a difference is a bug of the sandbox.
describe('Salesforce’s own client (jsforce)', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  afterAll(() => sandbox.close());

  const connect = (account: SalesforceAccount): Connection =>
    new Connection({
      instanceUrl: account.instanceUrl,
      accessToken: account.accessToken,
      refreshToken: account.refreshToken,
      version: '66.0',
      oauth2: {
        loginUrl: sandbox.salesforce.origin,
        clientId: account.clientId,
        clientSecret: account.clientSecret,
      },
    });
  const crowd = (count: number): SalesforceAccount =>
    sandbox.salesforce.createAccount({
      people: Array.from({ length: count }, (_, index) => ({
        firstName: 'Person',
        lastName: `No. ${index + 1}`,
        email: `person.${index + 1}@crowd.example`,
      })),
    });

  test('finds a contact by its email, with parent fields', async () => {
    const result = await connect(sandbox.salesforce.demo).query(
      "SELECT Id, Email, MailingAddress, Account.Name, Owner.Name FROM Contact WHERE Email IN ('ADA@EXAMPLE.COM')",
    );
    expect(result).toMatchObject({ totalSize: 1, done: true });
    expect(result.records[0]).toMatchObject({
      Email: 'ada@example.com',
      MailingAddress: { city: 'London' },
      Account: { attributes: { type: 'Account' }, Name: expect.any(String) },
      Owner: { attributes: { type: 'User' }, Name: expect.any(String) },
    });
  });

  test('reads page after page to the end, without gaps or repeats', async () => {
    const connection = connect(crowd(4_500));
    let result = await connection.query('SELECT Id FROM Contact ORDER BY Id');
    const ids = result.records.map(({ Id }) => Id);
    while (!result.done) {
      expect(result.nextRecordsUrl).toMatch(/\/services\/data\/v66\.0\/query\/01g\w{15}-\d+$/);
      result = await connection.queryMore(result.nextRecordsUrl ?? '');
      ids.push(...result.records.map(({ Id }) => Id));
    }
    expect(new Set(ids).size).toBe(4_500);
    expect(ids).toEqual([...ids].sort());
  });

  test('fetches all pages with autoFetch', async () => {
    const account = crowd(2_001);
    const emails: unknown[] = [];
    await new Promise((resolve, reject) => {
      const query = connect(account).query('SELECT Email FROM Contact', {
        autoFetch: true,
        maxFetch: 5_000,
      });
      query.on('record', ({ Email }) => emails.push(Email));
      query.on('end', resolve);
      query.on('error', reject);
      query.run();
    });
    expect(emails).toHaveLength(2_001);
    expect(account.callCount('query.more')).toBe(1);
  });

  test('counts rows in both ways', async () => {
    const connection = connect(crowd(7));
    expect(await connection.sobject('Contact').count()).toBe(7);
    const { records } = await connection.query('SELECT COUNT(Id) total, COUNT(Phone) FROM Contact');
    expect(records).toEqual([{ attributes: { type: 'AggregateResult' }, total: 7, expr0: 0 }]);
  });

  test('builds queries that the sandbox parses', async () => {
    const contacts = connect(crowd(30)).sobject('Contact');
    const found = await contacts
      .find({ Email: { $like: 'person.2%' }, IsDeleted: false, LastName: { $ne: 'No. 2' } }, [
        'Id',
        'LastName',
      ])
      .sort({ LastName: -1 })
      .limit(2)
      .execute();
    expect(found.map(({ LastName }) => LastName)).toEqual(['No. 29', 'No. 28']);
  });

  test('sends a batch, in which one failure does not affect the other parts', async () => {
    const account = crowd(3);
    const answer = await connect(account).requestPost('/composite/batch', {
      batchRequests: [
        { method: 'GET', url: "v66.0/query/?q=SELECT+Id+FROM+Contact+WHERE+LastName='No. 2'" },
        { method: 'GET', url: 'v66.0/query/?q=SELECT+Nothing+FROM+Contact' },
      ],
    });
    expect(answer).toMatchObject({
      hasErrors: true,
      results: [
        { statusCode: 200, result: { totalSize: 1 } },
        { statusCode: 400, result: [{ errorCode: 'INVALID_FIELD' }] },
      ],
    });
  });

  test('retrieves one record, and many in the order of their ids', async () => {
    const account = crowd(3);
    const connection = connect(account);
    const [first, , third] = [1, 2, 3].map((index) => account.recordId(index));
    const missing = account.recordId(99);
    const one = await connection.sobject('Contact').retrieve(first ?? '');
    expect(one).toMatchObject({ Id: first, Name: 'Person No. 1', Email: 'person.1@crowd.example' });
    const many = await connection.sobject('Contact').retrieve([third ?? '', missing, first ?? '']);
    expect(many.map((record) => record?.['Email'] ?? null)).toEqual([
      'person.3@crowd.example',
      null,
      'person.1@crowd.example',
    ]);
  });

  test('describes the contact', async () => {
    const { fields, keyPrefix } = await connect(crowd(1)).describe('Contact');
    expect(keyPrefix).toBe('003');
    expect(fields.find(({ name }) => name === 'Email')).toMatchObject({
      type: 'email',
      length: 80,
      idLookup: true,
    });
  });

  test('builds the consent URL, exchanges the code and reads contacts', async () => {
    const { demo, others, origin } = sandbox.salesforce;
    const [northwind = demo] = others;
    const { clientId, clientSecret } = demo;
    const client = { loginUrl: origin, clientId, clientSecret, redirectUri: SALESFORCE_CALLBACK };
    const oauth2 = new OAuth2({ ...client, useVerifier: true });
    // Its own verifier has 171 characters, and the maximum is 128.
    oauth2.codeVerifier = oauth2.codeVerifier?.slice(0, 128);
    const consentUrl = oauth2.getAuthorizationUrl({ scope: 'api refresh_token', state: 's1' });
    const { back } = await decide(consentUrl, { account: northwind });
    expect(back).toMatchObject({ state: 's1' });
    const connection = new Connection({ oauth2, version: '66.0' });
    const { organizationId } = await connection.authorize(back?.['code'] ?? '');
    expect(organizationId).toBe(northwind.id);
    const { records } = await connection.query(
      "SELECT Email FROM Contact WHERE LastName = 'Davolio'",
    );
    expect(records).toMatchObject([{ Email: 'nancy.davolio@northwind.example' }]);
    await connection.logoutByOAuth2(true);
    await expect(oauth2.refreshToken(northwind.refreshToken)).rejects.toThrow(
      'expired access/refresh token',
    );
  });

  test('is rejected with its own too long PKCE verifier, unless the quirk allows it', async () => {
    const account = crowd(1);
    const { clientId, clientSecret } = account;
    const client = { loginUrl: sandbox.salesforce.origin, clientId, clientSecret };
    const connect = async (): Promise<unknown> => {
      const oauth2 = new OAuth2({ ...client, redirectUri: SALESFORCE_CALLBACK, useVerifier: true });
      const { back } = await decide(oauth2.getAuthorizationUrl(), { account });
      return oauth2.requestToken(back?.['code'] ?? '');
    };
    expect(DIFFERENCES).toContain('long-verifier');
    await expect(connect()).rejects.toThrow('invalid code verifier');
    account.setQuirks({ takesLongVerifiers: true });
    expect(await connect()).toMatchObject({ access_token: account.accessToken });
  });

  test('refreshes its token after a 401 and repeats the call', async () => {
    const account = crowd(2);
    const connection = connect(account);
    const before = account.accessToken;
    account.expireAccessToken();
    const { totalSize } = await connection.query('SELECT Id FROM Contact');
    expect(totalSize).toBe(2);
    expect(account.callCount('oauth.token')).toBe(1);
    expect(connection.accessToken).toBe(account.accessToken);
    expect(connection.accessToken).not.toBe(before);
  });

  test('refreshes its token in the middle of a query', async () => {
    const account = crowd(2_500);
    const connection = connect(account);
    const first = await connection.query('SELECT Id FROM Contact');
    account.expireAccessToken();
    const second = await connection.queryMore(first.nextRecordsUrl ?? '');
    expect([first.records.length, second.records.length, second.done]).toEqual([2_000, 500, true]);
  });

  test('follows an org that has moved', async () => {
    const account = crowd(1);
    const connection = connect(account);
    const moved = account.instanceUrl.replace('127.0.0.1', 'localhost');
    account.setQuirks({ movedInstanceUrl: moved });
    account.expireAccessToken();
    // The client refreshes, but repeats the failed call at the old URL.
    await expect(connection.query('SELECT Id FROM Contact')).rejects.toThrow();
    expect(connection.instanceUrl).toBe(moved);
    expect(await connection.query('SELECT Id FROM Contact')).toMatchObject({ totalSize: 1 });
  });

  test('does not refresh after errors that a refresh cannot solve', async () => {
    const account = crowd(1);
    account.fail('session-not-for-rest');
    const query = connect(account).query('SELECT Id FROM Contact');
    await expect(query).rejects.toThrow('This session is not valid for use with the REST API');
    expect(account.callCount('oauth.token')).toBe(0);
  });

  test.each(['plain', 'per-app', 'bursts'] as const)(
    'reads the limit from the header in form %s',
    async (limitInfo) => {
      const account = crowd(1);
      account.setQuirks({ limitInfo });
      const connection = connect(account);
      await connection.query('SELECT Id FROM Contact');
      expect(connection.limitInfo.apiUsage).toEqual({ used: 1, limit: 100_000 });
      expect(await connection.limits()).toMatchObject({
        DailyApiRequests: { Max: 100_000, Remaining: 99_998 },
      });
    },
  );

  test('reads the user’s identity', async () => {
    const account = crowd(1);
    const identity = await connect(account).identity();
    expect(identity).toMatchObject({
      organization_id: account.id,
      user_id: expect.stringMatching(/^005/),
    });
  });

  test('reports the error of an invalid query by its code', async () => {
    const query = connect(crowd(1)).query("SELECT Id FROM Contact WHERE Email = 'a\\.b'");
    await expect(query).rejects.toMatchObject({ errorCode: 'MALFORMED_QUERY' });
  });
});
