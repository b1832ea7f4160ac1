import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** Of a process and its descendants, including those that have ended. */
export function readCpuMs(pid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)));
  const sum = (of: number): number =>
    all.reduce(
      (total, one) =>
        total + (one.pid === of ? one.ticks : 0) + (one.parent === of ? sum(one.pid) : 0),
      0,
    );
  return sum(pid) * TICK_MS;
}

function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Its own time, and that of children that it has waited for.
    const ticks = fields.slice(11, 15).reduce((total, value) => total + Number(value), 0);
    return [{ pid, parent: Number(fields[1]), ticks }];
  } catch {
    return []; // It has exited meanwhile.
  }
}

/** The first process of a PostgreSQL server, which has to run on this machine. */
export async function findPostmaster(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const [backend] = readStat(rows[0].pid);
  const name = backend && readFileSync(`/proc/${rows[0].pid}/comm`, 'utf8').trim();
  await client.end();
  if (!backend || name !== 'postgres')
    throw new Error('DATABASE_URL names a server whose processes are not on this machine.');
  return backend.parent;
}

/** The unit of /proc. */
const TICK_MS = 10;
