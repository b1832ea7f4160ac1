import { type EmbeddedLog, type EmbeddedServer, startEmbeddedServer } from './start.ts';

/** Starts the server while the rest of the program is still loading. What it reports is kept until there is a log. */
export function beginEmbeddedServer(directory: string): BegunServer {
  const kept: Parameters<EmbeddedLog>[] = [];
  let report: EmbeddedLog = (...line) => void kept.push(line);
  const server = startEmbeddedServer({ directory, log: (...line) => report(...line) });
  // Whoever opens the database is given the reason.
  server.catch(() => undefined);
  return {
    server,
    logTo(log) {
      report = log;
      for (const line of kept.splice(0)) log(...line);
    },
  };
}

export interface BegunServer {
  readonly server: Promise<EmbeddedServer>;
  logTo(log: EmbeddedLog): void;
}
