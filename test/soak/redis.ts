import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePorts } from '../support/free-ports.ts';
import { isListening } from '../support/is-listening.ts';

/** A Redis without persistence; undefined if Redis is not installed. */
export async function openRedis(): Promise<SoakRedis | undefined> {
  if (spawnSync('redis-server', ['--version']).error) return undefined;
  const port = String(await findFreePorts());
  const settings = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  let server: ChildProcess;
  const redis: SoakRedis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      server = spawn('redis-server', settings, { stdio: 'ignore' });
      while (!(await isListening(Number(port)))) await wait(50);
    },
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
  };
  await redis.start();
  return redis;
}

export interface SoakRedis {
  readonly url: string;
  start(): Promise<void>;
  /** Kills it: commands in flight get no reply. */
  stop(): Promise<void>;
  /** Clients get no reply. */
  freeze(): void;
  thaw(): void;
}
