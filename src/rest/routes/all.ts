import type { Operation } from '../operation.ts';
import {
  cancelConnectLinkOperation,
  confirmConnectLinkOperation,
  createConnectLinkOperation,
  getConnectLink,
} from './connect-links.ts';
import { disconnectProviderOperation, getConnection } from './connections.ts';
import { deleteCustomerOperation } from './delete-customer.ts';
import { getCustomer } from './get-customer.ts';
import { issueCustomerTokenOperation } from './issue-customer-token.ts';
import { listCustomersOperation } from './list-customers.ts';
import { listEventsOperation } from './list-events.ts';
import { deleteOAuthClientOperation, setOAuthClientOperation } from './oauth-clients.ts';
import { searchContactsOperation } from './search-contacts.ts';
import { upsertCustomerOperation } from './upsert-customer.ts';
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
