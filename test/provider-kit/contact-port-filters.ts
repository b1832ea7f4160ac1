import type { Person } from '@crossbook/sandbox';
import { expect, test } from 'vitest';
import { PHONE_HITS } from '../../src/domain/provider.ts';
import type { ListFilter } from '../../src/domain/records/conditions.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import { contactFilters } from '../../src/domain/records/contact-filter.ts';
import type { TestContacts } from '../support/redacted.ts';
import { after, crowd, idsOf, listingOf, PLAIN, type Subject } from './contact-port-subject.ts';

const ALL = { direction: 'forward', from: undefined, limit: 1_002 } as const;

/** Changes of an import have one time. Each contact is found once, page by page. */
export async function findAllOfOneTime(
  subject: Pick<Subject, 'open'>,
  count: number,
): Promise<void> {
  const at = Date.UTC(2026, 5, 1);
  const { account, openPort } = subject.open(
    Array.from({ length: count }, () => ({ updatedAt: at })),
  );
  const port = openPort();
  const filter = { by: 'modifiedSince', since: at, until: at } as const;
  const seen: string[] = [];
  for (let last: Contact | undefined; ; ) {
    const run = await port.readList(filter, { ...ALL, ...after(last) }, PLAIN);
    const fresh = idsOf(run).filter((id) => id !== last?.remoteId);
    seen.push(...fresh);
    last = run.at(-1);
    if (fresh.length < ALL.limit - 1) break;
  }
  expect(seen).toEqual(Array.from({ length: count }, (_, index) => account.recordId(index + 1)));
}

