import { isIP } from 'node:net';

/** Reads a list of servers: `db.example.com:5432,*.example.com:5432,[fd00::1]:5432`. Each entry must have a port. */
export function readHostList(text: string): {
  readonly entries: readonly HostEntry[];
  readonly problems: readonly string[];
} {
  const read = text
    .toLowerCase()
    .split(',')
    .map((entry) => readEntry(entry.trim()));
  return {
    entries: read.flatMap((one) => ('host' in one ? one : [])),
    problems: read.flatMap((one) => ('problem' in one ? one.problem : [])),
  };
}

/** Whether the list names this server, or all servers that this entry names. The host is in lower case. */
export function isListed(list: readonly HostEntry[], server: HostEntry): boolean {
  const host = server.host.replace(/\.$/, '');
  return list.some(
    (entry) =>
      (entry.port === ANY_PORT || entry.port === server.port) &&
      (entry.host.startsWith(WILDCARD) ? host.endsWith(entry.host.slice(1)) : host === entry.host),
  );
}

function readEntry(entry: string): HostEntry | { readonly problem: string } {
  const [, host = '', port] = ENTRY.exec(entry) ?? [];
  const name = host.replace(/^\[|\]$/g, '');
  const isHost = isIP(name) !== 0 || NAME.test(name);
  if (!isHost) {
    return {
      problem: `${quoteStart(entry)} must be a host and a port, such as db.example.com:5432`,
    };
  }
  if (port === undefined)
    return { problem: `${quoteStart(entry)} must have a port, such as ${host}:5432` };
  const number = Number(port);
  if (number < 1 || number > 65_535)
    return { problem: `the port of ${quoteStart(entry)} must be from 1 to 65535` };
  return { host: name, port: number };
}

function quoteStart(entry: string): string {
  return JSON.stringify(entry.slice(0, 100));
}

/** An IPv6 address has brackets. */
const ENTRY = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(\d{1,5}))?$/;
const NAME =
  /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const WILDCARD = '*.';
const ANY_PORT = 'any';

/** This machine, at any port. */
export const LOOPBACK_HOSTS: readonly HostEntry[] = ['localhost', '127.0.0.1', '::1'].map(
  (host) => ({ host, port: ANY_PORT }),
);

export interface HostEntry {
  /** A name in lower case, an address, or `*.` and the end of names. */
  readonly host: string;
  readonly port: number | 'any';
}
