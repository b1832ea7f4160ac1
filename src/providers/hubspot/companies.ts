import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import { COMPANY, type Company, type CompanyField } from '../../domain/records/company.ts';
import { companyFilters } from '../../domain/records/company-filter.ts';
import { toMoney } from '../../domain/records/money.ts';
import { type RecordOrigin, toRawData } from '../../domain/records/record.ts';
import type { FieldSelection } from '../../domain/records/record-search.ts';
import { isRecord } from '../../lib/json.ts';
import { toText, toTimestamp, toWhole } from '../../lib/text.ts';
import { compact, toAddresses, toLifecycleStage, toPhoneNumber } from './contacts.ts';
import { type HubSpotObject, MERGED_IDS, propertiesOf } from './object.ts';

/** Maps a HubSpot record to the common shape. */
function toCompany(
  record: unknown,
  source: RecordOrigin,
  { rawData, customFields }: FieldSelection,
): Company | undefined {
  if (!isRecord(record)) return undefined;
  const remoteId = toText(record['id']);
  if (remoteId === null) return undefined;
  const properties = propertiesOf(record);
  const modifiedAt = toTimestamp(properties['hs_lastmodifieddate']);
  const updatedAt = toTimestamp(record['updatedAt']) ?? modifiedAt;
  return {
    source,
    remoteId,
    name: toText(properties['name']),
    domain:
      toText(properties['domain'])
        ?.toLowerCase()
        .replace(/^www\./, '') ?? null,
    website: toText(properties['website']),
    phoneNumbers: compact(toPhoneNumber(toText(properties['phone']), 'primary'), null, null),
    addresses: toAddresses(properties),
    industry: toText(properties['industry']),
    employeeCount: toWhole(properties['numberofemployees']),
    annualRevenue: toMoney(properties['annualrevenue']),
    ownerId: toText(properties['hubspot_owner_id']),
    parentId: toText(properties['hs_parent_company_id']),
    lifecycleStage: toLifecycleStage(toText(properties['lifecyclestage'])),
    createdAt: toTimestamp(record['createdAt']) ?? toTimestamp(properties['createdate']),
    updatedAt,
    lastModifiedAt: modifiedAt ?? updatedAt,
    isDeleted: record['archived'] === true,
    rawData: rawData ? toRawData(record) : null,
    ...(customFields && {
      customFields: readCustomFieldValues(customFields, remoteId, (name) => properties[name]),
    }),
  };
}

const PROPERTIES_OF: Readonly<Record<CompanyField, readonly string[]>> = {
  name: ['name'],
  domain: ['domain'],
  website: ['website'],
  phoneNumbers: ['phone'],
  addresses: ['address', 'city', 'state', 'zip', 'country'],
  industry: ['industry'],
  employeeCount: ['numberofemployees'],
  annualRevenue: ['annualrevenue'],
  ownerId: ['hubspot_owner_id'],
  parentId: ['hs_parent_company_id'],
  lifecycleStage: ['lifecyclestage'],
  createdAt: ['createdate'],
  updatedAt: ['hs_lastmodifieddate'],
  lastModifiedAt: ['hs_lastmodifieddate'],
  isDeleted: [],
};

export const COMPANY_OBJECT: HubSpotObject<Company> = {
  kind: COMPANY,
  filters: companyFilters,
  name: 'companies',
  properties: PROPERTIES_OF,
  nameProperties: ['name'],
  keys: ['hs_object_id'],
  modified: 'hs_lastmodifieddate',
  mergedIds: [MERGED_IDS],
  toRecord: toCompany,
};
