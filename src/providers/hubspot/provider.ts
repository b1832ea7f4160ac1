import type { ContactPort, Provider } from '../../domain/provider.ts';
import { authorization, isTokenRefused, refresh } from './authorization.ts';
import {
  API_ORIGIN,
  API_VERSION,
  BUDGETS,
  type BudgetName,
  compareIds,
  openAccount,
  readAllowance,
} from './call.ts';
import { BATCH, findAssociations, findByEmails, findByIds } from './contacts-by-key.ts';
import { countByDomain, readByDomain } from './search.ts';

export const hubspot: Provider = {
  name: 'hubspot',
  category: 'crm',
  // Where people see their contacts; the API is elsewhere and the same for all.
  instanceHosts: [/^app(-[a-z]{2,4}\d{1,3})?\.hubspot\.com$/],
  contacts: {
    origin: () => API_ORIGIN,
    apiVersion: API_VERSION,
    budgets: BUDGETS,
    readAllowance,
    isTokenExpired: ({ status }) => status === 401,
    isTokenRefused,
    refresh,
    lookupBudget: 'general' satisfies BudgetName,
    lookupBatch: BATCH,
    associatedObjects: ['company', 'deal', 'ticket'],
    open: ({ send, connection }): ContactPort => {
      const account = openAccount(send, connection);
      return {
        findByEmails: (emails, selection) => findByEmails(account, emails, selection),
        readByDomain: (domain, run, selection) => readByDomain(account, { domain, run, selection }),
        countByDomain: (domain) => countByDomain(account, domain),
        findByIds: (ids, selection) => findByIds(account, ids, selection),
        findAssociations: (ids, to) => findAssociations(account, ids, to),
        compareIds,
      };
    },
  },
  authorization,
};
