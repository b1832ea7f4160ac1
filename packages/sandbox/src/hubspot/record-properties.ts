import { findStage } from '../deal-stages.ts';
import { type CrmRecord, type RecordKind, type RecordValues, readValues } from '../records.ts';
import { companyId, ownerId } from './contact-view.ts';
import { isHidden, type Portal, type PropertyDefinition, STAGES } from './property-definitions.ts';
import type { HubSpotAccount } from './types.ts';

/** Above the properties below, which are made when this module is loaded. */
const FIELD_TYPES: Readonly<Partial<Record<PropertyDefinition['type'], string>>> = {
  number: 'number',
  datetime: 'date',
  date: 'date',
  enumeration: 'select',
  bool: 'booleancheckbox',
};

/** The properties of companies, deals and custom objects that an application sees, the portal's own ones included. */
export function listRecordProperties(
  account: HubSpotAccount,
  kind: RecordKind,
): readonly RecordProperty[] {
  const { quirks, records } = account;
  const known = STANDARD[kind];
  const own = new Set([
    ...Object.keys(quirks.propertyTypes).flatMap((name) =>
      name.startsWith(`${kind}.`) ? name.slice(kind.length + 1) : [],
    ),
    ...records.valueNames(kind).filter((name) => !VALUES[kind].has(name)),
  ]);
  return [
    ...known.values(),
    ...[...own].filter((name) => !known.has(name)).map((name) => toOwn(account, kind, name)),
  ].flatMap((property) => toVisible(account, kind, property) ?? []);
}

export function findRecordProperty(
  account: HubSpotAccount,
  kind: RecordKind,
  name: string,
): RecordProperty | undefined {
  const known = STANDARD[kind].get(name);
  if (known) return toVisible(account, kind, known);
  return listRecordProperties(account, kind).find((one) => one.name === name);
}

function toVisible(
  { quirks }: HubSpotAccount,
  kind: RecordKind,
  property: RecordProperty,
): RecordProperty | undefined {
  if (isHidden(quirks, kind, property.name)) return undefined;
  if (property.name !== 'deal_currency_code') return property;
  return { ...property, options: [quirks.companyCurrency, ...quirks.additionalCurrencies] };
}

/** A property that the portal defined. */
function toOwn({ quirks }: HubSpotAccount, kind: RecordKind, name: string): RecordProperty {
  const own = quirks.propertyTypes[`${kind}.${name}`];
  return { ...text(name, name, (_record, values) => values()[name] ?? null), isOwn: true, ...own };
}

function text(name: string, label: string, read: Read, fieldType = 'text'): RecordProperty {
  return { name, label, type: 'string', fieldType, calculated: false, readOnly: false, read };
}

/** Reads a value of the record as it is stored. */
function readStored(name: string, value = name): Read {
  return (_record, values) => values()[value] ?? null;
}

function typed(
  property: RecordProperty,
  type: PropertyDefinition['type'],
  more: Partial<RecordProperty> = {},
): RecordProperty {
  return { ...property, type, fieldType: FIELD_TYPES[type] ?? 'text', ...more };
}

function system(name: string, type: PropertyDefinition['type'], read: Read): RecordProperty {
  return typed(text(name, name, read), type, { readOnly: true });
}

/** The property holds a key that is the same for all CRMs, of which HubSpot has a name of its own. */
function choice(
  name: string,
  label: string,
  names: Readonly<Record<string, string>>,
  valueName = name,
): RecordProperty {
  const read: Read = (_record, values) => {
    const value = values()[valueName] ?? null;
    return value === null ? null : (names[value] ?? value);
  };
  return typed(text(name, label, read), 'enumeration', { options: Object.values(names) });
}

const SYSTEM = [
  system('hs_object_id', 'number', ({ index }, _values, { kind }) =>
    String(FIRST_IDS[kind] + index),
  ),
  ...['createdate', 'hs_createdate'].map((name) =>
    system(name, 'datetime', ({ createdAt }) => new Date(createdAt).toISOString()),
  ),
  system('hs_lastmodifieddate', 'datetime', ({ updatedAt }) => new Date(updatedAt).toISOString()),
  system('hs_merged_object_ids', 'string', ({ index }, _values, portal) => {
    const merged = mergedIdsOf(portal, index);
    return merged.length > 0 ? merged.join(';') : null;
  }),
];

