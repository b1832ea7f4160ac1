import {
  type HubSpotAccount,
  openSandbox,
  type Person,
  type SalesforceAccount,
  type Sandbox,
} from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Contact } from '../../src/domain/records/contact.ts';
import type { ContactFilterInput } from '../../src/domain/records/contact-filter.ts';
import { hubspot } from '../../src/providers/hubspot/provider.ts';
import { salesforce } from '../../src/providers/salesforce/provider.ts';
import { searchContacts } from '../../src/usecases/search-contacts.ts';
import { createDice } from '../support/dice.ts';
import { createFakeServices } from '../support/fake-services.ts';
import { SEED } from '../support/fast-check.ts';
import { createHastyClock } from '../support/hasty-clock.ts';
import { createSandboxPorts } from '../support/sandbox-ports.ts';

/** `CROSSBOOK_TEST_PEOPLE=25000` follows the changes of as many people as the demo has. */
const PEOPLE = Number(process.env['CROSSBOOK_TEST_PEOPLE'] ?? 500);
/** Each with a stream of changes of its own. */
const RUNS = Math.ceil(Number(process.env['CROSSBOOK_TEST_RUNS'] ?? 400) / 100);
const DEADLINE_MS = 1_000_000_000;
/** Shorter than the minute that a period lies behind now. */
const LAG_MS = 58_000;

let time = Date.UTC(2026, 10, 20, 12);
/** How far the clock of the CRMs is behind ours. */
let behindMs = 0;
let sandbox: Sandbox;
const ports = createSandboxPorts(() => sandbox);
beforeAll(async () => {
  sandbox = await openSandbox({ now: () => time - behindMs, enforceLimits: false });
});
afterAll(async () => {
  await ports.close();
  await sandbox.close();
});

const CRMS = {
  hubspot: {
    provider: hubspot,
    demo: () => sandbox.hubspot.demo,
    create: (people: readonly Partial<Person>[], lagMs: number) =>
      sandbox.hubspot.createAccount({
        people,
        quirks: { searchLagMs: lagMs, searchLagVaries: true },
      }),
    // Five calls of 200 contacts and one for the two beyond a page of 1,000.
    callsForAll: 149,
    lastName: ({ lastName }: Person) => lastName || null,
  },
  salesforce: {
    provider: salesforce,
    demo: () => sandbox.salesforce.demo,
    create: (people: readonly Partial<Person>[], lagMs: number) =>
      sandbox.salesforce.createAccount({ people, quirks: { commitLagMs: lagMs } }),
    callsForAll: 25,
    lastName: ({ lastName }: Person) => lastName || '[not provided]',
  },
};
type Account = HubSpotAccount | SalesforceAccount;

/** The use case over the adapters' real calls to this account, at the model's time. */
async function openSearch(name: keyof typeof CRMS, account: Account) {
  const { provider } = CRMS[name];
  const { crm } = ports.open(provider, account, {
    clock: { ...createHastyClock(DEADLINE_MS), wall: () => time },
    settings: { deadlineMs: DEADLINE_MS },
  });
  const { services, openContext } = await createFakeServices({ wall: () => time });
  Object.assign(services, {
    providers: new Map([[name, provider]]),
    openCrmPort: () => crm,
  });
  const headers = { 'x-api-key': 'demo-key', 'x-customer-id': 'demo', 'x-provider-name': name };
  return (filter: ContactFilterInput, size: number, cursor?: string) =>
    searchContacts(openContext(new Headers(headers)), {
      filter,
      page: { size, cursor },
      readFromCache: false,
      selection: { rawData: false, totalCount: false, needsPreviousPage: false },
    });
}

/** Reads a listing to its end, and calls `between` after each page. */
async function* listPages(
  search: Awaited<ReturnType<typeof openSearch>>,
  filter: ContactFilterInput,
  size: () => number,
) {
  let cursor: string | undefined;
  for (;;) {
    const page = await search(filter, size(), cursor);
    yield page;
    if (!page.hasNextPage) return;
    cursor = page.cursorOf(page.items.at(-1), 'forward');
  }
}

