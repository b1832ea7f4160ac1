import type { Connection } from '../domain/connection.ts';
import type { ContactOrigin } from '../domain/contact.ts';
import {
  type ContactTarget,
  type ResolvedTarget,
  toContactOrigin,
} from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort, Providers } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import { customerNotFound, resolveTarget, type TargetDeps } from './authorization.ts';

/** Opens a client for a customer's contacts from a caller, a customer and a provider. */
export async function openContactClient(
  deps: OpenDeps,
  target: ContactTarget,
): Promise<ContactClient> {
  const resolved = resolveTarget(deps, target);
  const access = deps.providers.get(resolved.provider)?.contacts;
  if (!access) {
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `The contacts of ${PROVIDER_TITLES[resolved.provider]} cannot be searched.`,
    );
  }
  const connection = await deps.loadConnection(resolved);
  if (!connection) throw customerNotFound(resolved.customerId, resolved.provider);
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
  loadConnection(target: ResolvedTarget): Promise<Connection | undefined>;
  openContactPort(connection: Connection, access: ContactAccess): ContactPort;
}
