import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConcreteRequest, ReaderFragment } from 'relay-runtime';

const ROOT = join(import.meta.dirname, '../../..');
const CONFIG = {
  src: './src',
  schema: './schema.graphql',
  language: 'javascript',
  eagerEsModules: false,
  artifactDirectory: './compiled',
  persistConfig: { file: './operations.json', algorithm: 'SHA256' },
};

/** Runs Relay's compiler on this source against schema.graphql, in a temporary directory. The names in it begin with that of its module. */
export function compileRelay(source: string, module = 'app'): CompiledRelay {
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-relay-'));
  for (const name of ['src', 'compiled']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, `src/${module}.js`), source);
  writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(CONFIG));
  const manifest = join(folder, 'operations.json');
  writeFileSync(manifest, '{}');
  copyFileSync(join(ROOT, 'schema.graphql'), join(folder, 'schema.graphql'));
  const compiler = join(import.meta.dirname, '../node_modules/relay-compiler/cli.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, 'relay.config.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const require = createRequire(join(folder, 'compiled/'));
  return {
    status,
    output: stdout + stderr,
    manifest,
    load: (name) => require(`./${name}.graphql`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export interface CompiledRelay {
  readonly status: number | null;
  readonly output: string;
  /** The manifest of all operations by their SHA-256. */
  readonly manifest: string;
  load<Artifact extends ConcreteRequest | ReaderFragment>(name: string): Artifact;
  remove(): void;
}
