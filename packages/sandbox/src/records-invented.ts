import { findPipelineOf, PIPELINES } from './deal-stages.ts';
import { chosen, scatter } from './random.ts';
import type { RecordKind, RecordValues } from './records.ts';

/**
 * The values of a company or deal that exists from the start: deterministic, computed from its index, never stored. The
 * names of values are those of HubSpot, but for `name`, `owner` and `parent` (indexes), `currency` and others that each
 * CRM translates.
 */
export function inventValues(kind: RecordKind, index: number): RecordValues {
  if (kind === 'company') return COMPANIES[index - 1] ?? inventCompany(index);
  if (kind === 'deal') return DEALS[index - 1] ?? inventDeal(index);
  return {};
}

/** When that record was created and last modified. */
export function inventTimes(
  kind: RecordKind,
  index: number,
): { readonly createdAt: number; readonly updatedAt: number } {
  if (kind === 'subscription' || kind === 'machine') return { createdAt: EPOCH, updatedAt: EPOCH };
  const createdAt = EPOCH + (scatter(index, 21) % (2 * YEAR_DAYS)) * DAY + index;
  return { createdAt, updatedAt: createdAt + (scatter(index, 22) % YEAR_DAYS) * DAY };
}

/** Whether a deal that exists from the start belongs to the company of its first contact. */
export function hasCompany(dealIndex: number): boolean {
  return dealIndex % 17 !== 0;
}

function inventCompany(index: number): RecordValues {
  const pick = <Item>(items: readonly Item[], salt: number): Item =>
    chosen(items, scatter(index, salt));
  const name = `${chosen(FIRST_WORDS, index)} ${chosen(TRADES, Math.floor(index / FIRST_WORDS.length))}`;
  // Now and then two companies have one domain.
  const domain = index % 97 === 0 ? domainOf(index - 1) : domainOf(index);
  const [city, state, zip, country] = pick(PLACES, 31);
  const employees = [3, 12, 48, 180, 950, 12_400][scatter(index, 32) % 6] ?? 3;
  const hasAddress = index % 4 !== 0;
  return {
    name: `${name}${pick(LEGAL_FORMS, 33)}`,
    domain: index % 11 === 0 ? null : domain,
    website: index % 11 === 0 ? null : toWebsite(domain, index),
    phone:
      index % 3 === 0 ? null : `+1 202 555 ${String(scatter(index, 34) % 10_000).padStart(4, '0')}`,
    industry: pick(INDUSTRIES, 35),
    numberofemployees: index % 7 === 0 ? null : String(employees),
    annualrevenue:
      index % 5 === 0 ? null : String(employees * (60_000 + (scatter(index, 36) % 90_000))),
    currency: currencyOf(index),
    address: hasAddress ? `${1 + (index % 400)} ${pick(STREETS, 37)}` : null,
    city: hasAddress ? city : null,
    state: hasAddress ? state : null,
    zip: hasAddress ? zip : null,
    country: hasAddress ? country : null,
    lifecyclestage: pick(['lead', 'opportunity', 'customer', 'customer', null], 38),
    type: pick(['PROSPECT', 'PARTNER', 'CUSTOMER', null], 39),
    owner: index % 9 === 0 ? null : String(1 + (scatter(index, 40) % 20)),
    parent: index % 13 === 0 ? String(index - 1) : null,
  };
}

function domainOf(index: number): string {
  const words = [
    chosen(FIRST_WORDS, index),
    chosen(TRADES, Math.floor(index / FIRST_WORDS.length)),
  ];
  return `${words.join('-').toLowerCase().replaceAll(' ', '-')}.example`;
}

/** Users enter websites in many ways. */
function toWebsite(domain: string, index: number): string {
  return chosen(
    [`https://www.${domain}`, `http://${domain}/`, domain, `https://${domain}/en/contact`],
    scatter(index, 41),
  );
}

