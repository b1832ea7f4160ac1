import { expect, test } from 'vitest';
import type { FinishedFlow, NewConnectLink } from '../../src/domain/connect-link.ts';
import {
  ACCESS_LEVELS,
  type AllowedRecords,
  includesAllowed,
  toAllowedRecords,
  uniteAllowed,
} from '../../src/domain/record-access.ts';
import { RECORD_TYPES } from '../../src/domain/records/record-type.ts';
import { digest } from '../../src/lib/digest.ts';
import type { ApplicationStores } from '../../src/storage/database.ts';
import { describeEachServer } from '../support/databases.ts';
import { createDice } from '../support/dice.ts';
import { SEED } from '../support/fast-check.ts';

const TARGET = { customerId: 'ada', providerName: 'hubspot' } as const;
const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };

describeEachServer('the access of a connection', (on) => {
  test('is after any links what they have allowed for its account, and never more than their customers were asked for', async () => {
    const { database, stores } = await setUp();
    const dice = createDice(SEED);
    const pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
      items[dice.next(items.length)] ?? items[0];
    let known: Known | undefined;
    /** Links that wait for their confirmation. */
    const waiting: {
      id: string;
      finished: FinishedFlow;
      isChange: boolean;
      own: AllowedRecords;
    }[] = [];
    for (let step = 0; step < 300; step += 1) {
      const records = RECORD_TYPES.filter(() => dice.next(2) === 0);
      const requested = {
        records: records.length === 0 ? (['CONTACT'] as const) : records,
        access: pick(ACCESS_LEVELS as unknown as readonly ['READ', 'READ_WRITE']),
      };
      const own = toAllowedRecords(requested);
      const isChange = dice.next(4) === 0;
      const account = dice.next(6) === 0 ? '43' : '42';
      const confirm = dice.next(2) === 0;
      const link = await stores.connectLinks.create({
        ...LINK,
        ...requested,
        confirm,
        allowAccountChange: isChange,
      });
      const id = link?.id ?? '';
      const finished: FinishedFlow = {
        providerName: 'hubspot',
        grant: toGrant(account),
        oauthClientId: 'client',
        requested: uniteAllowed(own, known?.allowed),
        codeHash: confirm ? digest('code') : undefined,
      };
      const { link: ended } = await database.connectFlows.finish(id, finished);
      if (confirm && ended?.status === 'AWAITING_CONFIRMATION')
        waiting.push({ id, finished, isChange, own });
      if (!confirm) known = check(known, { finished, isChange, own }, ended?.failure ?? null);
      const due = dice.next(3) === 0 ? waiting.splice(dice.next(waiting.length), 1) : [];
      for (const one of due) {
        const confirmed = await stores.connectLinks.confirm(one.id, digest('code'));
        known = check(known, one, confirmed?.link.failure ?? null);
      }
      const stored = await find(stores);
      expect(stored?.account?.id).toBe(known?.account);
      expect(stored && pickAllowed(stored)).toEqual(known?.allowed);
    }
  });

  test('is not changed by an extension that fails at its last step', async () => {
    const { database, stores } = await setUp();
    const first = await stores.connectLinks.create({ ...LINK, confirm: false });
    await database.connectFlows.finish(first?.id ?? '', toFinished(['CONTACT']));
    const before = await find(stores);
    const credentials = await stores.credentials.read(before?.id ?? '');
    const link = await stores.connectLinks.create({
      ...LINK,
      confirm: false,
      records: ['COMPANY'],
    });
    await on.rows(
      `create function crossbook.refuse_events() returns trigger language plpgsql as $$ begin raise exception 'no events'; end $$`,
    );
    await on.rows(
      'create trigger refuse before insert on crossbook.events for each row execute function crossbook.refuse_events()',
    );
    const finished = toFinished(['CONTACT', 'COMPANY']);
    try {
      await expect(database.connectFlows.finish(link?.id ?? '', finished)).rejects.toThrow();
    } finally {
      await on.rows('drop trigger refuse on crossbook.events');
      await on.rows('drop function crossbook.refuse_events');
    }
    expect(await find(stores)).toEqual(before);
    expect(await stores.credentials.read(before?.id ?? '')).toEqual(credentials);
    // The same callback may be repeated.
    const { link: ended } = await database.connectFlows.finish(link?.id ?? '', finished);
    expect(ended?.status).toBe('COMPLETED');
    expect(await find(stores)).toMatchObject({ readableRecords: ['CONTACT', 'COMPANY'] });
  });

  test('is the union of extensions that end at the same time, or one of them fails', async () => {
    const { database, stores } = await setUp();
    const first = await stores.connectLinks.create({ ...LINK, confirm: false });
    await database.connectFlows.finish(first?.id ?? '', toFinished(['CONTACT']));
    const ends = await Promise.all(
      (['COMPANY', 'DEAL'] as const).map(async (type) => {
        const link = await stores.connectLinks.create({ ...LINK, confirm: false, records: [type] });
        const finished = toFinished(['CONTACT', type]);
        return (await database.connectFlows.finish(link?.id ?? '', finished)).link;
      }),
    );
    const completed = ends.filter((link) => link?.status === 'COMPLETED');
    const failed = ends.filter((link) => link?.failure === 'MISSING_SCOPES');
    expect([completed.length, failed.length]).toEqual([1, 1]);
    const [{ records = [] } = {}] = completed.map((link) => ({ records: link?.records }));
    expect((await find(stores))?.readableRecords).toEqual(['CONTACT', ...records]);
  });

  async function setUp() {
    const database = on.database();
    const { id: applicationId } = await on.createApplication();
    const stores = database.forApplication(applicationId);
    await stores.customers.upsert(ADA);
    return { database, stores };
  }
});