/** The filters besides email addresses and domains. The values of custom fields are tested with the whole product. */
export function testFilters(subject: Subject): void {
  const { directions, counted } = listingOf(subject, 'any.example');
  const { filters } = subject.access.records.CONTACT;
  const open = (people: readonly Partial<Person>[]) => {
    const { account, openPort } = subject.open(people);
    const port = openPort();
    const toNumbers = (ids: readonly string[]) =>
      people.flatMap((_, index) => (ids.includes(account.recordId(index + 1)) ? [index + 1] : []));
    return {
      account,
      port,
      list: async (filter: ListFilter) => toNumbers(idsOf(await port.readList(filter, ALL, PLAIN))),
      call: async (phone: string) => {
        const filter = contactFilters.read({ phone });
        if (filter.by !== 'phone') throw new Error('Not a phone.');
        return toNumbers(idsOf(await port.readList(filter, PHONE_HITS, PLAIN)));
      },
    };
  };
  const named = (prefix: string) => contactFilters.read({ namePrefix: prefix }) as ListFilter;

  test('all contacts are listed in the order of their ids, deleted and merged ones left out', async () => {
    const { account, port, list } = open(crowd(3, 'any.example'));
    account.removePerson(account.recordId(2));
    account.mergePerson(account.recordId(3), account.recordId(4));
    expect(await list({ by: 'all' })).toEqual([1, 4, 5, 6]);
    expect(await port.count({ by: 'all' })).toBe(counted(4));
    if (!directions.includes('backward')) return;
    const run = await port.readList({ by: 'all' }, { ...ALL, direction: 'backward' }, PLAIN);
    expect(idsOf(run)).toEqual([1, 4, 5, 6].map(account.recordId));
  });

  test('a listing walks past the ten thousand results that a search of HubSpot can page', async () => {
    const { account, port } = open(Array.from({ length: 10_300 }, () => ({})));
    const from = account.recordId(9_900);
    const run = await port.readList({ by: 'all' }, { ...ALL, from, limit: 900 }, PLAIN);
    expect(idsOf(run)).toEqual(
      Array.from({ length: 401 }, (_, index) => account.recordId(9_900 + index)),
    );
    expect(await port.count({ by: 'all' })).toBe(counted(10_300));
  });

  test('a period has the contacts that were modified in it, both ends included', async () => {
    const at = Date.UTC(2026, 5, 1);
    const people = [-1_000, 0, 500, 60_000, 61_000].map((later) => ({ updatedAt: at + later }));
    const { port, list } = open(people);
    const filter = { by: 'modifiedSince', since: at, until: at + 60_000 } as const;
    expect(await list(filter)).toEqual([2, 3, 4]);
    expect(await port.count(filter)).toBe(counted(3));
  });

  test('more contacts with one modification time than a search can page are all found, once', () =>
    findAllOfOneTime(subject, 10_200));

  if ('namePrefix' in filters) {
    test('a prefix of a name finds each word of the first and the last name, in any case', async () => {
      const { port, list } = open([
        { firstName: 'John', lastName: 'Smith' },
        { firstName: 'Mary Jo', lastName: 'Smith' },
        { firstName: 'Ann', lastName: 'JOHNSON' },
        { firstName: 'Ann', lastName: 'van der Jong' },
        { firstName: 'Marjo', lastName: 'Banjo' },
        { firstName: null, lastName: "O'Jones" },
        { firstName: 'Joë', lastName: 'Ñusta' },
        { firstName: 'Anne-Joe', lastName: 'Smith' },
        { firstName: 'Ann', lastName: 'D’Jordan  Ray' },
        { firstName: 'Ann', lastName: '山田　Joji' },
      ]);
      expect(await list(named('jo'))).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10]);
      expect(await list(named('anne-j'))).toEqual([8]);
      expect(await list(named('jordan ra'))).toEqual([9]);
      expect(await list(named('JOHN'))).toEqual([1, 3]);
      expect(await list(named('mary j'))).toEqual([2]);
      expect(await list(named('van der'))).toEqual([4]);
      expect(await list(named("o'j"))).toEqual([6]);
      expect(await list(named('ñu'))).toEqual([7]);
      expect(await list(named('nobody'))).toEqual([]);
      // A CRM that counts others too says so.
      expect([9, null]).toContain(await port.count(named('jo')));
    });

    test('signs that mean something in a query are part of the name', async () => {
      const { list } = open([
        { firstName: 'a*b', lastName: 'x' },
        { firstName: 'a%b', lastName: 'x' },
        { firstName: 'a_b', lastName: 'x' },
        { firstName: "a'b", lastName: 'x' },
        { firstName: 'a\\b', lastName: 'x' },
        { firstName: 'azb', lastName: 'x' },
      ]);
      for (const [index, sign] of ['*', '%', '_', "'", '\\'].entries())
        expect([sign, await list(named(`a${sign}`))]).toEqual([sign, [index + 1]]);
    });
  }

  if ('phone' in filters) {
    test('a phone number is found in other notations, with and without its country code', async () => {
      const { call } = open([
        { phone: '+44 7917 528642' },
        { mobilePhone: '07917 528 642' },
        { phone: '+44 (0) 7917-528643' },
        { phone: '+33 6 55 55 55 55' },
        { phone: '4' },
        { phone: null },
      ]);
      expect(await call('+44 7917 528642')).toEqual([1, 2]);
      expect(await call('0044 7917 528642')).toEqual([1, 2]);
      expect(await call('528642')).toEqual([]);
      expect(await call('7528642')).toEqual([1, 2]);
      expect(await call('+33655555555')).toEqual([4]);
      expect(await call('+1 555 0000000')).toEqual([]);
    });

    test('a phone number that only contains the searched digits is not found', async () => {
      const { call } = open([
        { phone: '+1 415 5551212' },
        { phone: '+1 415 5551213' },
        { phone: '555-1212 ext' },
      ]);
      expect(await call('14155551212')).toContain(1);
      expect(await call('14155551212')).not.toContain(2);
      expect(await call('1212')).toEqual([]);
    });

    test('who has a phone number does not depend on who else has it', async () => {
      const numbers = [
        '+49 30 1234567',
        '0049301234567',
        '1234567 (home)',
        '030/1234567',
        '234567',
      ];
      const people = numbers.map((number, index) =>
        index % 2 === 0 ? { phone: number } : { mobilePhone: number },
      );
      const together = open([...people, { phone: '+1 1928374655647382919' }]);
      const alone = people.map((one) => open([one]));
      for (const asked of [
        '+49 30 1234567',
        '0049301234567',
        '030/1234567',
        '301234567',
        '1234567',
      ]) {
        const found = await together.call(asked);
        const each = await Promise.all(alone.map(({ call }) => call(asked)));
        expect([asked, found]).toEqual([asked, each.flatMap((one, at) => one.map(() => at + 1))]);
      }
      expect(await together.call('1234567')).toEqual([1, 2, 3, 4]);
    });

    test('a fax number is not searched', async () => {
      const { call } = open([
        { phone: '+44 7917 528642' },
        { phone: '+49 30 7528642', fax: '+44 7917 528642' },
      ]);
      expect(await call('+44 7917 528642')).toEqual([1]);
    });

    test('at most two hundred contacts are found by one phone number', async () => {
      const { call } = open(Array.from({ length: 230 }, () => ({ phone: '+1 415 555 1212' })));
      expect(await call('+1 415 555 1212')).toHaveLength(200);
    });
  }

  if ('customField' in filters)
    test('a filter by a custom field that the CRM lacks finds no contact, and reports it', async () => {
      const { port } = open([{ email: 'a@b.example', custom: { favorite_color: 'red' } }]);
      const missing = subject.customField.replace(/color/i, 'shape');
      const problems: unknown[] = [];
      const read = (port_: TestContacts, source: string) => {
        const field = { name: 'color', type: 'TEXT', source } as const;
        const onProblem = (_: unknown, problem: string) => problems.push(problem);
        const customFields = { key: source, names: ['color'], fields: [field], onProblem };
        const filter = { by: 'customField', field, value: 'red', sourceType: undefined } as const;
        return port_.readList(filter, ALL, { rawData: false, customFields });
      };
      expect(await read(port, subject.customField)).toHaveLength(1);
      expect(problems).toEqual([]);
      expect(await read(port, missing)).toEqual([]);
      expect(problems).toContain('MISSING');
    });
}