function inventDeal(index: number): RecordValues {
  const pick = <Item>(items: readonly Item[], salt: number): Item =>
    chosen(items, scatter(index, salt));
  const { stages } = chosen(PIPELINES, index % 5 === 0 ? 1 : 0);
  // Half of all deals are closed.
  const closed = stages.filter(({ isClosed }) => isClosed);
  const isClosed = scatter(index, 51) % 2 === 0;
  const stage = isClosed
    ? pick(closed, 52)
    : pick(
        stages.filter((one) => !one.isClosed),
        53,
      );
  const closesAt = EPOCH + (scatter(index, 54) % (2 * YEAR_DAYS)) * DAY + (isClosed ? 0 : 3 * YEAR);
  const hasStage = index % 41 !== 0;
  return {
    name: `${pick(PRODUCTS, 55)}, ${pick(PURPOSES, 56)}`,
    amount: index % 12 === 0 ? null : toAmount(scatter(index, 57)),
    currency: currencyOf(index),
    closedate: new Date(closesAt).toISOString().slice(0, 10),
    pipeline: hasStage ? (findPipelineOf(stage.id)?.id ?? null) : null,
    dealstage: hasStage ? stage.id : null,
    nextstep: isClosed ? null : pick(NEXT_STEPS, 58),
    type: pick(['newbusiness', 'existingbusiness', null], 59),
    leadsource: pick(['Web', 'Partner Referral', 'Phone Inquiry', null], 60),
    owner: index % 14 === 0 ? null : String(1 + (scatter(index, 61) % 20)),
  };
}

/** Some have cents. */
function toAmount(seed: number): string {
  const whole = 500 + (seed % 240) * 250;
  return seed % 4 === 0 ? `${whole}.${String(seed % 100).padStart(2, '0')}` : String(whole);
}

function currencyOf(index: number): string {
  return index % 3 === 0 ? 'EUR' : 'USD';
}

const EPOCH = Date.UTC(2022, 0, 3, 8);
const DAY = 86_400_000;
const YEAR_DAYS = 365;
const YEAR = YEAR_DAYS * DAY;

const NOTHING_KNOWN = {
  website: null,
  phone: null,
  industry: null,
  numberofemployees: null,
  annualrevenue: null,
  address: null,
  city: null,
  state: null,
  zip: null,
  country: null,
  lifecyclestage: null,
  type: null,
  parent: null,
};

/** The first companies, handmade. */
const COMPANIES: readonly RecordValues[] = [
  {
    name: 'Analytical Engines Ltd',
    domain: 'analytical.example',
    website: 'https://www.analytical.example/engines',
    phone: '+44 20 7946 0000',
    industry: 'manufacturing',
    numberofemployees: '42',
    annualrevenue: '1840000.50',
    currency: 'EUR',
    address: '1 Dorset Street\nMarylebone',
    city: 'London',
    state: 'England',
    zip: 'W1U 4EG',
    country: 'United Kingdom',
    lifecyclestage: 'customer',
    type: 'CUSTOMER',
    owner: '1',
    parent: '5',
  },
  {
    ...NOTHING_KNOWN,
    name: 'Navy Computing Bureau',
    domain: 'navy.example',
    website: 'navy.example',
    industry: 'public',
    currency: 'USD',
    owner: '2',
  },
  // Nothing is known of it but its name, which has a quote, a percent sign and an underscore.
  {
    ...NOTHING_KNOWN,
    name: "O'Neil & Söhne 100%_fair",
    domain: null,
    currency: 'USD',
    owner: null,
  },
  {
    ...NOTHING_KNOWN,
    name: 'Shared Desk Ltd',
    domain: 'shared.example',
    website: 'http://Shared.example:8080/team?x=1#top',
    currency: 'USD',
    owner: '3',
  },
  {
    ...NOTHING_KNOWN,
    name: 'Babbage Holdings',
    domain: 'babbage-holdings.example',
    website: 'not a website',
    numberofemployees: '0',
    annualrevenue: '0',
    currency: 'EUR',
    owner: '1',
  },
];

