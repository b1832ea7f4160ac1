import type { Person, Sandbox } from '@crossbook/sandbox';
import { describe, expect, test } from 'vitest';
import { CrossbookError, type ErrorCode } from '../../src/domain/errors.ts';
import type { Provider } from '../../src/domain/provider.ts';
import type { ListFilter } from '../../src/domain/records/conditions.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import { byDomain } from '../support/by-domain.ts';
import { createHastyClock } from '../support/hasty-clock.ts';
import type { TestContacts } from '../support/redacted.ts';
import { useSandboxPorts } from '../support/sandbox-ports.ts';
import { idsOf, PLAIN, type SimulatedAccount, WHOLE_PERSON } from './contact-port-subject.ts';

/**
 * With any quirk of an account switched on, contacts are found as without it; the exceptions are stated per case.
 */
export function testQuirks(provider: Provider, of: Simulated, cases: Cases): void {
  const { sandbox, ports } = useSandboxPorts();

  const observeWith = async (quirks: object, isExpired = false): Promise<Observed> => {
    const account = of.createAccount(sandbox(), PEOPLE, quirks);
    if (isExpired) account.expireAccessToken();
    const { port } = ports.open(provider, account, {
      settings: { deadlineMs: DEADLINE_MS },
      clock: createHastyClock(DEADLINE_MS),
      random: () => 0,
      sandboxOrigins: [
        account.instanceUrl,
        sandbox().hubspot.origin,
        sandbox().salesforce.origin,
      ].flatMap((origin) => [origin, toMoved(origin)]),
    });
    return observe(port, account, of.list ?? byDomain(DOMAIN));
  };

  describe.each(Object.entries(cases))('Quirk %s', (name, values) => {
    test.each(values)(
      'set to %j gives the same contacts but for the stated exceptions',
      async ({ value, but = {}, isExpired }) => {
        const plain = await observeWith({});
        const setting = typeof value === 'function' ? value(sandbox()) : value;
        expect(await observeWith({ [name]: setting }, isExpired)).toEqual({ ...plain, ...but });
      },
    );
  });

  test('without quirks all contacts are found', async () => {
    expect(await observeWith({})).toMatchObject({
      refreshed: [[2]],
      refreshedAgain: [[2]],
      forward: [...of.members],
    });
  });

  test('every quirk of the sandbox has a case', () => {
    expect(Object.keys(cases).sort()).toEqual([...of.names(sandbox())].sort());
  });
}

/** Another host name of the same server. */
export function toMoved(origin: string): string {
  return origin.replace('127.0.0.1', 'localhost');
}

/** The result of every read where nothing can be found. */
export function noContacts(code: ErrorCode): Partial<Observed> {
  return {
    found: code,
    byAlias: code,
    byBoth: code,
    forward: code,
    backward: code,
    count: code,
    byIds: code,
    refreshed: code,
    refreshedAgain: code,
  };
}

async function observe(
  port: TestContacts,
  account: SimulatedAccount,
  list: ListFilter,
): Promise<Observed> {
  const toNumber = ({ remoteId }: Contact) => account.indexOf(remoteId);
  const all = [1, 2, 7].map((index) => account.recordId(index));
  const run = (direction: 'forward' | 'backward') =>
    port.readList(list, { direction, from: undefined, limit: 5 }, PLAIN);
  const find = async (...emails: readonly string[]) => {
    const found = await port.findByKey(emails, PLAIN);
    return [...found.values()].map((contacts) => contacts.map(toNumber));
  };
  const refresh = () => {
    account.expireAccessToken();
    return find(`p2@${DOMAIN}`);
  };
  return {
    found: await settled(async () => withoutSource(await port.findByKey(EMAILS, PLAIN))),
    byAlias: await settled(() => find(ALIAS)),
    byBoth: await settled(() => find('ada@whole.example', ALIAS)),
    forward: await settled(async () => (await run('forward')).map(toNumber)),
    backward: await settled(async () => (await run('backward')).map(toNumber)),
    count: await settled(() => port.count(list)),
    byIds: await settled(async () => idsOf((await port.findByIds(all, PLAIN)).values())),
    companies: await settled(async () => [...((await port.related?.(all, 'company')) ?? [])]),
    deals: await settled(async () => [...((await port.related?.(all, 'deal')) ?? [])]),
    refreshed: await settled(refresh),
    refreshedAgain: await settled(refresh),
  };
}

/** An error is represented by its code, in place of a result. */
async function settled(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CrossbookError) return error.code;
    throw error;
  }
}

function withoutSource(found: ReadonlyMap<string, readonly Contact[]>): unknown {
  return [...found].map(([email, contacts]) => [
    email,
    contacts.map(({ source: _, ...contact }) => contact),
  ]);
}

const DEADLINE_MS = 10_000;
const DOMAIN = 'here.example';
const EMAILS = ['ada@whole.example', `p2@${DOMAIN}`, 'nobody@here.example'];
const ALIAS = 'countess@whole.example';
const SECOND = Date.UTC(2026, 9, 14, 15, 9, 26);

/** Some with every field that a person can have; whole seconds, because not every date format is more precise. */
const PEOPLE: readonly Partial<Person>[] = [
  {
    ...WHOLE_PERSON,
    secondaryEmails: [`ada.lovelace@${DOMAIN}`, ALIAS],
    otherCompanyIndexes: [2, 3],
    createdAt: SECOND,
    updatedAt: SECOND,
    lastActivityAt: SECOND,
  },
  ...[2, 3, 4, 5, 6].map((number) => ({
    email: `p${number}@${DOMAIN}`,
    createdAt: SECOND,
    updatedAt: SECOND,
  })),
  { email: 'x@other.example', createdAt: SECOND, updatedAt: SECOND },
];

/** The values to test, by quirk. */
export type Cases = Readonly<Record<string, readonly Case[]>>;

interface Case {
  /** A function gets the sandbox. */
  readonly value: unknown;
  /** The results that differ from those without the quirk. */
  readonly but?: Partial<Observed>;
  /** The quirk shows after a refresh. */
  readonly isExpired?: boolean;
}

interface Observed {
  readonly found: unknown;
  /** A contact looked up by a secondary email, and by two emails at once. */
  readonly byAlias: unknown;
  readonly byBoth: unknown;
  readonly forward: unknown;
  readonly backward: unknown;
  readonly count: unknown;
  readonly byIds: unknown;
  readonly companies: unknown;
  readonly deals: unknown;
  readonly refreshed: unknown;
  readonly refreshedAgain: unknown;
}

interface Simulated {
  /** Default: the people of a domain. */
  readonly list?: ListFilter;
  /** The numbers of the first people of the list. */
  readonly members: readonly number[];
  createAccount(
    sandbox: Sandbox,
    people: readonly Partial<Person>[],
    quirks: object,
  ): SimulatedAccount;
  names(sandbox: Sandbox): readonly string[];
}
