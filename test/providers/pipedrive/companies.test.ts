import { pipedrive } from '../../../src/providers/pipedrive/provider.ts';
import { testCompanies } from '../../provider-kit/companies.ts';

testCompanies(
  pipedrive,
  (sandbox) => sandbox.pipedrive.createAccount({ people: [], limits: null }),
  { forgetsMergedIds: true },
);
