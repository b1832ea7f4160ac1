import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Storage as JavaScript, for processes of its own: Node 20 runs no TypeScript. Inside the project, for its packages. */
export function compileStorage(): CompiledStorage {
  const folder = join(ROOT, 'test-results', `storage-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const project = {
    extends: '../../tsconfig.build.json',
    compilerOptions: { outDir: 'dist', rootDir: '../../src', sourceMap: false },
    include: [],
    files: ['../../src/storage/database.ts', '../../src/storage/sealing/key-ring.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  const url = (file: string) => pathToFileURL(join(folder, 'dist/storage', file)).href;
  return {
    run: (body) => {
      const imports = `import { openDatabase } from '${url('database.js')}';
import { parseKeyRing } from '${url('sealing/key-ring.js')}';`;
      return spawn(process.execPath, ['--input-type=module', '-e', `${imports}\n${body}`], { stdio: 'pipe' });
    },
    remove: () => rmSync(folder, { recursive: true }),
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

const ROOT = join(import.meta.dirname, '../..');

export interface CompiledStorage {
  /** A process that has `openDatabase` and `parseKeyRing`. */
  run(body: string): ChildProcess;
  remove(): void;
}
