import { rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll } from 'vitest';
import { runCommand } from '../../src/cli/run.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A CLI command as a shell would run it, in this process. */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const written = { stdout: [] as string[], stderr: [] as string[] };
  const code = await runCommand({
    args,
    env: options.env ?? {},
    stdin: Readable.from(options.input === undefined ? [] : [options.input]),
    stdout: { write: (text) => written.stdout.push(text) },
    stderr: { write: (text) => written.stderr.push(text) },
    fetch: options.fetch ?? (() => Promise.reject(new Error('offline'))),
    ...(options.now && { now: options.now }),
  });
  const [stdout, stderr] = [written.stdout.join(''), written.stderr.join('')];
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** An installation of its own for the tests of a file, with the application Acme. */
export function useInstallation() {
  let root = '';
  let env: Record<string, string> = {};
  const run = (line: string, input?: string) =>
    runCli(line.split(' '), { env, ...(input !== undefined && { input }) });

  beforeAll(async () => {
    root = makeTemporaryFolder();
    const key = Buffer.alloc(32, 'k1').toString('base64');
    env = { CROSSBOOK_DATA: root, CROSSBOOK_KEYS: `k1:${key}` };
    await run('apps create Acme');
  });
  afterAll(() => rmSync(root, { recursive: true }));
  return { run, findRoot: () => root };
}

interface CliOptions {
  /** The standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The fetch function. Absent: no network access. */
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
}

interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: every command prints something else
  json(): any;
}
