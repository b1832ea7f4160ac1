import type { RecordValues } from '../../records.ts';
import { PREFIXES } from '../data/objects.ts';
import { toSalesforceId, toSalesforceIndex } from '../data/record-table.ts';
import type { SalesforceAccount } from '../types.ts';
import { numberOf } from '../values/record-id.ts';
import { toCustomName } from './contact-writer.ts';
import type { Named, ObjectWriter } from './object-writer.ts';

export const ACCOUNT_WRITER: ObjectWriter = {
  requires: ['Name'],
  create: ({ records }, named) =>
    toSalesforceId('company', records.add('company', toValues(named, ACCOUNT_VALUES))),
  change: ({ records }, id, named) => {
    records.change('company', toSalesforceIndex('company', id), toValues(named, ACCOUNT_VALUES));
  },
};

export const OPPORTUNITY_WRITER: ObjectWriter = {
  requires: ['Name', 'StageName', 'CloseDate'],
  create(account, named) {
    const index = account.records.add('deal', toValues(named, OPPORTUNITY_VALUES), {
      companies: { primary: toCompany(named.get('AccountId')), others: [] },
    });
    return toSalesforceId('deal', index);
  },
  change(account, id, named) {
    const { dealstage, ...values } = toValues(named, OPPORTUNITY_VALUES);
    const isMoved = dealstage !== undefined && !account.quirks.stagesStay;
    const index = toSalesforceIndex('deal', id);
    account.records.change('deal', index, {
      ...values,
      // It follows the stage, unless it is given.
      ...(isMoved && { dealstage, probability: values['probability'] ?? null }),
    });
    if (named.has('AccountId')) setCompany(account, index, toCompany(named.get('AccountId')));
  },
};

function setCompany({ links }: SalesforceAccount, index: number, company: number | null): void {
  const deal = { kind: 'deal', index } as const;
  const before = links.primaryCompanyOf('deal', index);
  if (before !== null) links.unlink(deal, { kind: 'company', index: before });
  if (company !== null) links.link(deal, { kind: 'company', index: company }, true);
}

function toCompany(id: unknown): number | null {
  return typeof id === 'string' ? toSalesforceIndex('company', id) || null : null;
}

/** The inverse of the row of a record. */
function toValues(named: Named, names: Readonly<Record<string, string>>): RecordValues {
  const values: Record<string, string | null> = {};
  for (const [name, value] of named) {
    const text = value === null ? null : String(value);
    if (name === 'OwnerId')
      values['owner'] = text && String(numberOf(text.slice(0, 15), PREFIXES.User) ?? '');
    else if (name === 'ParentId')
      values['parent'] = text && String(toSalesforceIndex('company', text) || '');
    else if (name === 'Probability') values['probability'] = text && String(Number(text) / 100);
    else if (name !== 'AccountId') values[names[name] ?? toCustomName(name)] = text;
    // Otherwise an account would show the domain that stands for its website.
    if (name === 'Website') values['domain'] = null;
  }
  return values;
}

const ACCOUNT_VALUES: Readonly<Record<string, string>> = {
  Name: 'name',
  Website: 'website',
  Phone: 'phone',
  Fax: 'fax',
  Industry: 'industry',
  Type: 'type',
  NumberOfEmployees: 'numberofemployees',
  AnnualRevenue: 'annualrevenue',
  CurrencyIsoCode: 'currency',
  Description: 'description',
  BillingStreet: 'address',
  BillingCity: 'city',
  BillingState: 'state',
  BillingPostalCode: 'zip',
  BillingCountry: 'country',
  ShippingStreet: 'shippingaddress',
  ShippingCity: 'shippingcity',
  ShippingState: 'shippingstate',
  ShippingPostalCode: 'shippingzip',
  ShippingCountry: 'shippingcountry',
};

const OPPORTUNITY_VALUES: Readonly<Record<string, string>> = {
  Name: 'name',
  StageName: 'dealstage',
  Amount: 'amount',
  CurrencyIsoCode: 'currency',
  CloseDate: 'closedate',
  NextStep: 'nextstep',
  Type: 'type',
  LeadSource: 'leadsource',
  Description: 'description',
};
