import { expect, test } from 'vitest';
import { DEMO_PEOPLE, DEMO_SEED, personAt } from '../src/people-demo.ts';
import { addresses, createPeopleTable, normalEmail, toSeed } from '../src/people-table.ts';

const people = DEMO_SEED.all();
const emails = people.flatMap((person) => (person.email ? [normalEmail(person.email)] : []));

test('the demo has 25,000 people, numbered in order and deterministic', () => {
  expect(people).toHaveLength(DEMO_PEOPLE);
  expect(people.map((person) => person.index)).toEqual(people.map((_, position) => position + 1));
  expect(personAt(12_345)).toEqual(people[12_344]);
});

test('the first person of the demo has every field', () => {
  expect(people[0]).toMatchObject({
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
  });
  expect(Object.entries(people[0] ?? {}).filter(([, value]) => value === null)).toEqual([]);
});

test('one domain has more than 12,000 people, some have hundreds, some a handful', () => {
  const sizes = new Map<string, number>();
  for (const email of emails) {
    const domain = email.slice(email.lastIndexOf('@') + 1);
    sizes.set(domain, (sizes.get(domain) ?? 0) + 1);
  }
  const counts = [...sizes.values()];
  expect(sizes.get('bigco.example')).toBeGreaterThan(12_000);
  expect(counts.filter((count) => count > 500 && count < 5_000).length).toBeGreaterThanOrEqual(3);
  expect(counts.filter((count) => count < 20).length).toBeGreaterThan(100);
});

test('emails include tags, quotes, backslashes, capitals, and the maximum length', () => {
  expect(emails).toEqual(expect.arrayContaining(['ada+crm@example.com', "o'brien@example.com"]));
  expect(emails.some((email) => email.includes('\\'))).toBe(true);
  expect(Math.max(...emails.map((email) => email.length))).toBe(254);
  expect(
    people.filter((person) => person.email && person.email !== normalEmail(person.email)).length,
  ).toBeGreaterThan(100);
});

test('some people share an email, some have none, some an empty one, some are deleted', () => {
  expect(emails.length - new Set(emails).size).toBeGreaterThan(500);
  for (const trait of [
    people.filter((person) => person.email === null),
    people.filter((person) => person.email === ''),
    people.filter((person) => person.isDeleted),
    people.filter((person) => person.secondaryEmails.length > 1),
    people.filter((person) => person.mailingAddress?.street?.includes('\n')),
  ])
    expect(trait.length).toBeGreaterThan(40);
});

test('every lifecycle stage occurs, and two custom ones of the portal', () => {
  const stages = new Set(people.map((person) => person.lifecycleStage));
  expect([...stages]).toEqual(
    expect.arrayContaining([
      'subscriber',
      'lead',
      'marketingqualifiedlead',
      'salesqualifiedlead',
      'opportunity',
      'customer',
      'evangelist',
      'other',
      '48151623',
      '99000111',
      '',
      null,
    ]),
  );
});

test('people are found by any of their emails, also after an email changed', () => {
  const table = createPeopleTable({ seed: toSeed(people.slice(0, 20)), now: () => 0 });
  expect(table.byEmail(' ADA@example.com')).toEqual([1]);
  expect(table.byEmail('countess@example.org')).toEqual([1]);
  const added = table.add({ email: 'Ada@Example.com' });
  expect(added).toBe(21);
  expect(table.byEmail('ada@example.com')).toEqual([1, 21]);
  table.change(1, { email: 'moved@example.com' });
  expect(table.byEmail('ada@example.com')).toEqual([21]);
  expect(table.byEmail('moved@example.com')).toEqual([1]);
});

test('a lookup by email finds the same people as a full scan', () => {
  const table = toSeed(people);
  const emails = new Set(people.flatMap(addresses));
  for (const email of emails) expect(DEMO_SEED.byEmail(email)).toEqual(table.byEmail(email));
  expect(DEMO_SEED.byEmail('nobody@example.com')).toEqual([]);
  expect(DEMO_SEED.get(0)).toBeUndefined();
  expect(DEMO_SEED.get(DEMO_PEOPLE + 1)).toBeUndefined();
});
