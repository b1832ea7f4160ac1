import type { Connection } from '../domain/connection.ts';
import type { ContactCache } from '../domain/contact-cache.ts';
import type { CredentialStore } from '../domain/credentials.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ProviderCall } from '../domain/journal.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';
import type { RemoteRequest } from '../domain/remote.ts';
import type { Want } from '../domain/want.ts';
import type { Resume, WorkPermit } from '../domain/work-permit.ts';
import type { OnProgress } from './attempts.ts';
import type { ConnectionLine } from './connection-line.ts';
import { RedactedPort } from './redaction/redacted-port.ts';
import type { CallPermit } from './shared-permit.ts';
import type { Waiting } from './waiting.ts';

/** A provider's own port behind its connection's line. Each operation has one deadline, whatever it takes. */
export function createContactPort(options: PortOptions): ContactPort {
  const { access, connection, cache, line, deadline, permit, waiting } = options;

  return {
    findByEmails(emails, want) {
      const key = toMergeKey(connection, want);
      return wait((until) =>
        line.lookups.find({ emails, want, key, deadline: until, permit, open: openUntil }),
      );
    },
    readByDomain: (domain, run, want) => wait((until) => openUntil(until).readByDomain(domain, run, want)),
    countByDomain: (domain) => wait((until) => openUntil(until).countByDomain(domain)),
    findByIds: (ids, want) => wait((until) => openUntil(until).findByIds(ids, want)),
    findAssociations: (ids, to) =>
      wait(async (until) => openUntil(until).findAssociations?.(ids, to) ?? notOffered()),
    compareIds: line.compareIds,
  };

  /** Meanwhile the request is not at work. */
  async function wait<Found>(ask: (until: number) => Promise<Found>): Promise<Found> {
    const { applicationId } = connection;
    waiting.enter(applicationId, line);
    let resume: Resume | undefined;
    try {
      resume = permit.pause();
      return await ask(deadline());
    } finally {
      waiting.leave(applicationId, line);
      const turn = resume?.();
      if (turn) await turn;
    }
  }

  function openUntil(until: number, of: CallPermit = permit, onProgress?: OnProgress): ContactPort {
    const port = access.open({
      connection,
      send: (request) => send(request, { until, of, onProgress }),
      facts: line.facts.of({ cache, deadline: until, permit: of }),
    });
    return new RedactedPort(port, line.toError);
  }

  async function send(request: RemoteRequest, { until, of, onProgress }: Sending) {
    const source = of === permit ? options : { ...options, permit: of, onProgress };
    const answer = await line.send(source, request, until);
    // It is understood now.
    const turn = of.takeTurn();
    if (turn) await turn;
    return answer;
  }
}

/** The fields that raw data holds follow the connection's mappings: with others it is another question. */
function toMergeKey({ schemaMappingsConfig, entityMappings }: Connection, { rawData }: Want): string {
  return rawData ? JSON.stringify([schemaMappingsConfig, entityMappings]) : '';
}

function notOffered(): never {
  throw new CrossbookError('NOT_IMPLEMENTED', 'Associations are not offered here.');
}

interface Sending {
  readonly until: number;
  readonly of: CallPermit;
  readonly onProgress: OnProgress | undefined;
}

export interface PortOptions {
  readonly connection: Connection;
  readonly access: ContactAccess;
  readonly credentials: CredentialStore;
  readonly cache: Pick<ContactCache, 'read' | 'write'>;
  readonly line: ConnectionLine;
  readonly waiting: Waiting;
  readonly permit: WorkPermit;
  /** Told of each call that this port makes. */
  readonly onCall?: ((call: ProviderCall) => void) | undefined;
  /** Asked once for each operation. */
  deadline(): number;
}