describe.each(['hubspot', 'salesforce'] as const)('a listing of %s', (name) => {
  const { callsForAll, create, demo, lastName } = CRMS[name];

  test('has all 25,000 people of the demo, each once, in the order of their ids', async () => {
    const account = demo();
    const search = await openSearch(name, account);
    account.resetCalls();
    const ids: string[] = [];
    for await (const page of listPages(search, { all: true }, () => 1_000))
      ids.push(...page.items.map(({ remoteId }) => remoteId));
    const present = account.people.all().filter(({ isDeleted }) => !isDeleted);
    expect(present.length).toBeGreaterThan(24_900);
    expect(ids).toEqual(present.map(({ index }) => account.recordId(index)));
    expect(account.callCount()).toBe(callsForAll);
  });

  test('that follows modifiedUntil sees every change while people change, and nobody twice in one listing', async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const outcome = await follow(SEED + run, LAG_MS);
      expect([SEED + run, outcome.repeated, outcome.missed]).toEqual([SEED + run, [], []]);
      expect(outcome.listings).toBeGreaterThan(3);
      expect(outcome.changes).toBeGreaterThan(100);
    }
  });

  test.each([90_000, 3_600_000])(
    'sees every change where the clock of the CRM is %i ms behind',
    async (behind) => {
      behindMs = behind;
      const outcome = await follow(SEED, LAG_MS).finally(() => {
        behindMs = 0;
      });
      expect([outcome.repeated, outcome.missed]).toEqual([[], []]);
      expect(outcome.changes).toBeGreaterThan(100);
    },
  );

  test('misses changes where the lag is longer than the minute that periods lie behind now', async () => {
    const { missed } = await follow(SEED, 20 * 60_000);
    expect(missed.length).toBeGreaterThan(0);
  });

  /**
   * A client lists everything that was ever modified, and then what was modified since. At the end its copy must have
   * each person as the CRM has them, but for deleted ones.
   */
  async function follow(seed: number, lagMs: number) {
    const dice = createDice(seed);
    const account = create(invent(), lagMs);
    const search = await openSearch(name, account);
    const copy = new Map<string, Contact>();
    const repeated: string[] = [];
    let since = new Date(0).toISOString();
    let listings = 0;
    let changes = 0;

    const listOnce = async (between: () => void, size: () => number) => {
      const seen = new Set<string>();
      let until = since;
      for await (const page of listPages(search, { modifiedSince: since }, size)) {
        for (const contact of page.items) {
          if (seen.has(contact.remoteId)) repeated.push(contact.remoteId);
          seen.add(contact.remoteId);
          copy.set(contact.remoteId, contact);
        }
        until = page.modifiedUntil ?? until;
        between();
      }
      since = until;
      listings += 1;
    };
    const change = () => {
      time += dice.next(20_000);
      const made = account.changePeople({
        seed: dice.next(2 ** 31),
        count: dice.next(6),
        isTied: dice.chance(30),
      });
      changes += made.length;
      // A bulk job, whose records all have one modification time.
      if (dice.chance(2))
        account.editPeople({ count: PEOPLE / 2, person: { jobTitle: `${seed}` } });
    };
    const pageSize = Math.max(20, Math.ceil(PEOPLE / 30));
    for (let round = 0; round < 6; round += 1) {
      await listOnce(change, () => Math.min(1_000, 1 + dice.next(2 * pageSize)));
      for (let pause = dice.next(12); pause > 0; pause -= 1) change();
    }
    // Everything becomes visible, and two more listings see it.
    for (let round = 0; round < 2; round += 1) {
      time += 61_000;
      await listOnce(
        () => undefined,
        () => 1_000,
      );
    }
    const missed = account.people
      .all()
      .filter(({ isDeleted }) => !isDeleted)
      .filter((person) => {
        const contact = copy.get(account.recordId(person.index));
        const phones = contact?.phoneNumbers.map(({ phoneNumber }) => phoneNumber) ?? [];
        return (
          contact === undefined ||
          contact.firstName !== (person.firstName || null) ||
          contact.lastName !== lastName(person) ||
          (person.phone !== null && !phones.includes(person.phone)) ||
          Math.floor(Date.parse(contact.lastModifiedAt ?? '') / 1_000) !==
            Math.floor(person.updatedAt / 1_000)
        );
      })
      .map(({ index }) => account.recordId(index));
    return { repeated, missed, listings, changes };
  }

  function invent(): readonly Partial<Person>[] {
    return Array.from({ length: PEOPLE }, (_, index) => ({
      firstName: `First ${index}`,
      lastName: `Last ${index}`,
      email: `person.${index}@listed.example`,
      // Some share a modification time.
      updatedAt: time - 86_400_000 + (index % 50) * 1_000,
    }));
  }
});
