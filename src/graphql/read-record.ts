import type { ConnectLink } from '../domain/connect-link.ts';
import type { Connection } from '../domain/connection.ts';
import type { Contact } from '../domain/contact.ts';
import type { FieldSelection } from '../domain/contact-search.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { RequestContext } from '../request/context.ts';
import { findConnectLink } from '../usecases/connect-link.ts';
import { findContact } from '../usecases/find-contact.ts';
import { findConnection, findCustomer } from '../usecases/find-customer.ts';
import { readGlobalId } from './global-id.ts';

/** The record behind a global id. What is not the caller's is not there: null, never a hint. */
export async function readRecord(
  context: RequestContext,
  id: string,
  selection: FieldSelection,
): Promise<Customer | Contact | Connection | ConnectLink | null> {
  const { application } = context.requireCaller();
  // Connections and links have one id in both faces.
  if (UUID.test(id)) {
    return (
      (await nullIfNotFound(findConnection(context, id))) ?? nullIfNotFound(findConnectLink(context, { id }))
    );
  }
  const key = readGlobalId(id);
  if (key?.applicationId !== application.id) return null;
  return key.type === 'Customer'
    ? nullIfNotFound(findCustomer(context, key.customerId))
    : nullIfNotFound(findContact(context, key, selection));
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** In a list of references, one that leads nowhere is not an error. */
export async function nullIfNotFound<T>(found: Promise<T | undefined>): Promise<T | null> {
  try {
    return (await found) ?? null;
  } catch (error) {
    if (error instanceof CrossbookError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
