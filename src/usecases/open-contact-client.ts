import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import type { ContactOrigin } from '../domain/contact.ts';
import { type ContactTarget, toContactOrigin } from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort, Providers } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { customerNotFound, resolveTarget, type TargetDeps } from './authorization.ts';

/** Opens a client for a customer's contacts from a caller, a customer and a provider. */
export function openContactClient(
  deps: OpenDeps,
  target: ContactTarget,
): MaybePromise<ContactClient> {
  const { customerId, providerName } = resolveTarget(deps, target);
  const access = deps.providers.get(providerName)?.contacts;
  if (!access) {
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `The contacts of ${PROVIDER_TITLES[providerName]} cannot be searched.`,
    );
  }
  const open = (connection: Connection | undefined): ContactClient => {
    if (!connection) throw customerNotFound(customerId, providerName);
    return {
      source: toContactOrigin(connection),
      connection,
      access,
      port: deps.openContactPort(connection, access),
    };
  };
  const loaded = deps.loadConnection({ customerId, providerName });
  return loaded instanceof Promise ? loaded.then(open) : open(loaded);
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
  loadConnection(target: ConnectionTarget): MaybePromise<Connection | undefined>;
  openContactPort(connection: Connection, access: ContactAccess): ContactPort;
}
