import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'vitest';
import { linesOf } from './compiled-storage.ts';

/**
 * Starts a compiled script (`compile`) with its setup as JSON, and waits until it prints `ready`. The process is added
 * to `children`, which the test kills at its end.
 */
export async function startReplica(
  file: string,
  setup: object,
  children: ChildProcess[],
): Promise<Replica> {
  const child = spawn(process.execPath, [file, JSON.stringify(setup)]);
  children.push(child);
  const lines = linesOf(child);
  expect((await lines.next()).value).toBe('ready');
  return {
    child,
    run: () => void child.stdin?.write('go\n'),
    outcome: async () => JSON.parse((await lines.next()).value ?? 'null'),
  };
}

export interface Replica {
  readonly child: ChildProcess;
  /** Makes the script do its work once. */
  run(): void;
  /** The JSON that it prints after its work. */
  outcome(): Promise<unknown>;
}
