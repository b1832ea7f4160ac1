import { BEGINNING, type Person, type PersonAddress, toPerson } from './people.ts';
import { chosen, scatter } from './random.ts';

/** Generates the person with that index: deterministic, without random numbers. */
export function inventPerson(index: number): Person {
  const pick = <Item>(items: readonly Item[], salt: number): Item =>
    chosen(items, scatter(index, salt));
  const createdAt = BEGINNING + index * 3_600_000 + (scatter(index, 1) % 3_600_000);
  const firstName = pick(FIRST_NAMES, 2);
  const lastName = pick(LAST_NAMES, 3);
  return toPerson(
    {
      firstName: index % 211 === 0 ? '' : firstName,
      lastName,
      email: emailOf(index),
      secondaryEmails:
        index % 13 === 5 ? [`second.${index}@alias.example`, `Third.${index}@alias.example`] : [],
      workEmail: index % 9 === 2 ? `desk.${index}@work.example` : null,
      phone: index % 5 === 4 ? null : `+1 555 ${digits(index, 4)}${digits(index * 7, 3)}`,
      mobilePhone: index % 4 === 0 ? `+1 556 ${digits(index * 3, 7)}` : null,
      homePhone: index % 11 === 0 ? `+1 557 ${digits(index * 9, 7)}` : null,
      fax: index % 17 === 0 ? '' : null,
      jobTitle: pick(JOB_TITLES, 4),
      mailingAddress: index % 3 === 0 ? null : inventAddress(index),
      otherAddress: index % 19 === 0 ? inventAddress(index + 1) : null,
      lifecycleStage: pick(STAGES, 5),
      companyIndex: index % 6 === 0 ? null : 1 + (scatter(index, 6) % 900),
      otherCompanyIndexes: index % 29 === 0 ? [901, 902] : [],
      ownerIndex: index % 8 === 0 ? null : 1 + (scatter(index, 7) % 20),
      dealIndexes: inventDeals(index),
      ticketIndexes: index % 23 === 0 ? [index] : [],
      lastActivityAt:
        index % 7 === 0 ? null : createdAt + 86_400_000 * (1 + (scatter(index, 8) % 300)),
      createdAt,
      updatedAt: createdAt + 60_000 * (scatter(index, 9) % 400_000),
      isDeleted: index % 401 === 0,
      custom: index % 12 === 0 ? { favorite_color: pick(COLORS, 10) } : {},
    },
    index,
  );
}

/** One in ten has two deals, of which now and then a colleague shares the first. The deals are numbered without gaps. */
function inventDeals(index: number): readonly number[] {
  const first = 2 * Math.floor(index / 10) + 1;
  if (index % 10 === 3) return [first, first + 1];
  return index % 50 === 44 ? [first] : [];
}

/** Now and then two people share an email, and once per five hundred people five do. */
function emailOf(index: number): string | null {
  if (index % 500 >= 301 && index % 500 <= 304) return emailOf(index - (index % 500) + 300);
  if (index % 50 === 27) return emailOf(index - 1);
  if (index % 101 === 0) return null;
  if (index % 103 === 0) return '';
  const local = localPart(index);
  const email = `${local}@${domainOf(index)}`;
  return index % 107 === 0 ? email.toUpperCase() : email;
}

function localPart(index: number): string {
  if (index % 113 === 0) return `o'neil.${index}`;
  if (index % 127 === 0) return `tag+${index}`;
  return `${plain(chosen(FIRST_NAMES, scatter(index, 2)))}.${index}`;
}

/**
 * More than half are in one domain (above HubSpot's ceiling of 10,000 results), some in a few domains, the rest in
 * domains of their own.
 */
function domainOf(index: number): string {
  const share = scatter(index, 11) % 100;
  if (share < 58) return 'bigco.example';
  if (share < 80) return chosen(MIDDLE_DOMAINS, share);
  if (share < 82) return chosen(LOOKALIKE_DOMAINS, share);
  return `rare-${index % 2_000}.example`;
}

function inventAddress(index: number): PersonAddress {
  const [city, state, postalCode, country] = chosen(PLACES, scatter(index, 12));
  const suite = index % 5 === 1 ? `\nSuite ${index % 90}` : '';
  return {
    street: `${1 + (index % 999)} ${chosen(STREETS, index)}${suite}`,
    city,
    state,
    postalCode,
    country,
  };
}

function plain(name: string): string {
  return (
    name
      .normalize('NFD')
      .toLowerCase()
      .replace(/[^a-z]/g, '') || 'someone'
  );
}

function digits(seed: number, count: number): string {
  return String(scatter(seed, 13)).padStart(count, '0').slice(-count);
}

const FIRST_NAMES = [
  'Emmy',
  'Alan',
  'Søren',
  'Zoë',
  'Katherine',
  'José',
  'Mae',
  'Linus',
  'Hedy',
  'Nikola',
].concat([
  'Chloé',
  'Björn',
  'Mary Ann',
  'Jean-Luc',
  'Ñusta',
  'D’Arcy',
  '明',
  'Ольга',
  'Barbara',
  'Tim',
]);
const LAST_NAMES = [
  "O'Neil",
  'Turing',
  'Noether',
  'García Márquez',
  'van der Berg',
  'Lamarr',
  'Tesla',
  'Müller',
].concat([
  'Johnson',
  'Jemison',
  'Łukasiewicz',
  'Ångström',
  'Smith-Jones',
  '王',
  'Иванова',
  "D'Angelo",
  'Liskov',
  'Berners',
]);
const JOB_TITLES = ['Engineer', 'Head of Sales', 'CFO', '', 'Buyer, EMEA', null, 'Founder & CEO'];
const STAGES = [
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
];
const COLORS = ['green', 'red', '', null, 'blue'];
const MIDDLE_DOMAINS = ['harbor.example', 'lumen.example', 'atlas.example', 'example.net'];
const LOOKALIKE_DOMAINS = ['mail.bigco.example', 'notbigco.example'];
const STREETS = ['Main Street', 'Rue de l’Église', 'Königsallee', 'High Rd', "King's Row"];
const PLACES = [
  ['Boston', 'MA', '02110', 'United States'],
  ['Zürich', '', '8001', 'Switzerland'],
  ['Paris', null, '75001', 'France'],
  ['São Paulo', 'SP', '01000-000', 'Brazil'],
  ['東京', '東京都', '100-0001', '日本'],
] as const;
