import type { Links } from '../../links.ts';
import {
  type CrmRecord,
  type RecordKind,
  type RecordsTable,
  type RecordValues,
  readValues,
} from '../../records.ts';
import type { ObjectDefinition, Row, RowValue, Table } from '../soql/table.ts';
import type { CustomField } from '../types.ts';
import { wireSeconds } from '../values/datetime.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { findStage, INDUSTRY_OF, TYPE_OF } from './choices.ts';
import { ADMINISTRATOR, customFieldName, toAddressFields } from './contact-row.ts';
import { describeCustom, toTyped } from './custom-fields.ts';
import { ACCOUNT, MACHINE, OPPORTUNITY, PREFIXES, SUBSCRIPTION, withCurrency } from './objects.ts';
import { lowerBound } from './parents.ts';

/** The records of one kind. */
export function recordTable(kind: RecordKind, { records, links, quirks }: Contents): Table {
  const list = () => records.all(kind);
  const own = describeOwn(kind, { records, quirks });
  const definition = quirks.multiCurrency ? WITH_CURRENCY[kind] : RECORD_OBJECTS[kind];
  const toRow = (record: CrmRecord): Row => toTyped(makeRow(kind, record, { records, links }), own);
  const dealsOf = (id15: string) =>
    links
      .find('company', toSalesforceIndex('company', id15), 'deal')
      .filter(({ isPrimary }) => isPrimary)
      .flatMap(({ index }) => records.get('deal', index) ?? []);
  return {
    definition: describeCustom(definition, own),
    size: () => list().length,
    rowAt(place) {
      const record = list()[place];
      if (record === undefined) throw new RangeError(`There is no row ${place}`);
      return toRow(record);
    },
    lowerBound: (id15) =>
      lowerBound(
        list().length,
        (place) => toSalesforceId(kind, list()[place]?.index ?? 0).slice(0, 15) < id15,
      ),
    find(id15) {
      const record = records.get(kind, toSalesforceIndex(kind, id15));
      return record && toRow(record);
    },
    ...(kind === 'deal' && { lookups: { AccountId: (id15) => dealsOf(id15).map(toRow) } }),
  };
}

/** The org's own fields of an object. Long texts by default. */
function describeOwn(
  kind: RecordKind,
  { records, quirks }: Omit<Contents, 'links'>,
): Readonly<Record<string, CustomField>> {
  const prefix = `${RECORD_OBJECTS[kind].name}.`;
  const described = Object.entries(quirks.customFields).flatMap(([name, field]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), field] as const] : [],
  );
  const found = records
    .valueNames(kind)
    .filter((name) => !VALUES[kind].has(name) && !Object.hasOwn(FIELDS[kind], name))
    .map((name) => [customFieldName(name), { type: 'textarea' }] as const);
  return Object.fromEntries([...found, ...described]);
}

export function toSalesforceId(kind: RecordKind, index: number): string {
  return makeId(RECORD_OBJECTS[kind].keyPrefix, index);
}

export function toSalesforceIndex(kind: RecordKind, id: string): number {
  return numberOf(id.slice(0, 15), RECORD_OBJECTS[kind].keyPrefix) ?? 0;
}

function makeRow(kind: RecordKind, record: CrmRecord, tables: Tables): Row {
  const { index, isDeleted, createdAt, updatedAt } = record;
  const values = readValues(kind, record);
  const { owner = null } = values;
  const ownerId = makeId(PREFIXES.User, owner ? Number(owner) : ADMINISTRATOR);
  const own = Object.entries(values).flatMap(([name, value]) =>
    VALUES[kind].has(name) ? [] : [toField(kind, name, value)],
  );
  return {
    Name: values['name'] || `${kind} ${index}`,
    ...(kind === 'company' && toAccountFields(record, values, tables)),
    ...(kind === 'deal' && toOpportunityFields(record, values, tables)),
    ...Object.fromEntries(own),
    Id: toSalesforceId(kind, index),
    IsDeleted: isDeleted,
    OwnerId: ownerId,
    CurrencyIsoCode: values['currency'] ?? 'USD',
    CreatedDate: wireSeconds(createdAt),
    CreatedById: ownerId,
    LastModifiedDate: wireSeconds(updatedAt),
    LastModifiedById: ownerId,
    SystemModstamp: wireSeconds(updatedAt),
  };
}

