import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSandbox, type PipedriveAccount, type Sandbox } from '@crossbook/sandbox';
import { UsersApi, Configuration as V1Configuration } from 'pipedrive/v1';
import {
  Configuration,
  DealFieldsApi,
  DealsApi,
  OAuth2Configuration,
  OrganizationFieldsApi,
  OrganizationsApi,
  PersonFieldsApi,
  PersonsApi,
  PipelinesApi,
  StagesApi,
} from 'pipedrive/v2';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { decide } from '../../../../packages/sandbox/test/consent.ts';
import { PageSizes } from '../../../../src/domain/page-sizes.ts';
import type { CrmAdapter, RecordAdapter } from '../../../../src/domain/provider.ts';
import type { PlannedWrite } from '../../../../src/domain/writing.ts';
import { pipedrive } from '../../../../src/providers/pipedrive/provider.ts';
import { createConnection } from '../../../support/connection.ts';
import { createFakeFacts } from '../../../support/fake-facts.ts';
import { createSend } from '../../../support/send.ts';

/** The vendor's own client is the reference: where it fails, the sandbox is wrong. */
const CALLBACK = 'http://127.0.0.1:3000/connect/callback/pipedrive';
const SINCE = Date.UTC(2020, 0, 1);
let sandbox: Sandbox;
let recorder: Recorder;
let account: PipedriveAccount;

beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
  recorder = await record(sandbox.pipedrive.origin);
});
afterAll(async () => {
  recorder.server.close();
  await sandbox.close();
});
beforeEach(() => {
  account = sandbox.pipedrive.createAccount({
    people: [
      { email: 'ada@x.example', firstName: 'Ada', companyIndex: 1, dealIndexes: [1, 2] },
      { email: 'bob@x.example', firstName: 'Bob', companyIndex: 2 },
      { email: 'cleo@x.example', firstName: 'Cleo' },
    ],
    quirks: { customFields: { plan: { type: 'varchar' } } },
  });
});

const ALL = { direction: 'forward', from: undefined, limit: 2 } as const;
const PLAIN = { rawData: false } as const;
const IN_ORDER = { sort_by: 'id', sort_direction: 'asc' } as const;
const second = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

