import { hubspot } from '../../../src/providers/hubspot/provider.ts';
import { testCompanies } from '../../provider-kit/companies.ts';

testCompanies(hubspot, (sandbox) => sandbox.hubspot.createAccount({ people: [], limits: null }));