function toAccountFields(
  { mergedInto }: CrmRecord,
  values: RecordValues,
  { records }: Tables,
): Row {
  const { industry, type, parent, address, city, state, zip, country, domain, website } = values;
  const index = parent ? records.survivorOf('company', Number(parent)) : undefined;
  const billing = { street: address, city, state, postalCode: zip, country };
  return {
    MasterRecordId: mergedInto === undefined ? null : toSalesforceId('company', mergedInto),
    ParentId: index === undefined ? null : toSalesforceId('company', index),
    ...toAddressFields('Billing', {
      street: billing.street ?? null,
      city: city ?? null,
      state: state ?? null,
      postalCode: zip ?? null,
      country: country ?? null,
    }),
    ...toAddressFields('Shipping', {
      street: values['shippingaddress'] ?? null,
      city: values['shippingcity'] ?? null,
      state: values['shippingstate'] ?? null,
      postalCode: values['shippingzip'] ?? null,
      country: values['shippingcountry'] ?? null,
    }),
    Phone: values['phone'] || null,
    Website: website || domain || null,
    Industry: industry ? (INDUSTRY_OF[industry] ?? industry) : null,
    Type: type ? (TYPE_OF[type] ?? type) : null,
    AnnualRevenue: toNumber(values['annualrevenue']),
    NumberOfEmployees: toNumber(values['numberofemployees']),
  };
}

/** Stage and close date are required, so that what has none begins in the first stage. */
function toOpportunityFields(
  { index, createdAt }: CrmRecord,
  values: RecordValues,
  { links }: Tables,
): Row {
  const { dealstage, type, probability, closedate } = values;
  const stage = findStage(dealstage || 'Prospecting');
  const company = links.primaryCompanyOf('deal', index);
  return {
    AccountId: company === null ? null : toSalesforceId('company', company),
    StageName: stage?.name ?? dealstage ?? null,
    Amount: toNumber(values['amount']),
    Probability: probability ? Number(probability) * 100 : (stage?.probability ?? 0),
    CloseDate: (closedate || new Date(createdAt).toISOString()).slice(0, 10),
    Type: type ? (TYPE_OF[type] ?? type) : null,
    NextStep: values['nextstep'] || null,
    LeadSource: values['leadsource'] || null,
    IsClosed: stage?.isClosed ?? false,
    IsWon: stage?.isWon ?? false,
    ForecastCategory: FORECASTS[stage?.forecast ?? 'Pipeline'],
    ForecastCategoryName: stage?.forecast ?? 'Pipeline',
  };
}

function toNumber(text: string | null | undefined): number | null {
  return text === null || text === undefined || text === '' ? null : Number(text);
}

function toField(
  kind: RecordKind,
  name: string,
  value: string | null,
): readonly [string, RowValue] {
  const field = FIELDS[kind][name] ?? customFieldName(name);
  const type = RECORD_OBJECTS[kind].fields.get(field.toLowerCase())?.type;
  return [field, type === 'double' ? toNumber(value) : value];
}

const FORECASTS = {
  Pipeline: 'Pipeline',
  'Best Case': 'BestCase',
  Commit: 'Forecast',
  Closed: 'Closed',
  Omitted: 'Omitted',
};

const RECORD_OBJECTS: Readonly<Record<RecordKind, ObjectDefinition>> = {
  company: ACCOUNT,
  deal: OPPORTUNITY,
  subscription: SUBSCRIPTION,
  machine: MACHINE,
};
const WITH_CURRENCY: Readonly<Record<RecordKind, ObjectDefinition>> = {
  company: withCurrency(ACCOUNT),
  deal: withCurrency(OPPORTUNITY),
  subscription: withCurrency(SUBSCRIPTION),
  machine: withCurrency(MACHINE),
};

/** The values that fields of their own show, which differ from them in form. */
const VALUES: Readonly<Record<RecordKind, ReadonlySet<string>>> = {
  company: new Set([
    ...['name', 'domain', 'website', 'phone', 'industry', 'numberofemployees', 'annualrevenue'],
    ...['address', 'city', 'state', 'zip', 'country', 'type', 'parent'],
    ...['shippingaddress', 'shippingcity', 'shippingstate', 'shippingzip', 'shippingcountry'],
    ...['currency', 'owner', 'lifecyclestage'],
  ]),
  deal: new Set([
    ...['name', 'amount', 'dealstage', 'pipeline', 'closedate', 'probability', 'nextstep'],
    ...['type', 'leadsource', 'currency', 'owner'],
  ]),
  subscription: new Set(['name', 'currency', 'owner']),
  machine: new Set(['name', 'currency', 'owner']),
};

/** The fields of other values. */
const FIELDS: Readonly<Record<RecordKind, Readonly<Record<string, string>>>> = {
  company: { fax: 'Fax', description: 'Description' },
  deal: { description: 'Description' },
  subscription: { plan: 'Plan__c', seats: 'Seats__c' },
  machine: { serial: 'Serial__c', site: 'Site__c' },
};

interface Tables {
  readonly records: RecordsTable;
  readonly links: Links;
}

interface Contents extends Tables {
  readonly quirks: {
    readonly multiCurrency: boolean;
    readonly customFields: Readonly<Record<string, CustomField>>;
  };
}
