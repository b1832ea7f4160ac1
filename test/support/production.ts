import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEmptyDatabase } from './databases.ts';
import './process-sources.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const execute = promisify(execFile);
/** Blocks the network access to providers. */
export const OFFLINE = `--import=data:text/javascript,globalThis.fetch=()=>Promise.reject(Error('offline'))`;

/** A directory and an empty PostgreSQL, in which the commands of the documents and of the image are run. */
export async function openProduction(): Promise<Production> {
  const root = makeTemporaryFolder();
  const database = await createEmptyDatabase();
  const children: ChildProcess[] = [];
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    NODE_OPTIONS: OFFLINE,
    DATABASE_URL: database.url,
    PORT: '0',
    CROSSBOOK_DATA: join(root, 'data'),
  };
  return {
    root,
    async run(script, { cwd, env: more }) {
      return (await execute('sh', ['-e', '-c', script], { cwd, env: { ...env, ...more } })).stdout;
    },
    start(script, { cwd, env: more }) {
      const child = spawn('sh', ['-c', `exec ${script}`], { cwd, env: { ...env, ...more } });
      children.push(child);
      return readAddress(child);
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      await database.drop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A clean clone: the tracked files, in their current state. */
export async function copyTracked(folder: string): Promise<void> {
  const { stdout } = await execute('git', ['ls-files', '-z']);
  for (const path of stdout.split('\0').filter(Boolean)) cpSync(path, join(folder, path));
}

function readAddress(child: ChildProcess): Promise<string> {
  let printed = '';
  // The output must be read to the end: closing the pipe would kill the process at its next line.
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text) => {
        printed += text;
        const url = /ready at (\S+)\s/.exec(printed)?.[1];
        if (url !== undefined) resolve(url);
      });
    }
    child.once('error', reject);
    child.once('close', () => reject(new Error(`It ended: ${printed}`)));
  });
}

export interface Production {
  readonly root: string;
  /** Resolves to the output; rejects if a command fails. */
  run(script: string, options: In): Promise<string>;
  /** Resolves to the listening URL. The process is stopped with the tests. */
  start(script: string, options: In): Promise<string>;
  close(): Promise<void>;
}

interface In {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}
