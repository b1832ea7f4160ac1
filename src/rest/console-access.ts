import { CrossbookError } from '../domain/errors.ts';
import type { AuditEntry, Operator } from '../domain/operator.ts';
import type { HttpHeaders } from '../lib/http-message.ts';

/**
 * What a session of the console may call for an application: nothing but these operations. Changes and reads of records
 * are recorded before they happen; records are a privilege of their own. A token that is issued to a customer, or a
 * write, would be a way around it.
 */
export const ACCESS: Readonly<Record<string, 'read' | 'change' | 'records'>> = {
  listCustomers: 'read',
  getCustomer: 'read',
  deleteCustomer: 'change',
  getConnection: 'read',
  disconnectProvider: 'change',
  createConnectLink: 'change',
  createMappingLink: 'change',
  getConnectLink: 'read',
  cancelConnectLink: 'change',
  getCustomFieldDefinitions: 'read',
  getCustomFieldMappings: 'read',
  listMappingProblems: 'read',
  listProviderFields: 'read',
  listSyncs: 'read',
  startSync: 'change',
  pauseSync: 'change',
  resumeSync: 'change',
  getSyncDestination: 'read',
  listSyncConfigurations: 'read',
  setSyncConfiguration: 'change',
  deleteSyncDestination: 'change',
  listEvents: 'read',
  listWrites: 'read',
  getWrite: 'read',
  listWebhookEndpoints: 'read',
  createWebhookEndpoint: 'change',
  updateWebhookEndpoint: 'change',
  deleteWebhookEndpoint: 'change',
  rotateWebhookSecret: 'change',
  redeliverEvents: 'change',
  sendTestEvent: 'change',
  listOAuthClients: 'read',
  setOAuthClient: 'change',
  deleteOAuthClient: 'change',
  getBranding: 'read',
  searchContacts: 'records',
  searchCompanies: 'records',
  searchDeals: 'records',
  getContact: 'records',
  getCompany: 'records',
  getDeal: 'records',
};

/** Rejects with FORBIDDEN if the operator may not call the operation; records it otherwise. */
export async function authorizeOperator(
  { audit, mayReadRecords }: OperatorAccess,
  { operation, operator, applicationId, path, headers }: OperatorCall,
): Promise<void> {
  const access = Object.hasOwn(ACCESS, operation) ? ACCESS[operation] : undefined;
  if (access === undefined)
    throw new CrossbookError(
      'FORBIDDEN',
      `A session of the console may not call ${operation}: use an API key.`,
    );
  if (access === 'read') return;
  if (access === 'records' && !mayReadRecords)
    throw new CrossbookError(
      'FORBIDDEN',
      'Records of customers cannot be looked up in this console: CROSSBOOK_CONSOLE_CONTACTS is off.',
    );
  const customerId = toText(path['customer_id']) ?? headers.get('x-customer-id') ?? undefined;
  const provider = path['provider_name'] ?? headers.get('x-provider-name') ?? undefined;
  const subject = toText(path['id'] ?? provider);
  await audit({ ...operator, action: operation, applicationId, customerId, subject });
}

/** A part of a path, decoded. An invalid one is refused later. */
export function toText(encoded: string | undefined): string | undefined {
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded).slice(0, MAX_LENGTH);
  } catch {
    return undefined;
  }
}

const MAX_LENGTH = 500;

export interface OperatorAccess {
  audit(entry: AuditEntry): Promise<void>;
  readonly mayReadRecords: boolean;
}

interface OperatorCall {
  /** The id of the operation. */
  readonly operation: string;
  readonly operator: Operator;
  readonly applicationId: string;
  /** The parameters of the path, encoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly headers: Pick<HttpHeaders, 'get'>;
}
