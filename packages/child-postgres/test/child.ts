import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import pg from 'pg';
import { startServer } from '../src/index.ts';

/** The single value of a query. */
export async function ask(url: string, text: string): Promise<string> {
  const client = await connect(url);
  try {
    return String(Object.values((await client.query(text)).rows[0])[0]);
  } finally {
    await client.end();
  }
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => undefined); // the query that is under way rejects with it
  await client.connect();
  return client;
}

/** The names of the databases that tests have created in the data directory, after a start. */
export async function readDatabases(directory: string): Promise<string> {
  const server = await startServer({ directory });
  try {
    return await ask(server.url, LIST);
  } finally {
    await server.close();
  }
}

const LIST = `select coalesce(string_agg(datname, ',' order by datname), '') from pg_database
  where datname not in ('postgres', 'template0', 'template1')`;

/** Compiles the package for child processes, because Node 20 cannot run TypeScript. */
export function compileServer(): CompiledServer {
  // Inside the project, so that the packages with PostgreSQL's programs resolve; readable for other users.
  serial += 1;
  const results = join(import.meta.dirname, '../../../test-results');
  const folder = join(results, `child-postgres-${process.pid}-${serial}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'index.mjs');
  const entryPoints = [join(import.meta.dirname, '../src/index.ts')];
  buildSync({ entryPoints, outfile: file, bundle: true, format: 'esm', platform: 'node' });
  const command = (body: string): [string, ...string[]] => {
    const script = `import { startServer } from '${pathToFileURL(file).href}';\n${body}`;
    return [process.execPath, '--input-type=module', '-e', script];
  };
  return {
    command,
    run(body) {
      const [program, ...args] = command(body);
      return spawn(program, args, { stdio: 'pipe' });
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

let serial = 0;

export interface CompiledServer {
  /** A process in which `startServer` is defined. */
  run(body: string): ChildProcess;
  /** The same as a command line, for another program to run. */
  command(body: string): [string, ...string[]];
  remove(): void;
}
