import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import { type DestinationSecret, SyncFailure } from '../domain/sync.ts';
import { createHostResolver, type HostLookup, isPublicAddress } from '../lib/addresses.ts';
import { OUTBOUND_TLS } from '../lib/tls.ts';
import { findCertificateProblem, readPem, toPem } from '../lib/tls-certificates.ts';
import { CONNECT_MS } from './client.ts';

/**
 * How to connect to a destination. Its host is resolved once, and the address is pinned, while the certificate is
 * verified for the name. Hosts that the operator has named may have private addresses and no TLS.
 */
export async function toClientConfig(
  { host, port, database, user, password, caCertificate }: DestinationSecret,
  { allowedHosts, lookup = createHostResolver(), lookupAllowed = lookupBySystem }: HostRules,
): Promise<pg.ClientConfig> {
  const isAllowed = allowedHosts.includes(host);
  const address = isAllowed
    ? await resolveHost(host, lookupAllowed)
    : await resolvePublic(host, lookup);
  const ssl: ConnectionOptions | false =
    isAllowed && caCertificate === null
      ? false
      : {
          ...OUTBOUND_TLS,
          servername: host,
          ...(caCertificate !== null && { ca: readAuthorities(caCertificate) }),
        };
  return {
    host: address,
    port,
    database,
    user,
    password,
    ssl,
    application_name: 'crossbook sync',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  };
}

/** They have the limits of a server's chain, because they can continue it. */
function readAuthorities(pem: string): string {
  const certificates = readPem(pem);
  const problem =
    certificates.length === 0 ? 'has no certificate in PEM' : findCertificateProblem(certificates);
  if (problem) throw new SyncFailure('DESTINATION_REFUSED', `caCertificate ${problem}.`);
  return certificates.map(toPem).join('');
}

async function resolvePublic(host: string, lookup: HostLookup): Promise<string> {
  // No name server knows it.
  if (LOCAL.test(host)) throw privateHost(host);
  if (isIP(host)) {
    throw new SyncFailure(
      'DESTINATION_REFUSED',
      `The host ${host} is an IP address: use its name, which its certificate is verified for. The operator can allow an address in CROSSBOOK_SYNC_HOSTS.`,
    );
  }
  const found = await resolveAll(host, lookup);
  const open = found.find(({ address }) => isPublicAddress(address));
  if (open) return open.address;
  throw privateHost(host);
}

function privateHost(host: string): SyncFailure {
  return new SyncFailure(
    'DESTINATION_REFUSED',
    `The host ${host} has a private address, which is allowed only for hosts that the operator names in CROSSBOOK_SYNC_HOSTS.`,
  );
}

const LOCAL = /^(?:.+\.)?localhost\.?$/;

async function resolveHost(host: string, lookup: HostLookup): Promise<string> {
  if (isIP(host)) return host;
  const [found] = await resolveAll(host, lookup);
  return found?.address ?? host;
}

async function resolveAll(host: string, lookup: HostLookup) {
  try {
    return await lookup(host);
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
  /** Host names in lower case that may have private addresses, and need no TLS. */
  readonly allowedHosts: readonly string[];
  readonly lookup?: HostLookup | undefined;
  readonly lookupAllowed?: HostLookup | undefined;
}
