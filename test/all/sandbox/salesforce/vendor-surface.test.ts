import { createHash } from 'node:crypto';
import { openSandbox, type SalesforceAccount, type Sandbox } from '@crossbook/sandbox';
import { Connection, OAuth2, SfDate } from 'jsforce';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide, SALESFORCE_CALLBACK } from '../../../../packages/sandbox/test/consent.ts';
import { DIFFERENCES, methodsOf } from '../../../../packages/sandbox/test/differences.ts';

/** Everything that the vendor's client does with contacts, accounts and OAuth. */
const NOW = Date.UTC(2026, 10, 20, 12);
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: () => NOW });
});
afterAll(() => sandbox.close());

function open(): Opened {
  const account = sandbox.salesforce.createAccount({
    people: [
      {
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: 'ada@x.example',
        phone: '(415) 555-1212',
        updatedAt: NOW,
      },
      { lastName: 'Gone', isDeleted: true, companyIndex: 1, updatedAt: NOW },
    ],
  });
  const oauth2 = new OAuth2({
    loginUrl: sandbox.salesforce.origin,
    redirectUri: SALESFORCE_CALLBACK,
    clientId: account.clientId,
    clientSecret: account.clientSecret,
  });
  const { instanceUrl, accessToken, refreshToken } = account;
  const connection = new Connection({
    instanceUrl,
    accessToken,
    refreshToken,
    oauth2,
    version: '66.0',
  });
  return { account, connection, oauth2, contacts: toContacts(connection), id: account.recordId(1) };
}

function toContacts(connection: Connection) {
  return connection.sobject('Contact');
}

const VERIFIER = 'v'.repeat(128);
const PKCE = { code_challenge: createHash('sha256').update(VERIFIER).digest('base64url') };

const ADA = { Email: 'ada@x.example' };
const SPAN = [new Date(NOW - 86_400_000), new Date(NOW + 1_000)] as const;
const EMAIL = { email: expect.stringContaining('@') };

const CONNECTION: Surface = {
  query: [
    ({ connection }) => connection.query('SELECT Email FROM Contact'),
    { totalSize: 1, records: [ADA] },
  ],
  queryMore: [
    ({ connection, account }) => {
      account.setQuirks({ maxBatchSize: 1 });
      return connection
        .query('SELECT Email FROM Contact', { scanAll: true })
        .then(({ nextRecordsUrl }) => connection.queryMore(nextRecordsUrl ?? ''));
    },
    { done: true, records: [{ Email: null }] },
  ],
  search: [
    ({ connection }) =>
      connection.search('FIND {4155551212} IN PHONE FIELDS RETURNING Contact(Id, Email)'),
    { searchRecords: [{ attributes: { type: 'Contact' }, ...ADA }] },
  ],
  retrieve: [({ connection, id }) => connection.retrieve('Contact', id), ADA],
  describe: [
    ({ connection }) => connection.describe('Account'),
    { name: 'Account', keyPrefix: '001' },
  ],
  describeGlobal: [
    ({ connection }) => connection.describeGlobal(),
    { sobjects: expect.any(Array) },
  ],
  sobject: [({ contacts }) => contacts.count(ADA), 1],
  identity: [({ connection }) => connection.identity(), EMAIL],
  updated: [
    ({ connection, id }) =>
      connection.updated('Contact', ...SPAN).then(({ ids }) => ids.indexOf(id)),
    0,
  ],
  deleted: [
    ({ connection }) => connection.deleted('Contact', ...SPAN),
    {
      deletedRecords: [{ id: expect.stringMatching(/^003/) }],
      latestDateCovered: expect.any(String),
    },
  ],
  limits: [({ connection }) => connection.limits(), { DailyApiRequests: {}, DataStorageMB: {} }],
  request: [({ connection }) => connection.request('/limits'), { DailyApiRequests: {} }],
  requestGet: [({ connection }) => connection.requestGet('/limits'), { DailyApiRequests: {} }],
  requestPost: [
    ({ connection }) =>
      connection.requestPost('/composite', {
        compositeRequest: [
          { method: 'GET', url: `${API}/query/?q=SELECT+Id+FROM+Contact`, referenceId: 'all' },
          {
            method: 'GET',
            url: `${API}/sobjects/Contact/@{all.records[0].Id}`,
            referenceId: 'first',
          },
        ],
      }),
    { compositeResponse: [{}, { httpStatusCode: 200, body: ADA }] },
  ],
  logout: [({ connection }) => connection.logout(), undefined],
  logoutByOAuth2: [({ connection }) => connection.logoutByOAuth2(), undefined],
  isLightningInstance: [
    ({ connection }) =>
      Reflect.apply(
        Reflect.get(connection, 'isLightningInstance') as () => boolean,
        connection,
        [],
      ),
    false,
  ],
  authorize: [
    async ({ connection, oauth2, account }) => {
      const { back } = await decide(oauth2.getAuthorizationUrl(PKCE), { account });
      return connection.authorize(back?.['code'] ?? '', { code_verifier: VERIFIER });
    },
    { organizationId: expect.stringMatching(/^00D/) },
  ],
  loginByOAuth2: 'consent-in-the-browser',
  login: 'consent-in-the-browser',
  loginBySoap: 'soap',
  logoutBySoap: 'soap',
  soap: 'soap',
  create: 'writes',
  update: 'writes',
  upsert: 'writes',
  destroy: 'writes',
  requestPut: 'writes',
  requestPatch: 'writes',
  requestDelete: 'writes',
  recent: 'screens',
  tabs: 'screens',
  theme: 'screens',
  quickActions: 'screens',
  quickAction: 'screens',
  analytics: 'other-apis',
  apex: 'other-apis',
  bulk: 'other-apis',
  bulk2: 'other-apis',
  chatter: 'other-apis',
  metadata: 'other-apis',
  streaming: 'other-apis',
  tooling: 'other-apis',
};

