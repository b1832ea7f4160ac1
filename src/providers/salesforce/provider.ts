import type { Provider } from '../../domain/provider.ts';
import { readAllowance } from './allowance.ts';
import { authorization } from './authorization.ts';
import { INSTANCE_HOSTS, instanceOrigin } from './instance.ts';
import { openContacts } from './port.ts';
import { isTokenExpired, refresh } from './token.ts';

export const salesforce: Provider = {
  name: 'salesforce',
  category: 'crm',
  instanceHosts: INSTANCE_HOSTS,
  contacts: {
    origin: instanceOrigin,
    budgets: {
      // The org takes 25 long calls at once, from everyone who is connected to it: we are not alone. How many a day
      // is in every answer.
      api: { concurrency: 10 },
      token: { concurrency: 1 },
    },
    readAllowance,
    isTokenExpired,
    // What asks for another session says that this one is over.
    isTokenRefused: isTokenExpired,
    // The org's id, which stands in every URL.
    publicPrefix: /^00D[0-9A-Za-z]{12}!/,
    refresh,
    lookupBudget: 'api',
    lookupBatch: 100,
    associatedObjects: [],
    open: openContacts,
  },
  authorization,
};
