import type { Operation } from '../operation.ts';
import {
  cancelConnectLinkOperation,
  confirmConnectLinkOperation,
  createConnectLinkOperation,
  getConnectLink,
} from './connect-links.ts';
import { disconnectProviderOperation, getConnection } from './connections.ts';
import { issueCustomerTokenOperation } from './customer-tokens.ts';
import {
  deleteCustomerOperation,
  getCustomer,
  listCustomersOperation,
  upsertCustomerOperation,
} from './customers.ts';
import { listEventsOperation } from './events.ts';
import { deleteOAuthClientOperation, setOAuthClientOperation } from './oauth-clients.ts';
import { searchContactsOperation } from './search-contacts.ts';
import { webhookOperations } from './webhook-endpoints.ts';

/** Every operation, in the order of the document. */
export const OPERATIONS: readonly Operation[] = [
  searchContactsOperation,
  upsertCustomerOperation,
  listCustomersOperation,
  getCustomer,
  deleteCustomerOperation,
  getConnection,
  disconnectProviderOperation,
  issueCustomerTokenOperation,
  createConnectLinkOperation,
  getConnectLink,
  cancelConnectLinkOperation,
  confirmConnectLinkOperation,
  ...webhookOperations,
  listEventsOperation,
  setOAuthClientOperation,
  deleteOAuthClientOperation,
];
