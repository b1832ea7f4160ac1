import {
  type HubSpotAccount,
  openSandbox,
  type Person,
  type SalesforceAccount,
  type Sandbox,
} from '@crossbook/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CustomFieldType } from '../../src/domain/custom-field.ts';
import type { CrmPort } from '../../src/domain/provider.ts';
import {
  type ContactFilterInput,
  contactFilters,
} from '../../src/domain/records/contact-filter.ts';
import { hubspot } from '../../src/providers/hubspot/provider.ts';
import { salesforce } from '../../src/providers/salesforce/provider.ts';
import { searchContacts } from '../../src/usecases/search-contacts.ts';
import { createDice, type Dice } from '../support/dice.ts';
import { createFakeServices } from '../support/fake-services.ts';
import { toPieces } from '../support/fast-check.ts';
import { createHastyClock } from '../support/hasty-clock.ts';
import { createSandboxPorts } from '../support/sandbox-ports.ts';

/** Accounts, each searched by a filter of each condition. `CROSSBOOK_TEST_RUNS=2000` draws as many. */
const RUNS = Math.min(Number(process.env['CROSSBOOK_TEST_RUNS'] ?? 60), 20_000);
const DEADLINE_MS = 1_000_000_000;
const NOW = Date.UTC(2026, 10, 20, 12);
const AT = Date.UTC(2026, 5, 1, 12);

/** Each custom field with the custom field that it is read from. */
const CUSTOM_FIELDS: Readonly<Record<string, readonly [CustomFieldType, string]>> = {
  text: ['TEXT', 'text'],
  number: ['NUMBER', 'number'],
  numberAsText: ['TEXT', 'number'],
  flag: ['BOOLEAN', 'flag'],
  day: ['DATE', 'day'],
  dayAsTime: ['DATETIME', 'day'],
  moment: ['DATETIME', 'moment'],
  momentAsDay: ['DATE', 'moment'],
  one: ['CHOICE', 'one'],
  oneAsMany: ['CHOICES', 'one'],
  several: ['CHOICES', 'several'],
  texts: ['CHOICES', 'texts'],
};
const HUBSPOT_TYPES = {
  text: { type: 'string', fieldType: 'text' },
  number: { type: 'number', fieldType: 'number' },
  flag: { type: 'bool', fieldType: 'booleancheckbox' },
  day: { type: 'date', fieldType: 'date' },
  moment: { type: 'datetime', fieldType: 'date' },
  one: { type: 'enumeration', fieldType: 'select', options: ['A', 'a', 'B'] },
  several: { type: 'enumeration', fieldType: 'checkbox', options: ['A', 'B', 'AB'] },
  texts: { type: 'string', fieldType: 'text' },
} as const;
const SALESFORCE_TYPES = {
  Text__c: { type: 'string' },
  Number__c: { type: 'double' },
  Flag__c: { type: 'boolean' },
  Day__c: { type: 'date' },
  Moment__c: { type: 'datetime' },
  One__c: { type: 'picklist', values: ['A', 'a', 'B'] },
  Several__c: { type: 'multipicklist', values: ['A', 'B', 'AB'] },
  Texts__c: { type: 'string' },
} as const;
const VALUES: Readonly<Record<string, readonly string[]>> = {
  text: ['violet', 'Violet', 'red', "o'Neil", 'a "b" \\ c', '50 %', 'x_y', '*'],
  number: ['17', '18', '1.5', '-3', '0'],
  flag: ['true', 'false'],
  day: ['2026-01-31', '1969-12-31', '1912-06-23', '1970-01-01'],
  moment: ['2026-01-31T10:00:00.000Z', '1969-07-20T20:17:40.000Z', '1912-06-23T00:00:00.000Z'],
  one: ['A', 'a', 'B'],
  several: ['A', 'B', 'AB', 'A;B', 'B;A', 'AB;B'],
  texts: ['x', 'y', 'x;y', 'xy;z'],
};
const SYLLABLES = [
  'jo',
  'Jo',
  'Ann',
  'anne',
  'Mar',
  'É',
  'ñu',
  'Smith',
  'o',
  'de',
  'b%',
  'c_',
  'x',
];
const DIVIDERS = ['', '', ' ', '  ', '-', "'", '’', '‑', '\u00a0', '.', '/'];
const NUMBERS = ['301234567', '7917528642', '655555555', '1234567', '4155551212', '7528642', '110'];
const NOTATIONS = [
  '+49 #',
  '0049#',
  '0#',
  '#',
  '+44 (0) #',
  '+1 #',
  '(0#)',
  '#-',
  '+376 #',
  '+33#',
];

