import type { Person, PersonAddress } from './people.ts';

/** The first people of the demo, handmade: one for each typical bug of an adapter. */
const ada: Partial<Person> = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  secondaryEmails: ['ada.lovelace@analytical.example', 'countess@example.org'],
  workEmail: 'ada@analytical.example',
  phone: '+44 20 7946 0001',
  mobilePhone: '+44 7700 900001',
  homePhone: '+44 20 7946 0011',
  otherPhone: '+44 20 7946 0012',
  fax: '+44 20 7946 0099',
  jobTitle: 'Countess of Computing',
  mailingAddress: address(
    '12 St James’s Square\nSecond floor',
    'London',
    'England',
    'SW1Y 4JH',
    'United Kingdom',
  ),
  otherAddress: address('Ockham Park', 'Ockham', 'Surrey', 'GU23 6NQ', 'United Kingdom'),
  lifecycleStage: 'customer',
  companyIndex: 1,
  otherCompanyIndexes: [7, 5],
  ownerIndex: 1,
  dealIndexes: [1, 2],
  ticketIndexes: [1],
  lastActivityAt: Date.UTC(2026, 9, 14, 15, 9, 26, 535),
  createdAt: Date.UTC(2024, 11, 10, 8, 0, 0, 123),
  updatedAt: Date.UTC(2026, 10, 2, 11, 45, 30, 678),
  custom: { favorite_color: 'violet', notes_on: 'the Analytical Engine' },
};

const grace: Partial<Person> = {
  firstName: 'Grace',
  lastName: 'Hopper',
  email: 'Grace@Example.com',
  secondaryEmails: ['grace.hopper@navy.example', 'Rear.Admiral@navy.example'],
  lifecycleStage: 'evangelist',
  companyIndex: 2,
  ownerIndex: 2,
  dealIndexes: [2],
};

// 64 + 1 + 63 + 1 + 63 + 1 + 53 + 8 = 254: the maximum length of an email.
const LONGEST_EMAIL = `${'l'.repeat(64)}@${'o'.repeat(63)}.${'n'.repeat(63)}.${'g'.repeat(53)}.example`;

const WITH_ODD_EMAILS: readonly Partial<Person>[] = [
  {
    firstName: 'Ada',
    lastName: 'of the CRM',
    email: 'ada+crm@example.com',
    lifecycleStage: 'lead',
  },
  {
    firstName: 'Conan',
    lastName: "O'Brien",
    email: "o'brien@example.com",
    lifecycleStage: 'opportunity',
    dealIndexes: [3],
  },
  { firstName: 'Back', lastName: 'Slash', email: '"back\\slash"@example.com' },
  {
    firstName: 'Łukasz',
    lastName: 'Żółć',
    email: 'łukasz@exämple.example',
    lifecycleStage: 'subscriber',
    companyIndex: 3,
    dealIndexes: [6],
  },
  { firstName: 'Long', lastName: 'Address', email: LONGEST_EMAIL },
  { firstName: 'Quo', lastName: '"Ted"', email: '"very odd"@example.com' },
  { firstName: 'Percy', lastName: '100%', email: '100%@example.com' },
  { firstName: 'Under', lastName: 'Score', email: 'under_score@example.com' },
  { firstName: 'Not', lastName: 'Under Score', email: 'underxscore@example.com' },
  {
    firstName: 'Upper',
    lastName: 'CASE',
    email: 'UPPER@EXAMPLE.COM',
    lifecycleStage: 'salesqualifiedlead',
    companyIndex: 4,
    dealIndexes: [4, 5],
  },
];

const WHO_SHARE_ONE_EMAIL: readonly Partial<Person>[] = [
  { firstName: 'Tick', lastName: 'Sharer', email: 'team@shared.example', companyIndex: 3 },
  { firstName: 'Trick', lastName: 'Sharer', email: 'Team@Shared.example', companyIndex: 3 },
  { firstName: 'Track', lastName: 'Sharer', email: 'TEAM@SHARED.EXAMPLE', companyIndex: 4 },
];

const WITH_ODD_VALUES: readonly Partial<Person>[] = [
  { firstName: 'No', lastName: 'Address', email: null, phone: '+1 555 0100' },
  {
    firstName: '',
    lastName: '',
    email: '',
    workEmail: '',
    phone: '',
    mobilePhone: '',
    fax: '',
    jobTitle: '',
    lifecycleStage: '',
    mailingAddress: address('', '', '', '', ''),
  },
  {},
  {
    firstName: '  Trailing ',
    lastName: 'Spaces\t',
    email: 'spaces@odd.example',
    phone: ' +1 555 0101 ',
    jobTitle: ' ',
    mailingAddress: address('1 First Line\r\nSecond Line\n', ' Springfield ', '', '0', 'US'),
  },
  { firstName: 'Gone', lastName: 'Already', email: 'deleted@example.com', isDeleted: true },
  {
    firstName: '😀',
    lastName: '数学者 👩‍💻',
    email: 'emoji@odd.example',
    jobTitle: 'عالمة رياضيات',
  },
  {
    firstName: '<script>alert(1)</script>',
    lastName: "'; DROP TABLE contacts; --",
    email: 'bobby@odd.example',
  },
  {
    firstName: 'Custom',
    lastName: 'Stage',
    email: 'stage@odd.example',
    lifecycleStage: '48151623',
  },
  { firstName: 'Other', lastName: 'Stage', email: 'other@odd.example', lifecycleStage: 'other' },
  {
    firstName: 'Marketing',
    lastName: 'Lead',
    email: 'mql@odd.example',
    lifecycleStage: 'marketingqualifiedlead',
  },
];

export const SPECIAL_PEOPLE: readonly Partial<Person>[] = [
  ada,
  grace,
  ...WITH_ODD_EMAILS,
  ...WHO_SHARE_ONE_EMAIL,
  ...WITH_ODD_VALUES,
];

function address(...[street, city, state, postalCode, country]: AddressParts): PersonAddress {
  return { street, city, state, postalCode, country };
}

type AddressParts = [
  street: string,
  city: string,
  state: string,
  postalCode: string,
  country: string,
];