const SOBJECT: Surface = {
  retrieve: [({ contacts, id }) => contacts.retrieve([id, id.replace(/.$/, 'x')]), [ADA, null]],
  describe: [({ contacts }) => contacts.describe(), { name: 'Contact' }],
  describe$: [({ contacts }) => contacts.describe$(), { name: 'Contact' }],
  describe$$: [
    async ({ contacts }) => {
      await contacts.describe$();
      return contacts.describe$$();
    },
    { name: 'Contact' },
  ],
  record: [({ contacts, id }) => contacts.record(id).retrieve(), ADA],
  find: [({ contacts }) => contacts.find(ADA).execute(), [ADA]],
  findOne: [({ contacts }) => contacts.findOne(ADA), ADA],
  select: [({ contacts }) => contacts.select('Email').where(ADA).limit(1).execute(), [ADA]],
  count: [({ contacts }) => contacts.count(), 1],
  updated: [({ contacts }) => contacts.updated(...SPAN), { ids: [expect.stringMatching(/^003/)] }],
  deleted: [({ contacts }) => contacts.deleted(...SPAN), { deletedRecords: [{}] }],
  create: [({ contacts }) => contacts.create({ LastName: 'New' }), { success: true }],
  update: [({ contacts, id }) => contacts.update({ Id: id, LastName: 'New' }), { success: true }],
  upsert: 'writes',
  destroy: 'writes',
  bulkload: 'other-apis',
  createBulk: 'other-apis',
  updateBulk: 'other-apis',
  upsertBulk: 'other-apis',
  destroyBulk: 'other-apis',
  destroyHardBulk: 'other-apis',
  recent: 'screens',
  layouts: 'screens',
  compactLayouts: 'screens',
  approvalLayouts: 'screens',
  listviews: 'screens',
  listview: 'screens',
  quickActions: 'screens',
  quickAction: 'screens',
};

const OAUTH: Surface = {
  getAuthorizationUrl: [
    async ({ oauth2 }) => oauth2.getAuthorizationUrl({ scope: 'api' }),
    expect.stringContaining('/services/oauth2/authorize?'),
  ],
  refreshToken: [
    ({ oauth2, account }) => oauth2.refreshToken(account.refreshToken),
    { access_token: expect.stringMatching(/^00D/) },
  ],
  revokeToken: [({ oauth2, account }) => oauth2.revokeToken(account.refreshToken), undefined],
  requestToken: [
    async ({ oauth2, account }) => {
      const { back } = await decide(oauth2.getAuthorizationUrl(PKCE), { account });
      return oauth2.requestToken(back?.['code'] ?? '', { code_verifier: VERIFIER });
    },
    { access_token: expect.stringMatching(/^00D/), scope: 'refresh_token api id' },
  ],
  authenticate: 'consent-in-the-browser',
};

const SURFACES = [
  ['the connection', CONNECTION, ({ connection }: Opened) => connection],
  ['an object', SOBJECT, ({ contacts }: Opened) => contacts],
  ['OAuth', OAUTH, ({ oauth2 }: Opened) => oauth2],
] as const;

