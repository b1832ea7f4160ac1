import pg from 'pg';
import { createSingleFlight } from '../../lib/cache.ts';
import { type Clock, runPeriodically, withLimit } from '../../lib/clock.ts';
import { parseDatabaseUrl } from '../../lib/database-url.ts';
import { containFaults } from '../../lib/postgres-messages.ts';
import type { UrlTarget } from './tuning.ts';

/** Follows the primary where the URL names several hosts. The first one stands for what their URLs have in common. */
export function openSource(target: UrlTarget, clock: Clock): Source {
  const { urls = [] } = parseDatabaseUrl(target.url) ?? {};
  const [url] = urls;
  if (url === undefined || urls.length === 1) return target;
  return { ...target, url, primary: followPrimary(urls, clock) };
}

/**
 * Follows the primary among the servers that a URL with several hosts names. Every second all servers are asked
 * whether they accept writes. Two of them do while an old primary has not noticed its successor: the one of the
 * highest timeline is the primary. Connections to a server that is not the primary any more are closed.
 */
function followPrimary(urls: readonly string[], clock: Clock): Primary {
  const servers = urls.map((url) => openServer(url, clock));
  const connected = new Map<pg.Client, Server>();
  const singleFlight = createSingleFlight<void>();
  let primary: Server | undefined;
  let timeline = '';
  const following = runPeriodically({ intervalMs: ASK_EVERY_MS, work: find, onError: () => {} });

  return {
    async locate(client) {
      if (!primary) await find();
      if (!primary) throw new NoPrimaryError(servers);
      const { host, port } = primary;
      Object.assign(client, { host, port });
      connected.set(client, primary);
      client.once('end', () => connected.delete(client));
    },
    async close() {
      await following.stop();
      for (const server of servers) server.close();
    },
  };

  function find(): Promise<void> {
    return singleFlight(async () => {
      await Promise.all(servers.map((server) => server.ask()));
      const [found] = servers
        .filter((server) => server.timeline !== undefined && server.timeline >= timeline)
        .sort((a, b) => compare(b, a) || Number(b === primary) - Number(a === primary));
      // A primary that does not answer may only be slow, unless another one does.
      const next = found ?? (primary?.isReadOnly ? undefined : primary);
      if (next === primary) return;
      primary = next;
      timeline = next?.timeline ?? timeline;
      for (const [client, server] of connected) if (server !== primary) disconnect(client);
    });
  }
}

function compare(a: Server, b: Server): number {
  return (a.timeline ?? '').localeCompare(b.timeline ?? '');
}

/** Not `end`, which waits for a server that may be frozen. */
function disconnect(client: pg.Client): void {
  client.connection.stream.destroy();
}

/** One server, which is asked over a connection of its own. */
function openServer(url: string, clock: Clock) {
  const { host, port } = new PrimaryClient({ connectionString: url });
  let client: pg.Client | undefined;
  const server = {
    host,
    port,
    /** Of a server that accepts writes, by its last answer. */
    timeline: undefined as string | undefined,
    isReadOnly: false,
    /** Why it gave no answer. */
    error: undefined as Error | undefined,
    async ask(): Promise<void> {
      server.timeline = undefined;
      server.isReadOnly = false;
      server.error = undefined;
      try {
        const { rows } = await withLimit(query(), { limitMs: ANSWER_MS, clock });
        server.isReadOnly = rows[0].isReadOnly;
        if (!server.isReadOnly) server.timeline = rows[0].timeline;
      } catch (error) {
        server.error = error instanceof Error ? error : new Error(String(error));
        server.close();
      }
    },
    close(): void {
      if (client) disconnect(client);
      client = undefined;
    },
  };
  return server;

  async function query(): Promise<pg.QueryResult> {
    if (!client) {
      client = new PrimaryClient({
        connectionString: url,
        application_name: 'crossbook primary',
        connectionTimeoutMillis: ANSWER_MS,
        keepAlive: true,
      });
      client.once('error', server.close);
      await client.connect();
    }
    return client.query(ASK);
  }
}

class PrimaryClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    containFaults(this);
  }
}

type Server = ReturnType<typeof openServer>;

/** The timeline, which grows with each promotion, is the beginning of the name of a file of the log. */
const ASK = `
  select current_setting('transaction_read_only') = 'on' as "isReadOnly",
    case when pg_is_in_recovery() then ''
      else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;
const ASK_EVERY_MS = 1_000;
const ANSWER_MS = 1_000;

/** Says of each server why it is not the primary. Its code is that of a server that refused the client, if any. */
class NoPrimaryError extends Error {
  readonly code: string | undefined;

  constructor(servers: readonly Server[]) {
    const reasons = servers.map(
      ({ host, port, error }) => `${host}:${port}: ${error ? reasonOf(error) : 'is read-only'}`,
    );
    super(`no server accepts writes (${reasons.join('; ')})`);
    const codes = servers.map(({ error }) => error && Reflect.get(error, 'code'));
    this.code = codes.find((code) => SQL_STATE.test(code)) ?? codes.find(Boolean);
  }
}

/** Node's error of several addresses has a code and no message. */
function reasonOf(error: Error): string {
  return error.message || String(Reflect.get(error, 'code'));
}

const SQL_STATE = /^[0-9A-Z]{5}$/;

export interface Primary {
  /** Sets the address that the client will connect to. Rejects if no server accepts writes. */
  locate(client: pg.Client): Promise<void>;
  close(): Promise<void>;
}

/** A server, or several and the primary among them. */
export interface Source extends UrlTarget {
  readonly primary?: Primary | undefined;
}