/** The first deals, handmade. */
const DEALS: readonly RecordValues[] = [
  {
    name: 'Difference Engine No. 2, first order',
    amount: '12500.75',
    currency: 'USD',
    closedate: '2024-03-28',
    pipeline: 'default',
    dealstage: 'closedwon',
    nextstep: null,
    type: 'newbusiness',
    leadsource: 'Partner Referral',
    owner: '1',
  },
  {
    name: 'Analytical Engine, support for 2027',
    amount: '9800',
    currency: 'EUR',
    closedate: '2026-12-31',
    pipeline: '84210377',
    dealstage: '161204501',
    nextstep: 'Send the offer to Ada and Grace',
    type: 'existingbusiness',
    leadsource: null,
    owner: '2',
  },
  {
    name: 'Pilot for the printing mill',
    amount: '400',
    currency: 'USD',
    closedate: '2025-06-30',
    pipeline: 'default',
    dealstage: 'closedlost',
    nextstep: null,
    type: null,
    leadsource: 'Web',
    owner: null,
  },
  {
    name: 'Punched cards "forever" – framework agreement 😀',
    amount: null,
    currency: 'USD',
    closedate: null,
    pipeline: 'default',
    dealstage: 'contractsent',
    nextstep: '',
    type: 'newbusiness',
    leadsource: null,
    owner: '3',
  },
  // Without a stage.
  {
    name: 'Imported without a stage',
    amount: '1',
    currency: 'EUR',
    closedate: '2026-10-01',
    pipeline: null,
    dealstage: null,
    nextstep: null,
    type: null,
    leadsource: null,
    owner: null,
  },
  // In a stage that was archived.
  {
    name: 'Adding machines, renewal 2025',
    amount: '0',
    currency: 'USD',
    closedate: '2025-11-15',
    pipeline: '84210377',
    dealstage: '161204503',
    nextstep: 'Call again in autumn',
    type: 'existingbusiness',
    leadsource: null,
    owner: '1',
  },
];

const FIRST_WORDS = [
  ...['Harbor', 'Lumen', 'Atlas', 'Quarry', 'Meridian', 'Juniper', 'Foundry', 'Cobalt'],
  ...['Northgate', 'Silverline', 'Redwood', 'Brightwater', 'Ironbridge', 'Larkspur', 'Summit'],
  ...['Granite', 'Willow', 'Beacon', 'Orchard', 'Pinnacle', 'Riverside', 'Sterling', 'Thornton'],
  ...['Vantage', 'Westbrook', 'Amber', 'Birch', 'Cedar', 'Delta', 'Everest', 'Falcon'],
];
const TRADES = [
  ...['Logistics', 'Foods', 'Software', 'Medical', 'Partners', 'Energy', 'Textiles', 'Analytics'],
  ...['Packaging', 'Robotics', 'Insurance', 'Travel', 'Printing', 'Optics', 'Furniture', 'Media'],
  ...['Marine', 'Ceramics', 'Coffee', 'Security', 'Instruments', 'Paper', 'Garden Supply'],
  ...['Aviation', 'Tools', 'Publishing', 'Diagnostics', 'Rail', 'Batteries', 'Chemicals'],
];
const LEGAL_FORMS = [' Inc.', ' Ltd', ' GmbH', ' S.A.', ' AB', '', ' LLC'];
const INDUSTRIES = ['software', 'banking', 'education', 'health', 'manufacturing', 'retail', null];
const STREETS = ['Dock Road', 'Rue du Port', 'Industriestraße', 'Market Street', 'Avenida Central'];
const PLACES = [
  ['Chicago', 'IL', '60601', 'United States'],
  ['Hamburg', null, '20457', 'Germany'],
  ['Lyon', null, '69002', 'France'],
  ['Toronto', 'ON', 'M5J 2N1', 'Canada'],
  ['Göteborg', null, '411 04', 'Sweden'],
] as const;
const PRODUCTS = [
  ...['Platform licence', 'Support plan', 'Warehouse sensors', 'Data migration', 'Training days'],
  ...['Fleet tracking', 'Invoice scanner', 'Analytics add-on', 'Security review', 'Spare parts'],
];
const PURPOSES = [
  ...['first order', 'pilot', 'renewal 2025', 'renewal 2026', 'expansion', 'second site'],
  ...['headquarters', 'three years', 'framework agreement', 'replacement'],
];
const NEXT_STEPS = ['Send the offer', 'Call the buyer', 'Legal review', null, 'Demo on site'];