const OWNER: RecordProperty = typed(
  text('hubspot_owner_id', 'Owner', (_record, values) => {
    const { owner = null } = values();
    return owner === null || owner === '' ? owner : ownerId(Number(owner));
  }),
  'enumeration',
  { referencedObjectType: 'OWNER' },
);

const LIFECYCLE: RecordProperty = typed(
  text('lifecyclestage', 'Lifecycle Stage', readStored('lifecyclestage')),
  'enumeration',
  { options: STAGES.map(([stage]) => stage), fieldType: 'radio' },
);

const INDUSTRIES = {
  software: 'COMPUTER_SOFTWARE',
  banking: 'BANKING',
  education: 'HIGHER_EDUCATION',
  health: 'HOSPITAL_HEALTH_CARE',
  manufacturing: 'MACHINERY',
  retail: 'RETAIL',
  public: 'GOVERNMENT_ADMINISTRATION',
};

const DEAL_TYPES = { newbusiness: 'newbusiness', existingbusiness: 'existingbusiness' };
const LEAD_SOURCES = {
  Web: 'ORGANIC_SEARCH',
  'Partner Referral': 'REFERRALS',
  'Phone Inquiry': 'OFFLINE',
};

const COMPANY = [
  text('name', 'Company name', ({ index }, values) => values()['name'] ?? `company ${index}`),
  text('domain', 'Company Domain Name', readStored('domain')),
  text('website', 'Website URL', readStored('website')),
  text('phone', 'Phone Number', readStored('phone'), 'phonenumber'),
  choice('industry', 'Industry', INDUSTRIES),
  typed(
    text('numberofemployees', 'Number of Employees', readStored('numberofemployees')),
    'number',
  ),
  typed(text('annualrevenue', 'Annual Revenue', readStored('annualrevenue')), 'number'),
  text('address', 'Street Address', readStored('address')),
  text('city', 'City', readStored('city')),
  text('state', 'State/Region', readStored('state')),
  text('zip', 'Postal Code', readStored('zip')),
  text('country', 'Country/Region', readStored('country')),
  choice('type', 'Type', { PROSPECT: 'PROSPECT', PARTNER: 'PARTNER', CUSTOMER: 'CUSTOMER' }),
  LIFECYCLE,
  OWNER,
  typed(
    text('hs_parent_company_id', 'Parent Company', (_record, values, { records }) => {
      const { parent = null } = values();
      const index = parent ? records.survivorOf('company', Number(parent)) : undefined;
      return index === undefined ? null : String(companyId(index));
    }),
    'number',
    { calculated: true, readOnly: true },
  ),
];

const DEAL = [
  text('dealname', 'Deal Name', ({ index }, values) => values()['name'] ?? `deal ${index}`),
  typed(text('amount', 'Amount', readStored('amount')), 'number'),
  typed(
    text('deal_currency_code', 'Currency', (_record, values, { quirks }) =>
      quirks.additionalCurrencies.length > 0 ? (values()['currency'] ?? null) : null,
    ),
    'enumeration',
  ),
  typed(
    text('amount_in_home_currency', 'Amount in company currency', (_record, values, { quirks }) =>
      toHomeCurrency(values(), quirks),
    ),
    'number',
    { calculated: true, readOnly: true },
  ),
  typed(
    text('closedate', 'Close Date', (_record, values) => toMoment(values()['closedate'] ?? null)),
    'datetime',
  ),
  typed(text('pipeline', 'Pipeline', readStored('pipeline')), 'enumeration', {
    externalOptions: true,
  }),
  typed(text('dealstage', 'Deal Stage', readStored('dealstage')), 'enumeration', {
    externalOptions: true,
  }),
  typed(
    text('hs_deal_stage_probability', 'Deal probability', (_record, values) => {
      const { probability, dealstage } = values();
      return probability ?? findStage(dealstage)?.probability.toString() ?? null;
    }),
    'number',
  ),
  closed('hs_is_closed', () => true),
  closed('hs_is_closed_won', (probability) => probability === 1),
  closed('hs_is_closed_lost', (probability) => probability === 0),
  text('hs_next_step', 'Next step', readStored('hs_next_step', 'nextstep')),
  choice('dealtype', 'Deal Type', DEAL_TYPES, 'type'),
  choice('hs_analytics_source', 'Original Source Type', LEAD_SOURCES, 'leadsource'),
  OWNER,
];