let sandbox: Sandbox;
const ports = createSandboxPorts(() => sandbox);
beforeAll(async () => {
  sandbox = await openSandbox({ now: () => NOW, enforceLimits: false });
});
afterAll(async () => {
  await ports.close();
  await sandbox.close();
});

test.each(toPieces(RUNS))(
  'both CRMs give the same contacts by every filter, where their data are the same: $seed',
  async ({ seed, numRuns }) => {
    const { open } = await openSearches();
    const hits = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, 0]));
    for (let run = 0; run < numRuns; run += 1) {
      const dice = createDice(seed * 1_000 + run);
      const people = Array.from({ length: 1 + dice.next(8) }, (_, at) => drawPerson(dice, at));
      const searches = open(people);
      for (const [name, draw] of Object.entries(FILTERS)) {
        const filter = draw(dice, people);
        const [one, other] = await Promise.all(searches.map((search) => search(filter)));
        expect({ run, filter, people, ...one }).toEqual({ run, filter, people, ...other });
        hits[name] = (hits[name] ?? 0) + (one?.found.length ?? 0);
      }
      await ports.close();
    }
    // Each finds somebody often enough to differ.
    for (const [name, count] of Object.entries(hits))
      expect([name, count > numRuns / 10]).toEqual([name, true]);
  },
);

test('has a filter of each condition', () => {
  expect(Object.keys(FILTERS)).toEqual(Object.keys(contactFilters.input.fields));
});

/** The use case over the adapters' real calls, to two new accounts with the same people. */
async function openSearches() {
  const { services, openContext, tenant } = await createFakeServices({ wall: () => NOW });
  const opened = new Map<string, CrmPort>();
  Object.assign(services, {
    providers: new Map([hubspot, salesforce].map((provider) => [provider.name, provider])),
    openCrmPort: ({ connection }: { connection: { providerName: string } }) =>
      opened.get(connection.providerName),
  });
  const fields = Object.entries(CUSTOM_FIELDS).map(([name, [type, source]]) => ({
    name,
    type,
    description: null,
    customersMayMap: false,
    sources: [
      { provider: 'hubspot' as const, field: source },
      { provider: 'salesforce' as const, field: toSalesforce(source) },
    ],
  }));
  const declared = { record: 'CONTACT', definitions: fields, typedSchema: false } as const;
  await tenant.customFields.replace(declared, undefined);
  const clock = createHastyClock(DEADLINE_MS);
  const options = { clock, settings: { deadlineMs: DEADLINE_MS } };
  const open = (people: readonly Partial<Person>[]) =>
    [
      {
        provider: hubspot,
        account: sandbox.hubspot.createAccount({
          people,
          quirks: { propertyTypes: HUBSPOT_TYPES },
        }),
      },
      {
        provider: salesforce,
        account: sandbox.salesforce.createAccount({
          people,
          quirks: { customFields: SALESFORCE_TYPES },
        }),
      },
    ].map(({ provider, account }) => {
      opened.set(provider.name, ports.open(provider, account, options).crm);
      const headers = new Headers({
        'x-api-key': 'demo-key',
        'x-customer-id': 'demo',
        'x-provider-name': provider.name,
      });
      return async (filter: ContactFilterInput) => {
        const { items } = await searchContacts(openContext(headers), {
          filter,
          page: { size: 1_000 },
          readFromCache: false,
          selection: { rawData: false, totalCount: false, needsPreviousPage: false },
        });
        return { found: items.map(({ remoteId }) => toPlace(account, remoteId, people.length)) };
      };
    });
  return { open };
}

function toPlace(account: HubSpotAccount | SalesforceAccount, id: string, size: number): number {
  return Array.from({ length: size }, (_, at) => account.recordId(at + 1)).indexOf(id);
}

