import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { compile } from './compile.ts';

/** Storage as JavaScript, for processes of its own. */
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

/** Lines as they come: a child says so when it is ready, so that nobody has to wait and hope. */
export async function* linesOf({ stdout }: ChildProcess): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stdout ?? []) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

export interface CompiledStorage {
  /** A process that has `openDatabase` and `parseKeyRing`. */
  run(body: string): ChildProcess;
  /** The same as a command line, for a program that runs it in its own way. */
  command(body: string): [string, ...string[]];
  remove(): void;
}