/** Whether a deal's stage is closed. A deal without a known stage is open. */
function closed(name: string, passes: (probability: number) => boolean): RecordProperty {
  return typed(
    text(name, name, (_record, values) => {
      const stage = findStage(values()['dealstage']);
      return String(stage?.isClosed === true && passes(stage.probability));
    }),
    'bool',
    { calculated: true, readOnly: true },
  );
}

function toHomeCurrency(
  { amount = null, currency = null }: RecordValues,
  { companyCurrency, additionalCurrencies }: HubSpotAccount['quirks'],
): string | null {
  if (amount === null || amount === '' || additionalCurrencies.length === 0) return amount;
  if (currency === null || currency === companyCurrency) return amount;
  return String(Math.round(Number(amount) * EXCHANGE_RATE * 100) / 100);
}

/** A date becomes a moment of that day. */
function toMoment(text: string | null): string | null {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T13:30:00.000Z` : text;
}

function mergedIdsOf(
  { kind, records }: Pick<RecordPortal, 'kind' | 'records'>,
  index: number,
): readonly string[] {
  return records
    .mergedInto(kind, index)
    .flatMap((one) => [
      String(FIRST_IDS[kind] + one.index),
      ...mergedIdsOf({ kind, records }, one.index),
    ]);
}

/** The first id of each kind of record. */
export const FIRST_IDS: Readonly<Record<RecordKind, number>> = {
  company: companyId(0),
  deal: 9_100_000_000,
  subscription: 30_100_000_000,
  machine: 30_200_000_000,
};

const OWN_OBJECTS = {
  subscription: [
    text('name', 'name', ({ index }, values) => values()['name'] ?? `subscription ${index}`),
    text('plan', 'plan', readStored('plan')),
    typed(text('seats', 'seats', readStored('seats')), 'number'),
  ].map((property) => ({ ...property, isOwn: true })),
  machine: [
    text('name', 'name', ({ index }, values) => values()['name'] ?? `machine ${index}`),
    text('serial', 'serial', readStored('serial')),
    text('site', 'site', readStored('site')),
  ].map((property) => ({ ...property, isOwn: true })),
};

function byName(properties: readonly RecordProperty[]): ReadonlyMap<string, RecordProperty> {
  return new Map([...properties, ...SYSTEM].map((property) => [property.name, property]));
}

const STANDARD: Readonly<Record<RecordKind, ReadonlyMap<string, RecordProperty>>> = {
  company: byName(COMPANY),
  deal: byName(DEAL),
  subscription: byName(OWN_OBJECTS.subscription),
  machine: byName(OWN_OBJECTS.machine),
};

/** The values that a standard property shows, by their names in the record table. */
const VALUES: Readonly<Record<RecordKind, ReadonlySet<string>>> = {
  company: new Set([...STANDARD.company.keys(), 'currency', 'owner', 'parent']),
  deal: new Set([
    ...STANDARD.deal.keys(),
    ...['name', 'currency', 'probability', 'nextstep', 'type', 'leadsource', 'owner'],
  ]),
  subscription: new Set(STANDARD.subscription.keys()),
  machine: new Set(STANDARD.machine.keys()),
};

/** Of one euro in US dollars. */
const EXCHANGE_RATE = 1.1;

/** A record's own values are computed at most once for all of its properties. */
export function readerOf(
  account: HubSpotAccount,
  kind: RecordKind,
  record: CrmRecord,
): (property: RecordProperty) => string | null {
  let values: RecordValues | undefined;
  const portal: RecordPortal = { kind, records: account.records, quirks: account.quirks };
  const read = () => {
    values ??= readValues(kind, record);
    return values;
  };
  return (property) => property.read(record, read, portal);
}

export interface RecordProperty extends PropertyDefinition {
  readonly read: Read;
}

type Read = (record: CrmRecord, values: () => RecordValues, portal: RecordPortal) => string | null;

interface RecordPortal extends Pick<Portal, 'records' | 'quirks'> {
  readonly kind: RecordKind;
}
