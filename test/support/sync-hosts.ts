import { LOOPBACK_HOSTS } from '../../src/lib/host-list.ts';

/** Syncs may write to any port of this machine, without TLS. */
export const LOOPBACK_DESTINATIONS = { allowed: LOOPBACK_HOSTS, plain: LOOPBACK_HOSTS };

/** Syncs may write to this server, without TLS. */
export function toSyncHosts({ hostname, port }: URL) {
  const entries = [{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) }];
  return { allowed: entries, plain: entries };
}