function toSalesforce(source: string): string {
  return `${source.charAt(0).toUpperCase()}${source.slice(1)}__c`;
}

/**
 * What both CRMs can have alike: an email of one's own, because HubSpot's are unique; a last name and a set checkbox,
 * because Salesforce lacks neither; and times in whole seconds, as Salesforce has them.
 */
function drawPerson(dice: Dice, at: number): Partial<Person> {
  const custom = Object.entries(VALUES).flatMap(([name, values]) =>
    name === 'flag' || dice.chance(70) ? [[name, dice.pick(values)] as const] : [],
  );
  return {
    email: dice.chance(80)
      ? `${dice.pick(['P', 'p'])}${at}@${dice.pick(['one.example', 'Two.example', 'a.one.example'])}`
      : null,
    firstName: dice.chance(80) ? drawName(dice) : null,
    lastName: drawName(dice),
    phone: dice.chance(70) ? drawPhone(dice) : null,
    mobilePhone: dice.chance(50) ? drawPhone(dice) : null,
    fax: dice.chance(20) ? drawPhone(dice) : null,
    updatedAt: AT + dice.next(5) * 1_000,
    custom: Object.fromEntries(custom),
  };
}

function drawName(dice: Dice): string {
  const parts = Array.from({ length: 1 + dice.next(4) }, () => dice.pick(SYLLABLES));
  return parts.reduce((name, part) => `${name}${dice.pick(DIVIDERS)}${part}`);
}

function drawPhone(dice: Dice): string {
  const digits = dice.pick(NUMBERS);
  const spaced = dice.chance(50) ? digits.replace(/(...)/, '$1 ') : digits;
  return dice.pick(NOTATIONS).replace('#', spaced);
}

type Draw = (dice: Dice, people: readonly Partial<Person>[]) => ContactFilterInput;

const drawEmail: (...given: Parameters<Draw>) => string = (dice, people) =>
  dice.pick(people).email ?? 'nobody@one.example';

const FILTERS: Readonly<Record<string, Draw>> = {
  email: (dice, people) => ({ email: drawEmail(dice, people) }),
  emails: (dice, people) => ({
    emails: [1, 2, 3].map(() => drawEmail(dice, people).toUpperCase()),
  }),
  emailDomain: (dice) => ({
    emailDomain: dice.pick(['one.example', 'two.example', 'a.one.example']),
  }),
  phone: (dice, people) => {
    const { phone, mobilePhone, fax } = dice.pick(people);
    const known = [phone, mobilePhone, fax].flatMap((one) => one ?? []);
    const number = dice.chance(70) && known.length > 0 ? dice.pick(known) : drawPhone(dice);
    const digits = number.replace(/\D/g, '');
    const cut = digits.slice(dice.next(Math.max(1, digits.length - 3)));
    return { phone: dice.pick([number, digits, cut, `00${digits}`, `9${digits}`]) };
  },
  namePrefix: (dice, people) => {
    const { firstName, lastName } = dice.pick(people);
    const name = (dice.chance(50) ? firstName : lastName) ?? 'jo';
    const from = dice.chance(50) ? 0 : dice.next(name.length);
    const prefix = name.slice(from, from + 2 + dice.next(6)).trimStart();
    return { namePrefix: prefix.length < 2 ? dice.pick(['jo', "o'j", 'mar', 'x-']) : prefix };
  },
  modifiedSince: (dice) => ({
    modifiedSince: new Date(AT + dice.next(6_000) - 500).toISOString(),
  }),
  customField: (dice, people) => {
    const name = dice.pick(Object.keys(CUSTOM_FIELDS));
    const [type = 'TEXT', source = ''] = CUSTOM_FIELDS[name] ?? [];
    const value = dice.pick(people).custom?.[source] ?? dice.pick(VALUES[source] ?? ['x']);
    const equals =
      type === 'DATETIME'
        ? `${value.slice(0, 10)}${value.slice(10) || 'T00:00:00Z'}`
        : type === 'CHOICES'
          ? dice.pick(value.split(';'))
          : value;
    return { customField: { name, equals } };
  },
  all: () => ({ all: true }),
};
