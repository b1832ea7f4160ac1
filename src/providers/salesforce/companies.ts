import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import { COMPANY, type Company, type CompanyField } from '../../domain/records/company.ts';
import { companyFilters } from '../../domain/records/company-filter.ts';
import type { Address } from '../../domain/records/contact.ts';
import { toMoney } from '../../domain/records/money.ts';
import { type RecordOrigin, toRawData } from '../../domain/records/record.ts';
import type { FieldSelection } from '../../domain/records/record-search.ts';
import { toText, toWhole } from '../../lib/text.ts';
import { addAddress, readField, toPhoneNumbers } from './contacts.ts';
import { CURRENCY, type SalesforceObject, toTime } from './object.ts';
import type { Row } from './query.ts';
import { ACCOUNT, fieldName } from './soql.ts';

/** Maps an account to the common shape. */
function toCompany(
  row: Row,
  source: RecordOrigin,
  { rawData, customFields }: FieldSelection,
): Company {
  const remoteId = toText(row['Id']) ?? '';
  const website = toText(row['Website']);
  const modifiedAt = toTime(row['LastModifiedDate']);
  return {
    source,
    remoteId,
    name: toText(row['Name']),
    domain: toDomain(website),
    website,
    phoneNumbers: toPhoneNumbers(row, PHONES),
    addresses: toAddresses(row),
    industry: toText(row['Industry']),
    employeeCount: toWhole(row['NumberOfEmployees']),
    annualRevenue: toMoney(row['AnnualRevenue'], row['CurrencyIsoCode']),
    ownerId: toText(row['OwnerId']),
    parentId: toText(row['ParentId']),
    // Accounts have no stage.
    lifecycleStage: null,
    createdAt: toTime(row['CreatedDate']),
    updatedAt: modifiedAt,
    // Changes by automation update only SystemModstamp.
    lastModifiedAt: toTime(row['SystemModstamp']) ?? modifiedAt,
    isDeleted: row['IsDeleted'] === true,
    rawData: rawData ? toRawData(row) : null,
    ...(customFields && {
      customFields: readCustomFieldValues(customFields, remoteId, (name) => readField(row, name)),
    }),
  };
}

/** The host of a website, which users also enter without a scheme. */
export function toDomain(website: string | null): string | null {
  if (website === null) return null;
  const url = website.includes('://') ? website : `https://${website}`;
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host.includes('.') ? host.replace(/^www\./, '') : null;
}

function toAddresses(row: Row): readonly Address[] {
  const addresses: Address[] = [];
  addAddress(addresses, 'billing', row['BillingAddress']);
  addAddress(addresses, 'shipping', row['ShippingAddress']);
  return addresses;
}

const PHONES = [
  ['Phone', 'primary'],
  ['Fax', 'fax'],
] as const;

const NAMES_OF: Readonly<Record<CompanyField, readonly string[]>> = {
  name: ['Name'],
  domain: ['Website'],
  website: ['Website'],
  phoneNumbers: PHONES.map(([field]) => field),
  addresses: ['BillingAddress', 'ShippingAddress'],
  industry: ['Industry'],
  employeeCount: ['NumberOfEmployees'],
  annualRevenue: ['AnnualRevenue', CURRENCY],
  ownerId: ['OwnerId'],
  parentId: ['ParentId'],
  lifecycleStage: [],
  createdAt: ['CreatedDate'],
  updatedAt: ['LastModifiedDate'],
  lastModifiedAt: ['SystemModstamp', 'LastModifiedDate'],
  isDeleted: ['IsDeleted'],
};

export const COMPANY_OBJECT: SalesforceObject<Company> = {
  kind: COMPANY,
  filters: companyFilters,
  name: ACCOUNT,
  idPrefix: '001',
  isMergeable: true,
  names: NAMES_OF,
  nameFields: [fieldName('Name')],
  keys: [],
  otherStandardFields: [
    'accountnumber',
    'accountsource',
    'billingcity',
    'billingcountry',
    'billingpostalcode',
    'billingstate',
    'billingstreet',
    'description',
    'ownership',
    'rating',
    'shippingcity',
    'shippingcountry',
    'shippingpostalcode',
    'shippingstate',
    'shippingstreet',
    'sic',
    'site',
    'tickersymbol',
    'type',
  ],
  toRecord: toCompany,
};