/** What the adapter reads, and the calls of the vendor's client that read the same. */
const PAIRS: readonly Pair[] = [
  [
    'persons by email: a search, and the persons that it found',
    (crm) => crm.records.CONTACT().findByKey?.(['ada@x.example'], PLAIN),
    async ({ persons }) => {
      const search = { fields: 'email', exact_match: true, limit: 500 } as const;
      const found = await persons.searchPersons({ term: 'ada@x.example', ...search });
      const ids = found.data?.items?.map(({ item }) => item?.id) ?? [];
      expect(ids).toEqual([101]);
      const { data } = await persons.getPersons({ ids: String(ids), limit: 100 });
      expect(data).toMatchObject([{ id: 101, emails: [{ value: 'ada@x.example' }] }]);
    },
  ],
  [
    'a list of persons, and its next page',
    async (crm) => {
      const { readList } = crm.records.CONTACT();
      const last = (await readList({ by: 'all' }, ALL, PLAIN)).at(-1);
      const next = { from: last?.remoteId, place: last?.place?.cursor };
      await readList({ by: 'all' }, { ...ALL, ...next }, PLAIN);
    },
    async ({ persons }) => {
      const first = await persons.getPersons({ ...IN_ORDER, limit: 2 });
      expect(first.data?.map(({ id }) => id)).toEqual([101, 102]);
      const cursor = first.additional_data?.next_cursor ?? '';
      const next = await persons.getPersons({ ...IN_ORDER, limit: 2, cursor });
      expect(next.data?.map(({ id }) => id)).toEqual([103]);
      expect(next.additional_data?.next_cursor ?? null).toBeNull();
    },
  ],
  [
    'persons that were changed in a period, which has no milliseconds',
    (crm) =>
      crm.records
        .CONTACT()
        .readList({ by: 'modifiedSince', since: SINCE + 250, until: SINCE + 1_000 }, ALL, PLAIN),
    ({ persons }) =>
      persons.getPersons({
        ...IN_ORDER,
        updated_since: second(SINCE),
        updated_until: second(SINCE + 2_000),
        limit: 2,
      }),
  ],
  [
    'a list of organizations',
    (crm) => crm.records.COMPANY?.().readList({ by: 'all' }, ALL, PLAIN),
    async ({ organizations }) => {
      const { data } = await organizations.getOrganizations({ ...IN_ORDER, limit: 2 });
      expect(data).toMatchObject([{ name: expect.any(String) }, { name: expect.any(String) }]);
    },
  ],
  [
    'deals by their status, with the labels of pipelines and stages',
    (crm) => crm.records.DEAL?.().readList({ by: 'where', where: { status: 'open' } }, ALL, PLAIN),
    async ({ deals, pipelines, stages }) => {
      const { data } = await deals.getDeals({ status: 'open', ...IN_ORDER, limit: 2 });
      expect(data?.every(({ status }) => status === 'open')).toBe(true);
      await pipelines.getPipelines({ limit: 500 });
      await stages.getStages({ limit: 500 });
    },
  ],
  [
    'pipelines with their stages',
    (crm) => crm.pipelines?.(),
    async ({ pipelines, stages }) => {
      const { data } = await pipelines.getPipelines({ limit: 500 });
      expect(data?.map(({ name }) => name)).toEqual(['Sales Pipeline', 'Renewals']);
      const all = await stages.getStages({ limit: 500 });
      expect(all.data?.length).toBeGreaterThan(5);
    },
  ],
  [
    'the fields of persons, organizations and deals',
    async ({ records }) => {
      await records.CONTACT().listFields?.();
      await records.COMPANY?.().listFields?.();
      await records.DEAL?.().listFields?.();
    },
    async ({ configuration }) => {
      const { data } = await new PersonFieldsApi(configuration).getPersonFields({ limit: 500 });
      expect(data?.map(({ field_code: code }) => code)).toContain('emails');
      await new OrganizationFieldsApi(configuration).getOrganizationFields({ limit: 500 });
      await new DealFieldsApi(configuration).getDealFields({ limit: 500 });
    },
  ],
  [
    'users, in version 1',
    (crm) => crm.owners?.(),
    async ({ users }) => {
      const { data } = await users.getUsers();
      expect(data?.[0]).toMatchObject({ id: expect.any(Number), active_flag: true });
    },
  ],
  [
    'the organization and the deals of a person',
    async (crm) => {
      const links = crm.records.CONTACT().links;
      await links?.([{ to: 'COMPANY', ids: ['101'] }]);
      await links?.([{ to: 'DEAL', ids: ['101'] }]);
    },
    async ({ persons, deals }) => {
      const { data } = await persons.getPersons({ ids: '101', limit: 100 });
      expect(data?.[0]?.org_id).toBeGreaterThan(0);
      const own = await deals.getDeals({ person_id: 101, limit: 500 });
      expect(own.data).toHaveLength(2);
    },
  ],
  [
    'deals that were deleted, for a sync',
    (crm) =>
      crm.bulk?.().readDeleted({
        source: { kind: 'DEAL', object: 'deals' } as never,
        window: { from: new Date(SINCE), to: new Date(SINCE + 1_000) },
        after: null,
      }),
    ({ deals }) =>
      deals.getDeals({
        status: 'deleted',
        updated_since: second(SINCE),
        ...IN_ORDER,
        limit: 500,
      }),
  ],
  [
    'an organization that is created and changed',
    (crm) =>
      write(crm.records.COMPANY?.(), [
        { values: { name: 'New Ltd', owner_id: '16166001' } },
        { remoteId: '40001', values: { name: 'Old Ltd' } },
      ]),
    async ({ organizations }) => {
      const created = await organizations.addOrganization({
        AddOrganizationRequest: { name: 'New Ltd', owner_id: 16_166_001 },
      });
      expect(created.data).toMatchObject({ name: 'New Ltd', owner_id: 16_166_001 });
      const changed = await organizations.updateOrganization({
        id: 40_001,
        UpdateOrganizationRequest: { name: 'Old Ltd' },
      });
      expect(changed.data).toMatchObject({ id: 40_001, name: 'Old Ltd' });
    },
  ],
  [
    'a deal that is created and changed',
    (crm) =>
      write(crm.records.DEAL?.(), [
        { values: { title: 'New', value: 10.5, currency: 'USD', stage_id: '12' } },
        { remoteId: '60001', values: { expected_close_date: '2026-12-31', status: 'won' } },
      ]),
    async ({ deals }) => {
      const created = await deals.addDeal({
        AddDealRequest: { title: 'New', value: 10.5, currency: 'USD', stage_id: 12 },
      });
      expect(created.data).toMatchObject({ title: 'New', value: 10.5, stage_id: 12 });
      const changed = await deals.updateDeal({
        id: 60_001,
        UpdateDealRequest: { expected_close_date: '2026-12-31', status: 'won' },
      });
      expect(changed.data).toMatchObject({ id: 60_001, status: 'won' });
    },
  ],
];

test.each(PAIRS)(
  'the adapter sends what Pipedrive’s own client sends: %s',
  async (_what, read, ask) => {
    const own = await recorder.requestsOf(() => read(openAdapter()));
    const vendors = await recorder.requestsOf(() => ask(openClient()));
    expect(own.length).toBeGreaterThan(0);
    expect(own).toEqual(vendors);
  },
);

