import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { compile } from './compile.ts';

/** Storage compiled to JavaScript, for child processes. */
export function compileStorage(): CompiledStorage {
  const { file, remove } = compile('test/support/storage-of-processes.ts');
  const command = (body: string): [string, ...string[]] => {
    const imports = `import { openDatabase, parseKeyRing } from '${pathToFileURL(file).href}';`;
    return [process.execPath, '--input-type=module', '-e', `${imports}\n${body}`];
  };
  return {
    run: (body) => {
      const [program, ...args] = command(body);
      return spawn(program, args, { stdio: 'pipe' });
    },
    command,
    remove,
  };
}

/** The lines of a child process as they arrive: it prints when it is ready, so that no test has to poll. */
export async function* linesOf({ stdout }: ChildProcess): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stdout ?? []) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

export interface CompiledStorage {
  /** A process in which `openDatabase` and `parseKeyRing` are defined. */
  run(body: string): ChildProcess;
  /** The same as a command line, for another program to run. */
  command(body: string): [string, ...string[]];
  remove(): void;
}
