import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { createSkippingClock, type SkippingClock } from '../support/skipping-clock.ts';
import { CREATE, openWritable, outcomesOf, UPDATE, UPSERT } from '../support/write-contacts.ts';
import { LINK, openLinkable } from '../support/write-links.ts';

/** Of a call, which is within that of the whole write. */
const DEADLINE_MS = 40_000;
/** The job looks after the lease. */
const JOB_MS = 120_000;

let clock: SkippingClock;
let sandbox: Sandbox;
let crossbook: TestApp;
beforeAll(async () => {
  clock = createSkippingClock();
  sandbox = await openSandbox({ now: clock.wall, enforceLimits: false });
  crossbook = await openApp(
    { sandbox: { port: 0, hosts: [], all: true }, providerDeadlineMs: DEADLINE_MS },
    { clock, sandbox },
  );
});
afterAll(async () => {
  await crossbook.close();
  await sandbox.close();
});

const PROVIDERS = ['hubspot', 'salesforce', 'pipedrive'] as const;
type Name = (typeof PROVIDERS)[number];

/** The calls that write, in the names of the simulations. */
const CALLS = {
  hubspot: {
    create: 'contacts.batchCreate',
    upsert: 'contacts.batchUpsert',
    update: 'contacts.batchUpdate',
    link: 'associations.batchCreate',
  },
  salesforce: {
    create: 'composite.write',
    upsert: 'composite.write',
    update: 'composite.write',
    link: 'composite.write',
  },
  pipedrive: {
    create: 'persons.create',
    upsert: 'persons.create',
    update: 'persons.update',
    link: 'persons.update',
  },
} as const;

const open = (name: string, provider: Name) =>
  openWritable(crossbook, {
    provider,
    people: [{ firstName: 'Old', lastName: 'Old', email: 'old@hang.example' }],
    customerId: `hang ${name} ${provider}`,
  });
type Opened = Awaited<ReturnType<typeof openWritable>>;

const countCalls = ({ account }: Pick<Opened, 'account'>, operation: string) =>
  account.calls().filter((one) => one.operation === operation).length;

/** Begins a write whose call the CRM carries out without a response. */
async function begin(
  opened: Opened,
  { query, input, operation, next }: Hanging,
): Promise<{ readonly results: Promise<Json> }> {
  const before = countCalls(opened, operation);
  opened.account.fail({ kind: 'hang-after' } as never, { operation });
  if (next) opened.account.fail({ kind: next } as never, { operation });
  const results = opened.run(query, input);
  await expect.poll(() => countCalls(opened, operation)).toBeGreaterThan(before);
  return { results };
}

/** The results of a write, whose client has waited until the time of the call was over. */
async function runHanging(opened: Opened, hanging: Hanging): Promise<Json> {
  const { results } = await begin(opened, hanging);
  clock.skip(DEADLINE_MS);
  return results;
}

interface Hanging {
  readonly query: string;
  readonly input: object;
  readonly operation: string;
  /** What happens to the call after it. */
  readonly next?: string | undefined;
}

describe.each(PROVIDERS)('A write that %s carries out without a response', (provider) => {
  test('is UNKNOWN, and is written once however often it is repeated', async () => {
    const opened = await open('create', provider);
    const records = [{ changes: { firstName: 'N', lastName: 'N' } }];
    const input = { idempotencyKey: 'c', records };
    const operation = CALLS[provider].create;
    const first = await runHanging(opened, { query: CREATE, input, operation });
    expect(first.errors).toBeUndefined();
    expect(outcomesOf(first)).toEqual(['UNKNOWN']);
    expect(first.write.isComplete).toBe(false);
    for (const _ of [1, 2, 3]) {
      const again = await opened.run(CREATE, input);
      expect(again.write).toMatchObject({ id: first.write.id, isReplayed: true });
      // Nothing finds a contact without an email address.
      expect(outcomesOf(again)).toEqual(['UNKNOWN']);
    }
    expect(opened.people()).toHaveLength(2);
    expect(countCalls(opened, operation)).toBe(1);
  });

  test('is settled by a repeated call, which finds it', async () => {
    const opened = await open('repeat', provider);
    const known = await opened.run(UPSERT, {
      records: [{ email: 'old@hang.example', changes: { lastName: 'Old' } }],
    });
    const records = [{ remoteId: known.results[0].remoteId, changes: { lastName: 'Changed' } }];
    const input = { idempotencyKey: 'u', records };
    const operation = CALLS[provider].update;
    const first = await runHanging(opened, { query: UPDATE, input, operation });
    expect(outcomesOf(first)).toEqual(['UNKNOWN']);
    const again = await opened.run(UPDATE, input);
    expect(outcomesOf(again)).toEqual(['UPDATED']);
    expect(again.write).toMatchObject({ id: first.write.id, isComplete: true });
    expect(opened.account.people.get(1)?.lastName).toBe('Changed');
    expect(countCalls(opened, operation)).toBe(1);
  });
});

test('Creations and links that were carried out without a response are settled by the job, which writes nothing', async () => {
  const begun = [];
  for (const provider of PROVIDERS) {
    const contacts = await open('job', provider);
    const records = [{ email: 'new@hang.example', changes: { firstName: 'N', lastName: 'New' } }];
    const upsert: Hanging = {
      query: UPSERT,
      input: { idempotencyKey: 'j', records },
      operation: CALLS[provider].upsert,
      // HubSpot gets it twice.
      next: provider === 'hubspot' ? 'reset' : undefined,
    };
    begun.push({
      opened: contacts,
      operation: upsert.operation,
      ...(await begin(contacts, upsert)),
    });
    const linkable = await openLinkable(crossbook, {
      provider,
      customerId: `hang link ${provider}`,
    });
    const links = [linkable.toLink('CONTACT 0 COMPANY 0')];
    const link: Hanging = { query: LINK, input: { links }, operation: CALLS[provider].link };
    begun.push({ opened: linkable, operation: link.operation, ...(await begin(linkable, link)) });
  }
  clock.skip(DEADLINE_MS);
  const writes = await Promise.all(
    begun.map(async ({ opened, operation, results }) => {
      const done = await results;
      expect(outcomesOf(done)).toEqual(['UNKNOWN']);
      return { opened, operation, id: done.write.id, calls: countCalls(opened, operation) };
    }),
  );
  clock.skip(JOB_MS);
  for (const { opened, operation, id, calls } of writes) {
    const read = async () => {
      const query = 'query ($id: ID!) { write(id: $id) { isComplete results { outcome } } }';
      return (await crossbook.execute(query, { id }, opened.headers)).data.write;
    };
    await expect.poll(async () => (await read()).isComplete).toBe(true);
    expect((await read()).results).toEqual([{ outcome: 'CREATED' }]);
    expect(countCalls(opened, operation)).toBe(calls);
    expect(opened.people()).toHaveLength(2);
  }
});

test('An upsert in HubSpot whose time ends after the first of its two calls is not taken for one that was not sent', async () => {
  const opened = await open('whole', 'hubspot');
  const operation = CALLS.hubspot.upsert;
  const records = [{ email: 'whole@hang.example', changes: { lastName: 'Whole' } }];
  const input = { idempotencyKey: 'w', records };
  const { results } = await begin(opened, { query: UPSERT, input, operation });
  // That of the whole write.
  clock.skip(60_000);
  expect(outcomesOf(await results)).toEqual(['UNKNOWN']);
  expect(outcomesOf(await opened.run(UPSERT, input))).toEqual(['CREATED']);
  expect(opened.people()).toHaveLength(2);
});
