import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePorts } from '../support/free-ports.ts';
import { isListening } from '../support/is-listening.ts';
import { IS_ROOT, PGBOUNCER } from '../support/machine.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/**
 * PgBouncer in front of that database, in transaction mode: more clients than connections, so that connections are
 * reassigned.
 */
export async function openPgBouncer(databaseUrl: string, settings: Record<string, string> = {}) {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const listenPort = await findFreePorts();
  const folder = makeTemporaryFolder();
  const file = join(folder, 'pgbouncer.ini');
  const options = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 4,
    max_client_conn: 200,
    ...settings,
  };
  const account = `user=${username} ${password && `password=${decodeURIComponent(password)}`}`;
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${port || 5432} dbname=${name} ${account}`,
    '[pgbouncer]',
    ...Object.entries(options).map(([key, value]) => `${key} = ${value}`),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  chmodSync(file, 0o644);
  // PgBouncer refuses to run as root.
  const child = spawn(PGBOUNCER ?? '', [...(IS_ROOT ? ['-u', 'nobody'] : []), file], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  while (!(await isListening(listenPort))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`);
  }
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${listenPort}`;
  return {
    url: url.href,
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
