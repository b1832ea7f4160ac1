import { COMPANY, type Company } from '../../domain/records/company.ts';
import { companyFilters } from '../../domain/records/company-filter.ts';
import { toMoney } from '../../domain/records/money.ts';
import { toText, toWhole } from '../../lib/text.ts';
import type { PipedriveObject } from './object.ts';
import { toAddresses, toId } from './values.ts';

export const COMPANY_OBJECT: PipedriveObject<Company> = {
  kind: COMPANY,
  filters: companyFilters,
  name: 'organizations',
  fields: 'organizationFields',
  writable: new Set(['name', 'owner_id', 'address', 'label_ids']),
  toFields(organization) {
    const website = toText(organization['website']);
    return {
      name: toText(organization['name']),
      domain: toDomain(website),
      website,
      // Pipedrive has none of these, and an industry only as a number.
      phoneNumbers: [],
      industry: toText(organization['industry']),
      parentId: null,
      lifecycleStage: null,
      addresses: toAddresses(organization['address']),
      employeeCount: toWhole(organization['employee_count']),
      annualRevenue: toMoney(organization['annual_revenue']),
      ownerId: toId(organization['owner_id']),
    };
  },
};

/** The host of a website, as users enter it. */
function toDomain(website: string | null): string | null {
  if (website === null) return null;
  const url = /^[a-z]+:\/\//i.test(website) ? website : `https://${website}`;
  if (!URL.canParse(url)) return null;
  const host = new URL(url).hostname.toLowerCase().replace(/^www\./, '');
  return /^[^.\s]+(?:\.[^.\s]+)+$/.test(host) ? host : null;
}