test('Pipedrive’s own client exchanges a code, refreshes and revokes with the requests of the adapter', async () => {
  const { origin } = recorder;
  const { clientId, clientSecret } = account;
  const client = { clientId, clientSecret };
  const oauth = new OAuth2Configuration({ ...client, redirectUri: CALLBACK, host: origin });
  const url = oauth.authorizationUrl.replace(origin, sandbox.pipedrive.origin);
  const { back } = await decide(url, { account });
  const code = back?.['code'] ?? '';
  const { authorization, crm } = pipedrive;
  const vendors = await recorder.requestsOf(async () => {
    const token = await oauth.authorize(code);
    expect(token).toMatchObject({ token_type: 'Bearer', api_domain: account.instanceUrl });
    await oauth.tokenRefresh();
    const basePath = `${origin}/api/v1`;
    const accessToken = () => oauth.getAccessToken();
    const me = await new UsersApi(new V1Configuration({ accessToken, basePath })).getCurrentUser();
    expect(me.data?.company_id).toBe(Number(account.id));
    await oauth.revokeToken('refresh_token');
  });
  const refreshToken = new URLSearchParams(vendors[1]?.body).get('refresh_token') ?? '';
  const given = { client, refreshToken };
  const exchange = { client, code, redirectUri: CALLBACK, codeVerifier: '' };
  const grant = { accessToken: 'a' } as never;
  const requests = [
    authorization?.toExchange(exchange),
    crm?.refresh.toRequest(given),
    authorization?.identify?.toRequest(grant, client),
    authorization?.revocation?.toRequest(given),
  ];
  const own = requests.map((request) => {
    const { method = '', path = '', body = '', headers } = request ?? {};
    return { ...toRecorded(method, path, body), basic: toBasic(headers?.['authorization']) };
  });
  expect(own).toEqual(vendors);
});

test('Pipedrive’s own client recognizes a refusal, and what is not there', async () => {
  const { persons } = openClient();
  await expect(persons.getPerson({ id: 999 })).rejects.toMatchObject({
    success: false,
    error: 'Person not found',
  });
  account.setLimits({ tokensPerDay: 0 });
  const search = persons.searchPersons({ term: 'ada@x.example' });
  await expect(search).rejects.toMatchObject({
    success: false,
    error: expect.stringMatching(/limit|budget/i),
  });
});

function openAdapter(): CrmAdapter {
  const adapter = pipedrive.crm?.open({
    send: createSend({ origin: recorder.origin, token: account.accessToken }),
    connection: createConnection('pipedrive', {}),
    openFacts: createFakeFacts,
    pageSizes: new PageSizes(),
    remember: (_name, read) => read(),
  });
  if (!adapter) throw new Error('Pipedrive can be read.');
  return adapter;
}

/** Sends writes as they are planned, one after the other. */
async function write(
  records: Pick<RecordAdapter<never>, 'openWriter'> | undefined,
  writes: readonly { readonly remoteId?: string; readonly values: object }[],
): Promise<void> {
  for (const [index, { remoteId = null, values }] of writes.entries()) {
    const named = Object.entries(values);
    const planned: PlannedWrite = {
      index,
      verb: remoteId === null ? 'create' : 'update',
      remoteId,
      key: null,
      keyField: null,
      values: new Map(named),
      wireTypes: new Map(named.map(([name]) => [name, WIRE_TYPES[name] ?? 'varchar'])),
      ifUnmodifiedSince: null,
    };
    await records?.openWriter?.().send([planned], {
      allowDuplicates: false,
      before: async () => undefined,
      after: async ([sent]) => expect(sent?.outcome).toMatch(/^(?:CREATED|UPDATED)$/),
    });
  }
}

const WIRE_TYPES: Readonly<Record<string, string>> = {
  owner_id: 'user',
  stage_id: 'stage',
  value: 'double',
};

function openClient() {
  const { accessToken } = account;
  const configuration = new Configuration({ accessToken, basePath: `${recorder.origin}/api/v2` });
  const first = new V1Configuration({ accessToken, basePath: `${recorder.origin}/api/v1` });
  return {
    configuration,
    persons: new PersonsApi(configuration),
    organizations: new OrganizationsApi(configuration),
    deals: new DealsApi(configuration),
    pipelines: new PipelinesApi(configuration),
    stages: new StagesApi(configuration),
    users: new UsersApi(first),
  };
}

/** Passes requests on to the sandbox, and records them. */
async function record(target: string): Promise<Recorder> {
  let seen: Recorded[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { method = '', url = '', headers } = request;
    const { authorization, 'content-type': type } = headers;
    seen.push({ ...toRecorded(method, url, body), basic: toBasic(authorization) });
    const answer = await fetch(target + url, {
      method,
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(body !== '' && { body }),
    });
    const text = await answer.text();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async requestsOf(work) {
      seen = [];
      await work();
      return seen;
    },
  };
}

/** The order of parameters means nothing. */
function toRecorded(method: string, url: string, body: unknown) {
  const { pathname, searchParams } = new URL(url, 'http://any.example');
  searchParams.sort();
  const form = new URLSearchParams(typeof body === 'string' ? body : '');
  form.sort();
  return { method, path: pathname, query: searchParams.toString(), body: form.toString() };
}

/** HTTP Basic has the client. A token differs from account to account. */
function toBasic(header: string | undefined): string | undefined {
  return header?.startsWith('Basic ') ? header : undefined;
}

interface Recorded extends ReturnType<typeof toRecorded> {
  readonly basic: string | undefined;
}

interface Recorder {
  readonly server: Server;
  readonly origin: string;
  requestsOf(work: () => unknown): Promise<readonly Recorded[]>;
}

type Pair = readonly [
  what: string,
  read: (crm: CrmAdapter) => unknown,
  ask: (client: ReturnType<typeof openClient>) => unknown,
];