/** The model: what the connection is after a grant, and that the store reports the same failure. */
function check(
  known: Known | undefined,
  { finished, isChange, own }: { finished: FinishedFlow; isChange: boolean; own: AllowedRecords },
  failure: string | null,
): Known | undefined {
  const account = finished.grant.account?.id ?? '';
  const isOther = known !== undefined && known.account !== account;
  if (isOther && !isChange) {
    expect(failure).toBe('ACCOUNT_MISMATCH');
    return known;
  }
  const allowed = isOther ? own : uniteAllowed(own, known?.allowed);
  if (!isOther && !includesAllowed(finished.requested, allowed)) {
    expect(failure).toBe('MISSING_SCOPES');
    return known;
  }
  expect(failure).toBeNull();
  return { account, allowed };
}

interface Known {
  readonly account: string;
  readonly allowed: AllowedRecords;
}

async function find({ connections }: ApplicationStores) {
  return (await connections.findMany([TARGET]))[0];
}

function pickAllowed({ readableRecords, writableRecords }: AllowedRecords): AllowedRecords {
  return { readableRecords, writableRecords };
}

function toFinished(readableRecords: AllowedRecords['readableRecords']): FinishedFlow {
  return {
    providerName: 'hubspot',
    grant: toGrant('42'),
    oauthClientId: 'client',
    requested: { readableRecords, writableRecords: [] },
    codeHash: undefined,
  };
}

function toGrant(id: string): FinishedFlow['grant'] {
  return {
    accessToken: 'access',
    refreshToken: 'refresh',
    expiresAt: null,
    instanceUrl: null,
    scopes: ['oauth'],
    account: { id, name: null, url: null, userId: null },
  };
}

const LINK: NewConnectLink = {
  customerId: 'ada',
  providers: ['hubspot'],
  returnUrl: 'https://app.example/connected',
  mode: 'REDIRECT',
  confirm: true,
  loginUrl: null,
  optionalScopes: [],
  allowAccountChange: false,
  expiresAt: new Date(Date.now() + 15 * 60_000),
};