test.each(SURFACES)('every method of %s is listed', (_title, surface, target) => {
  expect(Object.keys(surface).sort()).toEqual([...methodsOf(target(open()))].sort());
});

test.each(
  SURFACES.flatMap(([title, surface]) =>
    Object.entries(surface).flatMap(([method, what]) =>
      typeof what === 'string' ? [] : [[title, method, ...what] as const],
    ),
  ),
)('%s: %s returns what the vendor’s client expects', async (_title, _method, call, found) => {
  const result = await call(open());
  if (found === undefined) expect(result).toBeFalsy();
  else if (typeof found === 'object' && found !== null) expect(result).toMatchObject(found);
  else expect(result).toBe(found);
});

const QUERIES: Surface = {
  'a date literal': [
    ({ contacts }) => contacts.find({ LastModifiedDate: new SfDate('TODAY') }).execute(),
    [ADA],
  ],
  'groups and aggregates': [
    ({ connection }) =>
      connection.query(
        'SELECT LastName, COUNT(Id) n FROM Contact GROUP BY LastName HAVING COUNT(Id) > 0',
      ),
    {
      totalSize: 1,
      done: true,
      records: [{ attributes: { type: 'AggregateResult' }, LastName: 'Lovelace', n: 1 }],
    },
  ],
  'a subquery': [
    ({ connection }) =>
      connection
        .sobject('Account')
        .find({}, 'Name')
        .scanAll(true)
        .include('Contacts', {}, 'LastName')
        .end()
        .limit(1)
        .execute(),
    [{ Contacts: { totalSize: 1, records: [{ LastName: 'Gone' }] } }],
  ],
};

test.each(Object.entries(QUERIES))('a query with %s', async (_title, [call, found]) => {
  if (typeof call === 'function') expect(await call(open())).toMatchObject(found as object);
});

const REFUSED: readonly (readonly [string, (opened: Opened) => unknown])[] = [
  ['writes', ({ contacts, id }) => contacts.destroy(id)],
  ['consent-in-the-browser', ({ oauth2 }) => oauth2.authenticate('user', 'password')],
  [
    'long-verifier',
    async ({ account }) => {
      const { clientId, clientSecret } = account;
      const client = { clientId, clientSecret, redirectUri: SALESFORCE_CALLBACK };
      const own = new OAuth2({ ...client, loginUrl: sandbox.salesforce.origin, useVerifier: true });
      const { back } = await decide(own.getAuthorizationUrl(), { account });
      return own.requestToken(back?.['code'] ?? '');
    },
  ],
  ['soap', ({ connection }) => connection.loginBySoap('user', 'password')],
  ['screens', ({ connection }) => connection.tabs()],
  ['screens', ({ connection }) => connection.theme()],
  ['screens', ({ connection }) => connection.quickActions()],
  ['screens', ({ contacts }) => contacts.layouts()],
  ['screens', ({ contacts }) => contacts.listviews()],
  ['other-apis', ({ connection }) => connection.tooling.query('SELECT Id FROM ApexClass')],
  [
    'soql-functions',
    ({ connection }) => connection.query('SELECT toLabel(LeadSource) FROM Contact'),
  ],
  [
    'soql-functions',
    ({ connection }) =>
      connection.query('SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Contact)'),
  ],
  ['explain', ({ connection }) => connection.query('SELECT Id FROM Contact').explain()],
];

test.each(REFUSED)('a documented difference is an error: %s', async (difference, call) => {
  expect(DIFFERENCES).toContain(difference);
  await expect(Promise.resolve().then(() => call(open()))).rejects.toThrow();
});

test('every documented difference of a method has a row here, and every row is met by one of the clients', () => {
  const named = SURFACES.flatMap(([, surface]) =>
    Object.values(surface).filter((what) => typeof what === 'string'),
  );
  expect(DIFFERENCES).toEqual(expect.arrayContaining(named));
  const met = new Set([...named, ...REFUSED.map(([difference]) => difference), 'lead-search']);
  expect(DIFFERENCES.filter((difference) => !met.has(difference))).toEqual([]);
});

const API = '/services/data/v66.0';

type Surface = Readonly<
  Record<string, string | readonly [call: (opened: Opened) => unknown, found: unknown]>
>;

interface Opened {
  readonly account: SalesforceAccount;
  readonly connection: Connection;
  readonly oauth2: OAuth2;
  readonly contacts: ReturnType<typeof toContacts>;
  readonly id: string;
}
