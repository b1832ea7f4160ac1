import { salesforce } from '../../../src/providers/salesforce/provider.ts';
import { testCompanies } from '../../provider-kit/companies.ts';

testCompanies(salesforce, (sandbox) =>
  sandbox.salesforce.createAccount({ people: [], limits: null }),
);
