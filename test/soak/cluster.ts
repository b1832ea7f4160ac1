import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '../support/free-ports.ts';
import { listDescendants } from '../support/processes.ts';

/** A PostgreSQL server that can be stopped, frozen and killed; its data are on the given disk, if any. */
export async function openCluster(
  settings: Readonly<Record<string, string>>,
  disk?: string,
): Promise<Cluster> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-cluster-'));
  chmodSync(folder, 0o755);
  const home = disk ?? folder;
  if (IS_ROOT)
    for (const one of [folder, home])
      chownSync(one, Number(execFileSync('id', ['-u', 'postgres'])), 0);
  const data = join(home, 'data');
  const port = await findFreePorts();
  const run = (program: string, ...args: readonly string[]) => {
    const command = [join(programs, program), ...args];
    // PostgreSQL refuses to run as root.
    const [file = '', ...rest] = IS_ROOT
      ? ['runuser', '-u', 'postgres', '--', ...command]
      : command;
    execFileSync(file, rest, { stdio: 'ignore' });
  };
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8');
  const settingArgs = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const options = [`-p ${port}`, '-h 127.0.0.1', `-k ${folder}`, ...settingArgs].join(' ');
  const control = (...args: readonly string[]) =>
    run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, ...args);
  const pid = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const signalAll = (signal: NodeJS.Signals) => {
    // The postmaster first: while it runs, it starts processes that are not on the list.
    process.kill(pid(), signal);
    for (const one of listDescendants(pid())) process.kill(one, signal);
  };
  control('start');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: () => control('start'),
    stop: () => control('-m', 'fast', 'stop'),
    restart: () => control('-m', 'fast', 'restart'),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    isRunning: () => succeeds(() => control('status')),
    close() {
      succeeds(() => control('-m', 'immediate', 'stop'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function succeeds(run: () => void): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

function findPrograms(): string {
  const root = '/usr/lib/postgresql';
  const [version] = readdirSync(root);
  if (version === undefined) throw new Error(`There is no PostgreSQL in ${root}.`);
  return join(root, version, 'bin');
}

const IS_ROOT = process.getuid?.() === 0;

export interface Cluster {
  readonly url: string;
  start(): void;
  stop(): void;
  restart(): void;
  /** Stops all of its processes (SIGSTOP): clients get no response. */
  freeze(): void;
  thaw(): void;
  isRunning(): boolean;
  close(): void;
}
