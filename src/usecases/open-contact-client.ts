import type { Connection } from '../domain/connection.ts';
import type { ContactOrigin } from '../domain/contact.ts';
import { toContactOrigin } from '../domain/contact-origin.ts';
import type { ContactTarget } from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { type ResolvedTarget, resolveTarget, type TargetDeps } from './resolve-target.ts';

/** From a caller, a customer and a provider to a client for that customer's contacts. */
export async function openContacts(deps: OpenDeps, target: ContactTarget): Promise<ContactClient> {
  const resolved = resolveTarget(deps, target);
  const access = deps.providers.get(resolved.provider)?.contacts;
  if (!access) {
    throw new CrossbookError('NOT_IMPLEMENTED', `The contacts of ${resolved.provider} cannot be searched.`);
  }
  const loading = deps.loadConnection(resolved);
  const connection = loading instanceof Promise ? await loading : loading;
  if (!connection) {
    throw new CrossbookError(
      'NOT_FOUND',
      `There is no customer ${JSON.stringify(resolved.customerId)} with a connection to ${resolved.provider}.`,
    );
  }
  return {
    source: toContactOrigin(connection),
    connection,
    access,
    port: deps.openPort(connection, access),
  };
}

export interface ContactClient {
  readonly source: ContactOrigin;
  readonly connection: Connection;
  readonly access: ContactAccess;
  readonly port: ContactPort;
}

export interface OpenDeps extends TargetDeps {
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  /** Of the caller's own application: there is no way to ask for another's. */
  loadConnection(target: ResolvedTarget): Promise<Connection | undefined> | Connection | undefined;
  openPort(connection: Connection, access: ContactAccess): ContactPort;
}
