import { withNotes } from '../../provider-texts.ts';
import { field, id, int, listOf, nullable, type Of, shape, string } from '../shape.ts';
import { address, lifecycleStage, phoneNumber } from './contact.ts';
import { money } from './money.ts';
import { type CrmRecord, commonFields, type RecordKind, remoteIdField } from './record.ts';

const NOUNS = { noun: 'company', nouns: 'companies' };

/** Fields that are requested from a CRM. */
const selectableFields = {
  name: nullable(string, 'Name.', { example: 'Analytical Engines Ltd' }),
  domain: nullable(
    string,
    withNotes(
      'Domain of its website or of its email addresses, in lower case and without `www.`.',
      'company.domain',
    ),
    { example: 'engines.example' },
  ),
  website: nullable(string, 'Website, as written in the CRM.', {
    example: 'https://www.engines.example/about',
  }),
  phoneNumbers: field(listOf(phoneNumber), 'Phone numbers.', { items: 2 }),
  addresses: field(listOf(address), 'Postal addresses.', { items: 2 }),
  industry: nullable(string, 'Industry, as the CRM names it.', { example: 'COMPUTER_HARDWARE' }),
  employeeCount: nullable(int, 'Number of employees.', { example: 120 }),
  annualRevenue: nullable(money, 'Annual revenue.'),
  ownerId: nullable(id, 'Id, in the CRM, of the user who owns the company.', { example: '31' }),
  parentId: nullable(id, 'Id, in the CRM, of the parent company.', { example: '2000' }),
  lifecycleStage: nullable(
    lifecycleStage,
    withNotes(lifecycleStage.description, 'record.lifecycleStage'),
  ),
  ...commonFields(NOUNS),
};

export const company = shape(
  'Company',
  withNotes('A company in a customer’s CRM, in one common shape for all CRMs.', 'company'),
  { remoteId: remoteIdField(NOUNS, '2001'), ...selectableFields },
);

/** A company of a customer's CRM in the common shape. */
export interface Company extends CrmRecord, Of<typeof company> {}

export type CompanyField = keyof typeof selectableFields;

/** Selectable fields; source and id are always present. */
export const COMPANY_FIELDS = Object.keys(selectableFields) as readonly CompanyField[];

export const COMPANY: RecordKind<Company> = {
  type: 'COMPANY',
  key: 'companies ',
  ...NOUNS,
  shape: company,
  fields: COMPANY_FIELDS,
};
