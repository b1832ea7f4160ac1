import type { RecordAdapter } from '../../domain/provider.ts';
import type { Company } from '../../domain/records/company.ts';
import type { CompanyChangeField } from '../../domain/records/company-changes.ts';
import type { ChangeTable } from '../../domain/records/writable.ts';
import { toText } from '../../lib/text.ts';
import { warnOfDomains } from '../same-domains.ts';
import { ADDRESS } from './contact-writes.ts';
import type { DeclaredWrites } from './writes.ts';

const FIELDS: ChangeTable<CompanyChangeField> = {
  name: { to: 'name' },
  domain: { to: 'domain' },
  website: { to: 'website' },
  phoneNumbers: {
    type: 'phoneNumberType',
    value: 'phoneNumber',
    entries: { primary: 'phone' },
  },
  addresses: { addresses: { primary: ADDRESS } },
  industry: { to: 'industry' },
  employeeCount: { to: 'numberofemployees' },
  // In the currency of the portal.
  annualRevenue: { amount: 'annualrevenue' },
  ownerId: { to: 'hubspot_owner_id' },
  parentId: { readOnly: 'cannot be written in HubSpot, where associations decide.' },
  lifecycleStage: { to: 'lifecyclestage' },
};

export function companyWrites(companies: Pick<RecordAdapter<Company>, 'readList'>): DeclaredWrites {
  return {
    fields: FIELDS,
    keyField: null,
    requiresOneOf: ['name', 'domain'],
    isUpsertAtomic: true,
    findSimilar: (writes) =>
      warnOfDomains(writes, { companies, toDomain: (values) => toText(values.get('domain')) }),
  };
}
