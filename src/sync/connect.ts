import { X509Certificate } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import { type DestinationSecret, SyncFailure } from '../domain/sync.ts';
import type { HostLookup } from '../lib/addresses.ts';
import { type HostEntry, isListed } from '../lib/host-list.ts';
import { OUTBOUND_TLS } from '../lib/tls.ts';
import { CONNECT_MS } from './client.ts';

/**
 * How to connect to a destination that the operator allows. Its host is resolved once, and the address is pinned, while
 * the certificate is verified for the name.
 */
export async function toClientConfig(
  { host, port, database, user, password, caCertificate }: DestinationSecret,
  { hosts, lookup = lookupBySystem }: HostRules,
): Promise<pg.ClientConfig> {
  if (!isListed(hosts.allowed, { host, port })) {
    throw new SyncFailure(
      'DESTINATION_REFUSED',
      `The operator does not allow syncs to write to ${host}:${port}: it has to be in the setting CROSSBOOK_SYNC_HOSTS.`,
    );
  }
  const isPlain = caCertificate === null && isListed(hosts.plain, { host, port });
  const ssl: ConnectionOptions = {
    ...OUTBOUND_TLS,
    // TLS takes no address as the name of a server. Either is what the certificate has to be for.
    ...(isIP(host) ? { host } : { servername: host }),
    ...(caCertificate !== null && { ca: checkCertificate(caCertificate) }),
  };
  return {
    host: await resolveHost(host, lookup),
    port,
    database,
    user,
    password,
    ssl: isPlain ? false : ssl,
    application_name: 'crossbook sync',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  };
}

/** A sync would write to the tables that Crossbook itself depends on, by whatever name the database was reached. */
export async function refuseOwnDatabase(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query(FIND_MIGRATIONS);
  if (rows.length === 0) return;
  throw new SyncFailure(
    'DESTINATION_REFUSED',
    'This is the database of Crossbook itself: use another one, which may be on the same server.',
  );
}

const FIND_MIGRATIONS = `
select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'crossbook' and c.relname in ('migrations', 'job_leases') having count(*) = 2`;

/** Node ignores what is not a certificate, and then trusts none. */
function checkCertificate(pem: string): string {
  try {
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    throw new SyncFailure('DESTINATION_REFUSED', 'caCertificate has no valid certificate in PEM.', {
      cause,
    });
  }
}

async function resolveHost(host: string, lookup: HostLookup): Promise<string> {
  if (isIP(host)) return host;
  try {
    const [found] = await lookup(host);
    return found?.address ?? host;
  } catch (cause) {
    throw new SyncFailure('DESTINATION_UNREACHABLE', `The host name ${host} cannot be resolved.`, {
      cause,
    });
  }
}

/** Also knows names of this machine and of its network. */
function lookupBySystem(host: string) {
  return systemLookup(host, { all: true });
}

export interface HostRules {
  readonly hosts: {
    readonly allowed: readonly HostEntry[];
    /** Those of them that need no TLS. */
    readonly plain: readonly HostEntry[];
  };
  readonly lookup?: HostLookup | undefined;
}
