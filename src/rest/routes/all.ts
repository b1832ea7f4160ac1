import { brandingOperations } from './branding.ts';
import { companyOperations } from './companies.ts';
import { connectLinkOperations } from './connect-links.ts';
import { connectionOperations } from './connections.ts';
import { customFieldOperations, fieldMappingOperations } from './custom-fields.ts';
import { issueCustomerTokenOperation } from './customer-tokens.ts';
import { customerOperations } from './customers.ts';
import { dealOperations } from './deals.ts';
import { listEventsOperation } from './events.ts';
import { listOwnersOperation, listPipelinesOperation } from './lists.ts';
import { oauthClientOperations } from './oauth-clients.ts';
import { getContactOperation, searchContactsOperation } from './search-contacts.ts';
import { syncOperations, syncSettingOperations } from './syncs.ts';
import { webhookOperations } from './webhook-endpoints.ts';
import {
  linkOperations,
  writableFieldsOperation,
  writeAuditOperations,
  writeOperations,
} from './writes.ts';

const writesOf = (nouns: string) => writeOperations[nouns] ?? [];

const GROUPS = {
  contacts: [searchContactsOperation, getContactOperation, ...writesOf('contacts')],
  companies: [...companyOperations, ...writesOf('companies')],
  deals: [...dealOperations, listPipelinesOperation, ...writesOf('deals')],
  owners: [listOwnersOperation],
  links: linkOperations,
  writes: writeAuditOperations,
  customers: [
    ...customerOperations,
    ...connectionOperations,
    ...fieldMappingOperations,
    writableFieldsOperation,
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
