import type { Connection } from '../domain/connection.ts';
import type { CredentialStore } from '../domain/credentials.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ProviderCall } from '../domain/journal.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';
import type { Want } from '../domain/want.ts';
import type { ConnectionLine } from './connection-line.ts';
import { toReconnectDetail } from './failures.ts';

/** A provider's own port behind its connection's line. Each operation has one deadline, whatever it takes. */
export function createContactPort(options: PortOptions): ContactPort {
  const { access, connection, line, deadline } = options;

  return {
    findByEmails(emails, want) {
      const key = toMergeKey(connection, want);
      return line.lookups.find({ emails, want, key, deadline: deadline(), open: openUntil });
    },
    readByDomain: (domain, run, want) => openUntil(deadline()).readByDomain(domain, run, want),
    countByDomain: (domain) => openUntil(deadline()).countByDomain(domain),
    findByIds: (ids, want) => openUntil(deadline()).findByIds(ids, want),
    ...(access.associatedObjects.length > 0 && {
      findAssociations: (ids, to) => openUntil(deadline()).findAssociations?.(ids, to) ?? notOffered(),
    }),
    compareIds: line.compareIds,
  };

  function openUntil(until: number): ContactPort {
    return access.open({ connection, send: (request) => send(request, until) });
  }

  async function send(...[request, until]: Parameters<OmitFirst<ConnectionLine['send']>>) {
    if (connection.status === 'reauthorize') throw mustReconnect(connection);
    return line.send(options, request, until);
  }
}

/** The fields that raw data holds follow the connection's mappings: with others it is another question. */
function toMergeKey({ schemaMappingsConfig, entityMappings }: Connection, { rawData }: Want): string {
  return rawData ? JSON.stringify([schemaMappingsConfig, entityMappings]) : '';
}

function mustReconnect({ providerName }: Connection): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', toReconnectDetail(providerName));
}

function notOffered(): never {
  throw new CrossbookError('NOT_IMPLEMENTED', 'Associations are not offered here.');
}

export interface PortOptions {
  readonly connection: Connection;
  readonly access: ContactAccess;
  readonly credentials: CredentialStore;
  readonly line: ConnectionLine;
  /** Told of each call that this port makes. */
  readonly onCall?: ((call: ProviderCall) => void) | undefined;
  /** Asked once for each operation. */
  deadline(): number;
}

type OmitFirst<F> = F extends (first: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;
