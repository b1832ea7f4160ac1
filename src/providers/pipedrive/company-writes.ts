import type { CompanyChangeField } from '../../domain/records/company-changes.ts';
import type { ChangeTable } from '../../domain/records/writable.ts';
import type { DeclaredWrites } from './writes.ts';

/** Pipedrive shows it, and its API does not take it. */
const SHOWN_ONLY = { readOnly: 'cannot be written through the API of Pipedrive.' };

const FIELDS: ChangeTable<CompanyChangeField> = {
  name: { to: 'name' },
  domain: { readOnly: 'does not exist in Pipedrive.' },
  website: SHOWN_ONLY,
  phoneNumbers: { readOnly: 'does not exist in Pipedrive.' },
  addresses: {
    readOnly:
      'cannot be written in Pipedrive, which takes apart the text of an address by its own rules: write the text as the raw field address.',
  },
  industry: SHOWN_ONLY,
  employeeCount: SHOWN_ONLY,
  annualRevenue: SHOWN_ONLY,
  ownerId: { to: 'owner_id' },
  parentId: { readOnly: 'does not exist in Pipedrive.' },
  lifecycleStage: { readOnly: 'does not exist in Pipedrive.' },
};

export const COMPANY_WRITES: DeclaredWrites = {
  fields: FIELDS,
  keyField: null,
  requiresOneOf: ['name'],
};
