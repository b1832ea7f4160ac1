import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import type { ContactOrigin } from '../domain/contact.ts';
import { type ContactTarget, toContactOrigin } from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort, Providers } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import { customerNotFound, resolveTarget, type TargetDeps } from './authorization.ts';

/** Opens a client for a customer's contacts from a caller, a customer and a provider. */
export async function openContactClient(
  deps: OpenDeps,
  target: ContactTarget,
): Promise<ContactClient> {
  const { customerId, providerName } = resolveTarget(deps, target);
  const access = deps.providers.get(providerName)?.contacts;
  if (!access) {
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `The contacts of ${PROVIDER_TITLES[providerName]} cannot be searched.`,
    );
  }
  const connection = await deps.loadConnection({ customerId, providerName });
  if (!connection) throw customerNotFound(customerId, providerName);
  return {
    source: toContactOrigin(connection),
    connection,
    access,
    port: deps.openContactPort(connection, access),
  };
}

export interface ContactClient {
  readonly source: ContactOrigin;
  readonly connection: Connection;
  readonly access: ContactAccess;
  readonly port: ContactPort;
}

export interface OpenDeps extends TargetDeps {
  readonly providers: Providers;
  /** Scoped to the caller's application. */
  loadConnection(target: ConnectionTarget): Promise<Connection | undefined>;
  openContactPort(connection: Connection, access: ContactAccess): ContactPort;
}
