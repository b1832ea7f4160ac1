import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { CrmAccess, CrmPort, Provider, Providers } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import type { CrmRecord, RecordKind, RecordOrigin } from '../domain/records/record.ts';
import { type RecordTarget, toRecordOrigin } from '../domain/records/record-search.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { customerNotFound, resolveTarget, type TargetDeps } from './authorization.ts';
import { requireAccess } from './record-access.ts';

/**
 * Opens a client for a customer's records of a type from a caller, a customer and a provider. Rejects with FORBIDDEN if
 * the connection may not read them; whoever writes calls `requireAccess` too.
 */
export function openCrmClient(
  deps: OpenDeps,
  target: RecordTarget,
  kind: Pick<RecordKind<CrmRecord>, 'type' | 'nouns'>,
): MaybePromise<CrmClient> {
  const { customerId, providerName } = resolveTarget(deps, target);
  const provider = deps.providers.get(providerName);
  const access = provider?.crm;
  if (!provider || !access?.records[kind.type]) {
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `The ${kind.nouns} of ${PROVIDER_TITLES[providerName]} cannot be searched.`,
    );
  }
  const open = (connection: Connection | undefined): CrmClient => {
    if (!connection) throw customerNotFound(customerId, providerName);
    const client = {
      source: toRecordOrigin(connection, kind),
      connection,
      provider,
      access,
      port: deps.openCrmPort(connection, access),
    };
    requireAccess(client, kind, 'read');
    return client;
  };
  const loaded = deps.loadConnection({ customerId, providerName });
  return loaded instanceof Promise ? loaded.then(open) : open(loaded);
}

export interface CrmClient {
  readonly source: RecordOrigin;
  readonly connection: Connection;
  readonly provider: Provider;
  readonly access: CrmAccess;
  readonly port: CrmPort;
}

export interface OpenDeps extends TargetDeps {
  readonly providers: Providers;
  /** Scoped to the caller's application. */
  loadConnection(target: ConnectionTarget): MaybePromise<Connection | undefined>;
  openCrmPort(connection: Connection, access: CrmAccess): CrmPort;
}
