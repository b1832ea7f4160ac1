import { expect, test } from 'vitest';
import type { NewConnectFlow, NewConnectLink } from '../../src/domain/connect-link.ts';
import type { Grant } from '../../src/domain/oauth.ts';
import { DEFAULT_ACCESS, toAllowedRecords } from '../../src/domain/record-access.ts';
import { digest } from '../../src/lib/digest.ts';
import type { ApplicationStores, Database } from '../../src/storage/database.ts';
import { describeEachServer } from '../support/databases.ts';
import { runSweep } from '../support/run-sweep.ts';

const NOW = Date.parse('2025-01-01T00:00:00.000Z');
const MINUTE = 60_000;
const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };

describeEachServer('connect links', (on) => {
  async function setUp() {
    const clock = { at: NOW };
    const database = on.another({ clock: toClock(clock) });
    const { id } = await on.createApplication();
    const stores = database.forApplication(id);
    await stores.customers.upsert(ADA);
    const create = async (more: Partial<NewConnectLink> = {}) => {
      const link = await stores.connectLinks.create({ ...LINK, ...more });
      if (!link) throw new Error('There is no such customer.');
      return link;
    };
    return { clock, database, stores, create, applicationId: id };
  }

  test('a link for an unknown customer is not created', async () => {
    const { stores } = await setUp();
    expect(await stores.connectLinks.create({ ...LINK, customerId: 'grace' })).toBeUndefined();
    expect(await stores.connectLinks.create({ ...LINK, customerId: 'a\0b' })).toBeUndefined();
  });

  test('a link of another application can be neither read nor canceled nor confirmed', async () => {
    const { create, database } = await setUp();
    const { id } = await create();
    const { connectLinks } = database.forApplication((await on.createApplication()).id);
    expect(await connectLinks.find(id)).toBeUndefined();
    expect(await connectLinks.cancel(id)).toBeUndefined();
    expect(await connectLinks.confirm(id, digest('code'))).toBeUndefined();
    expect((await database.connectFlows.findLink(id))?.link.status).toBe('PENDING');
  });

  test('without a confirmation step the connection exists after the code exchange, with its account and scopes', async () => {
    const { create, database, stores } = await setUp();
    const { id } = await create({ confirm: false });
    await database.connectFlows.start(toFlow(id));
    const { link, isOurs } = await finish(database, id);
    expect([link?.status, isOurs]).toEqual(['COMPLETED', true]);
    const connection = await findHubSpot(stores);
    expect(connection).toMatchObject({ id: link?.connectionId, status: 'connected' });
    expect((await stores.credentials.read(connection?.id ?? ''))?.credentials).toMatchObject({
      accessToken: 'access',
      refreshToken: 'refresh',
    });
    const rows = await on.rows('select * from crossbook.connections where id = $1', [
      link?.connectionId,
    ]);
    expect(rows).toMatchObject([
      { account_id: '42', account_name: 'Acme', granted_scopes: ['oauth'] },
    ]);
  });

  test('with a confirmation step the connection exists after the right code was redeemed, and not before', async () => {
    const { create, database, stores } = await setUp();
    const { id } = await create();
    const { link } = await finish(database, id, digest('code'));
    expect(link?.status).toBe('AWAITING_CONFIRMATION');
    expect(await findHubSpot(stores)).toBeUndefined();
    expect(await stores.connectLinks.confirm(id, digest('guess'))).toMatchObject({
      outcome: 'refused',
    });
    expect(await findHubSpot(stores)).toBeUndefined();
    expect(await stores.connectLinks.confirm(id, digest('code'))).toMatchObject({
      outcome: 'confirmed',
      link: { status: 'COMPLETED' },
    });
    expect((await findHubSpot(stores))?.status).toBe('connected');
    expect(await stores.connectLinks.confirm(id, digest('code'))).toMatchObject({
      outcome: 'refused',
    });
  });

  test('a code is valid for ten minutes, and its grant is deleted with it', async () => {
    const { clock, create, database, stores } = await setUp();
    const { id } = await create();
    await finish(database, id, digest('code'));
    clock.at += 10 * MINUTE;
    expect(await stores.connectLinks.confirm(id, digest('code'))).toMatchObject({
      outcome: 'refused',
      link: { status: 'FAILED', failure: 'NOT_CONFIRMED' },
    });
    await runSweep(database.sweeps.connectLinks());
    const rows = await on.rows('select * from crossbook.connect_links where id = $1', [id]);
    expect(rows).toMatchObject([
      { status: 'FAILED', failure: 'NOT_CONFIRMED', sealed_grant: null },
    ]);
    expect(await findHubSpot(stores)).toBeUndefined();
  });

  test('one of ten flows that finish concurrently connects', async () => {
    const { create, database } = await setUp();
    const { id } = await create({ confirm: false });
    const ends = await Promise.all(Array.from({ length: 10 }, () => finish(database, id)));
    expect(ends.filter(({ isOurs }) => isOurs)).toHaveLength(1);
    expect(ends.map(({ link }) => link?.status)).toEqual(Array(10).fill('COMPLETED'));
  });

  test('a state can be used once, by the first callback', async () => {
    const { create, database } = await setUp();
    const flow = toFlow((await create()).id);
    await database.connectFlows.start(flow);
    const taken = await Promise.all(
      Array.from({ length: 5 }, () => database.connectFlows.take(flow.stateHash)),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test('a customer that is deleted during the code exchange gets no connection', async () => {
    const { create, database, stores } = await setUp();
    const { id } = await create({ confirm: false });
    await stores.removals.removeCustomer('ada', undefined);
    expect(await finish(database, id)).toEqual({ link: undefined, isOurs: false });
    await stores.customers.upsert(ADA);
    expect(await finish(database, id)).toEqual({ link: undefined, isOurs: false });
    expect(await database.connectFlows.findLink(id)).toBeUndefined();
  });

  test('deleting and connecting a customer concurrently leaves no connection and does not fail', async () => {
    const { create, database, stores, applicationId } = await setUp();
    for (let round = 0; round < 20; round += 1) {
      const { id } = await create({ confirm: false });
      await Promise.all([finish(database, id), stores.removals.removeCustomer('ada', undefined)]);
      const rows = 'select 1 from crossbook.connections where application_id = $1';
      expect(await on.rows(rows, [applicationId])).toEqual([]);
      await stores.customers.upsert(ADA);
    }
  });

  test('another account than before is rejected, unless the link allows it', async () => {
    const { create, database, stores } = await setUp();
    await finish(database, (await create({ confirm: false })).id);
    const other = { ...GRANT, account: { id: '43', name: null, url: null, userId: null } };
    const refused = await finish(database, (await create({ confirm: false })).id, undefined, other);
    expect(refused.link).toMatchObject({ status: 'FAILED', failure: 'ACCOUNT_MISMATCH' });
    const nameless = await finish(database, (await create({ confirm: false })).id, undefined, {
      ...GRANT,
      account: null,
    });
    expect(nameless.link?.failure).toBe('ACCOUNT_MISMATCH');
    const waiting = await finish(database, (await create()).id, digest('code'), other);
    expect(waiting.link?.failure).toBe('ACCOUNT_MISMATCH');
    const allowed = await create({ confirm: false, allowAccountChange: true });
    expect((await finish(database, allowed.id, undefined, other)).link?.status).toBe('COMPLETED');
    const { id = '' } = (await findHubSpot(stores)) ?? {};
    expect((await stores.credentials.read(id))?.generation).toBe(2);
  });

  test('a link expires on time, is marked as expired once, and is deleted a week later', async () => {
    const { clock, create, database, stores } = await setUp();
    const { id } = await create();
    await database.connectFlows.start(toFlow(id));
    clock.at += 15 * MINUTE;
    expect(await stores.connectLinks.find(id)).toMatchObject({
      status: 'EXPIRED',
      failure: 'EXPIRED',
    });
    expect(await database.connectFlows.start(toFlow(id, 'late'))).toBe('ended');
    expect((await finish(database, id)).isOurs).toBe(false);
    await runSweep(database.sweeps.connectLinks());
    expect(await on.rows('select status from crossbook.connect_links where id = $1', [id])).toEqual(
      [{ status: 'EXPIRED' }],
    );
    clock.at += 8 * 24 * 60 * MINUTE;
    await runSweep(database.sweeps.connectLinks());
    expect(await stores.connectLinks.find(id)).toBeUndefined();
  });

  test('one sweep expires all links that are due, whatever their number', async () => {
    const { clock, create, database } = await setUp();
    const { id } = await create();
    // More links than one statement expires.
    await on.rows(
      `insert into crossbook.connect_links
      select (jsonb_populate_record(link, jsonb_build_object('id', gen_random_uuid()))).*
      from crossbook.connect_links as link, generate_series(1, 450) where id = $1`,
      [id],
    );
    clock.at += 15 * MINUTE;
    expect(await runSweep(database.sweeps.connectLinks())).toBeGreaterThanOrEqual(451);
    expect(await runSweep(database.sweeps.connectLinks())).toBe(0);
    await on.rows('delete from crossbook.connect_links');
  });

  test('a canceled link connects nothing, also when it was canceled while it waited for its code', async () => {
    const { create, database, stores } = await setUp();
    const { id } = await create();
    await finish(database, id, digest('code'));
    expect(await stores.connectLinks.cancel(id)).toMatchObject({ status: 'CANCELED' });
    expect(await stores.connectLinks.confirm(id, digest('code'))).toMatchObject({
      outcome: 'refused',
    });
    expect(await findHubSpot(stores)).toBeUndefined();
    expect(await stores.connectLinks.cancel(id)).toMatchObject({ status: 'CANCELED' });
  });

  test('a link can be started ten times', async () => {
    const { create, database } = await setUp();
    const { id } = await create();
    const starts: string[] = [];
    for (let time = 0; time < 11; time += 1) {
      starts.push(await database.connectFlows.start(toFlow(id, `state ${time}`)));
    }
    expect(starts).toEqual([...Array(10).fill('started'), 'too many']);
  });

  test('the tables contain no token, verifier or code in plain text', async () => {
    const { create, database } = await setUp();
    const { id } = await create();
    await database.connectFlows.start(toFlow(id, 'the state', 'the verifier'));
    await finish(database, id, digest('the code'));
    const rows = await on.rows(
      "select (to_jsonb(l) - 'access')::text || row_to_json(f)::text as row from crossbook.connect_links l join crossbook.connect_flows f on f.link_id = l.id where l.id = $1",
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/the state|the verifier|the code|"access|"refresh/);
  });
});

function finish(database: Database, linkId: string, codeHash?: string, grant: Grant = GRANT) {
  return database.connectFlows.finish(linkId, {
    providerName: 'hubspot',
    grant,
    requested: toAllowedRecords(DEFAULT_ACCESS),
    oauthClientId: 'client',
    codeHash,
  });
}

async function findHubSpot({ connections }: ApplicationStores) {
  const [found] = await connections.findMany([{ customerId: 'ada', providerName: 'hubspot' }]);
  return found;
}

function toFlow(
  linkId: string,
  state = `state of ${linkId}`,
  codeVerifier = 'verifier',
): NewConnectFlow {
  return {
    linkId,
    codeVerifier,
    providerName: 'hubspot',
    stateHash: digest(state),
    cookieHash: digest('cookie'),
    loginOrigin: 'https://login.example',
    oauthClientId: 'client',
  };
}

function toClock(at: { readonly at: number }) {
  return { now: () => at.at, wall: () => at.at, schedule: () => () => {} };
}

const LINK: NewConnectLink = {
  customerId: 'ada',
  providers: ['hubspot', 'salesforce'],
  returnUrl: 'https://app.example/connected',
  mode: 'REDIRECT',
  confirm: true,
  loginUrl: null,
  optionalScopes: [],
  allowAccountChange: false,
  expiresAt: new Date(NOW + 15 * MINUTE),
};

const GRANT: Grant = {
  accessToken: 'access',
  refreshToken: 'refresh',
  expiresAt: null,
  instanceUrl: null,
  scopes: ['oauth'],
  account: { id: '42', name: 'Acme', url: 'https://app.hubspot.com/contacts/42', userId: '7' },
};
