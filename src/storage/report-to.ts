import type { Log } from '../domain/log.ts';
import type { Tuning } from './engine/open.ts';

/** What the database tells whoever runs the process. */
export function reportTo(log: Log): Reports {
  return {
    onError: (cause) => log.warn({ cause }, 'a database connection broke'),
    onOutage: (outage) => log.warn(outage, 'the database cannot answer'),
    onMigrationWait: () =>
      log.warn({}, 'another process is changing the tables of the database: this one waits for it'),
    onServerLog: (level, message) => log[level]({ database: 'embedded' }, message),
  };
}

type Reports = Pick<Tuning, 'onError' | 'onOutage' | 'onMigrationWait' | 'onServerLog'>;
