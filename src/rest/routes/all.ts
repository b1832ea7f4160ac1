import { brandingOperations } from './branding.ts';
import { companyOperations } from './companies.ts';
import { connectLinkOperations } from './connect-links.ts';
import { connectionOperations } from './connections.ts';
import { customFieldOperations, fieldMappingOperations } from './custom-fields.ts';
import { issueCustomerTokenOperation } from './customer-tokens.ts';
import { customerOperations } from './customers.ts';
import { listEventsOperation } from './events.ts';
import { oauthClientOperations } from './oauth-clients.ts';
import { searchContactsOperation } from './search-contacts.ts';
import { syncOperations, syncSettingOperations } from './syncs.ts';
import { webhookOperations } from './webhook-endpoints.ts';

const GROUPS = {
  contacts: [searchContactsOperation],
  companies: companyOperations,
  customers: [
    ...customerOperations,
    ...connectionOperations,
    ...fieldMappingOperations,
    ...syncOperations,
    issueCustomerTokenOperation,
    ...connectLinkOperations,
  ],
  custom_fields: customFieldOperations,
  syncs: syncSettingOperations,
  webhooks: [...webhookOperations, listEventsOperation],
  oauth_clients: oauthClientOperations,
  branding: brandingOperations,
};

/** All operations with their groups, in the order of the document. */
export const OPERATIONS = Object.entries(GROUPS).flatMap(([group, operations]) =>
  operations.map((operation) => ({ ...operation, group })),
);

export type GroupedOperation = (typeof OPERATIONS)[number];
