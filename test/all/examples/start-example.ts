import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { findFreePorts } from '../../support/free-ports.ts';
import '../../support/process-sources.ts';
import { isListening } from '../../support/is-listening.ts';
import { isAlive, listDescendants } from '../../support/processes.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** Never called: makes a change of the example's code rerun its test. */
export const EXAMPLE_SOURCES = import.meta.glob('../../../examples/app/src/*.{ts,tsx}');

/** Starts the example app as its README says, in the clone; installs its packages where they are missing. */
export async function startExample(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Example> {
  const [sandboxPort, appPort, folder] = [
    await findFreePorts(),
    await findFreePorts(),
    makeTemporaryFolder(),
  ];
  const npm = spawn('npm', ['run', '--silent', 'example:app', '--', ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: folder,
      API_PORT: '0',
      APP_PORT: String(appPort),
      SANDBOX_PORT: String(sandboxPort),
      ...env,
    },
    // A process group of its own, like a shell gives to each job.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid = 0 } = npm;
  // A failed test leaves no process behind.
  process.once('exit', () => endGroup(pid));
  const ended = once(npm, 'exit');
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    npm.once('exit', () => reject(new Error(`It did not start:\n${printed}`)));
    for (const stream of [npm.stdout, npm.stderr])
      stream.on('data', (text: Buffer) => {
        printed += text;
        if (printed.includes('Ctrl-C ends')) resolve();
      });
  });
  return {
    url: /app is ready at (\S+)/.exec(printed)?.[1] ?? '',
    crossbookUrl: /Crossbook +at (\S+)/.exec(printed)?.[1] ?? '',
    async pressCtrlC() {
      const tree = [pid, ...listDescendants(pid)];
      process.kill(-pid, 'SIGINT');
      await ended;
      // Others may end a moment after npm.
      while (tree.some(isAlive)) await new Promise((resolve) => setImmediate(resolve));
      const ports = [appPort, sandboxPort, sandboxPort + 1];
      const left = {
        started: tree.length,
        ports: (await Promise.all(ports.map(isListening))).filter(Boolean),
        files: readdirSync(folder),
      };
      rmSync(folder, { recursive: true, force: true });
      return left;
    },
  };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}

export interface Example {
  readonly url: string;
  readonly crossbookUrl: string;
  /**
   * Sends SIGINT to the whole process group, as a terminal does, and waits until all processes have ended. Returns how
   * many there were, and what they have left.
   */
  pressCtrlC(): Promise<Left>;
}

interface Left {
  readonly started: number;
  readonly ports: readonly boolean[];
  readonly files: readonly string[];
}
