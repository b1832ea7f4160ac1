import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './paths.ts';
import type { Call } from './worker.ts';

/** Another bench process: its ready message, and its calls. */
export async function startProcess<Ready>(options: ProcessOptions): Promise<BenchProcess<Ready>> {
  const child = spawnOn(options);
  const waiting = new Map<number, Waiter>();
  let serial = 0;
  const ready = new Promise<Ready>((resolve, reject) => {
    child.once('exit', (code) => {
      const error = new Error(`${options.script} ended with ${code}.`);
      reject(error);
      for (const waiter of waiting.values()) waiter.reject(error);
    });
    child.on('message', (message: Message<Ready>) => {
      if ('ready' in message) return resolve(message.ready);
      const waiter = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error === undefined) waiter?.resolve(message.value);
      else waiter?.reject(new Error(message.error));
    });
  });
  return {
    ready: await ready,
    pid: child.pid ?? 0,
    call<Value>(name: string, input?: unknown) {
      return new Promise<Value>((resolve, reject) => {
        serial += 1;
        waiting.set(serial, { resolve: resolve as Waiter['resolve'], reject });
        child.send({ id: serial, name, input } satisfies Call);
      });
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** The measured process gets a CPU core of its own if possible; everything else shares the others. */
function spawnOn(options: ProcessOptions): ChildProcess {
  const {
    script,
    args = [],
    env = {},
    node,
    core,
    log,
    flags = [],
    engineFlags = FLAGS_OF_ALL,
  } = options;
  const out = openSync(log ?? '/dev/null', 'a');
  const command = [node, ...engineFlags, ...flags, script, ...args];
  const pinned = core === undefined || availableParallelism() < 2 ? command : pin(core, command);
  const [file = node, ...rest] = pinned;
  const { PATH } = process.env;
  const child = spawn(file, rest, {
    env: { PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', out, 'inherit', 'ipc'],
  });
  closeSync(out);
  return child;
}

/** Crossbook's V8 flags, from which every contender benefits. */
export const FLAGS_OF_ALL = JSON.parse(
  readFileSync(join(ROOT, 'build/node-flags.json'), 'utf8'),
) as readonly string[];

function pin(core: Core, command: readonly string[]): readonly string[] {
  if (process.platform !== 'linux') return command;
  return ['taskset', '-c', toCpuList(core), ...command];
}

export function toCpuList(core: Core): string {
  return core === 'first' ? '0' : `1-${availableParallelism() - 1}`;
}

export type Core = 'first' | 'others';

export interface BenchProcess<Ready> {
  readonly ready: Ready;
  readonly pid: number;
  call<Value>(name: string, input?: unknown): Promise<Value>;
  stop(): Promise<void>;
}

export interface ProcessOptions {
  readonly script: string;
  readonly node: string;
  readonly args?: readonly string[];
  /** Beside the V8 flags. */
  readonly flags?: readonly string[];
  /** In place of Crossbook's. */
  readonly engineFlags?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly core?: Core | undefined;
  /** The file for its standard output; discarded by default. */
  readonly log?: string | undefined;
}

type Message<Ready> =
  | { readonly ready: Ready }
  | { readonly id: number; readonly value?: unknown; readonly error?: string };

interface Waiter {
  resolve(value: unknown): void;
  reject(error: Error): void;
}
