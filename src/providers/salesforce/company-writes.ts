import type { RecordAdapter } from '../../domain/provider.ts';
import type { Company } from '../../domain/records/company.ts';
import type { CompanyChangeField } from '../../domain/records/company-changes.ts';
import type { ChangeTable } from '../../domain/records/writable.ts';
import { toText } from '../../lib/text.ts';
import { warnOfDomains } from '../same-domains.ts';
import { toDomain } from './companies.ts';
import { addressOf } from './contact-writes.ts';
import { CURRENCY } from './object.ts';
import type { DeclaredWrites } from './writes.ts';

const FIELDS: ChangeTable<CompanyChangeField> = {
  name: { to: 'Name' },
  domain: { readOnly: 'does not exist in Salesforce: write the website.' },
  website: { to: 'Website' },
  phoneNumbers: {
    type: 'phoneNumberType',
    value: 'phoneNumber',
    entries: { primary: 'Phone', fax: 'Fax' },
  },
  addresses: { addresses: { billing: addressOf('Billing'), shipping: addressOf('Shipping') } },
  industry: { to: 'Industry' },
  employeeCount: { to: 'NumberOfEmployees' },
  annualRevenue: { amount: 'AnnualRevenue', currency: CURRENCY },
  ownerId: { to: 'OwnerId' },
  parentId: { to: 'ParentId' },
  lifecycleStage: { readOnly: 'does not exist in Salesforce, where only leads have a status.' },
};

export function companyWrites(companies: Pick<RecordAdapter<Company>, 'readList'>): DeclaredWrites {
  return {
    fields: FIELDS,
    keyField: null,
    findSimilar: (writes) =>
      warnOfDomains(writes, {
        companies,
        toDomain: (values) => toDomain(toText(values.get('Website'))),
      }),
  };
}
