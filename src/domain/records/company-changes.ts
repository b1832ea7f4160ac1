import { withNotes } from '../../provider-texts.ts';
import { id, int, listOf, nullable, string } from '../shape.ts';
import { COMPANY } from './company.ts';
import { address, lifecycleStage, phoneNumber } from './contact.ts';
import { money } from './money.ts';
import { declareWritable } from './writable.ts';

/** What can be written of a company. An adapter says of each field how its CRM takes it, or that it does not. */
const writableFields = {
  name: nullable(string, 'Name.', { example: 'Analytical Engines Ltd' }),
  domain: nullable(string, withNotes('Domain.', 'companyChanges.domain'), {
    example: 'engines.example',
  }),
  website: nullable(string, 'Website.', { example: 'https://www.engines.example/about' }),
  phoneNumbers: nullable(
    listOf(phoneNumber),
    'Phone numbers, one of each type. They replace all that the company has.',
    { most: 10 },
  ),
  addresses: nullable(
    listOf(address),
    'Postal addresses, one of each type. They replace all that the company has.',
    { most: 10 },
  ),
  industry: nullable(string, 'Industry, as the CRM names it.', { example: 'COMPUTER_HARDWARE' }),
  employeeCount: nullable(int, 'Number of employees.', { example: 120 }),
  annualRevenue: nullable(money, withNotes('Annual revenue.', 'companyChanges.annualRevenue')),
  ownerId: nullable(id, 'Id, in the CRM, of the user who owns the company.', { example: '31' }),
  parentId: nullable(
    id,
    withNotes('Id, in the CRM, of the parent company.', 'companyChanges.parentId'),
  ),
  lifecycleStage: nullable(
    lifecycleStage,
    withNotes('Lifecycle stage.', 'companyChanges.lifecycleStage'),
  ),
};

export type CompanyChangeField = keyof typeof writableFields;

export const WRITABLE_COMPANIES = declareWritable(COMPANY, {
  fields: writableFields,
  key: {
    customField: {
      type: string,
      description:
        'Name of the custom field of your application by which the company is found. The CRM must let no two companies have the same value: `writableFields` says so with `isUnique`.',
      example: 'erpNumber',
    },
    value: {
      type: string,
      description: 'Its value, which a new company gets.',
      example: 'C-4711',
    },
  },
  exampleChanges: { name: 'Analytical Engines Ltd', employee_count: 120 },
});
