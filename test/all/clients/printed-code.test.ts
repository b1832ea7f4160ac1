import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSamples } from '../../support/documents.ts';
import '../../support/process-sources.ts';

const execute = promisify(execFile);
const ROOT = process.cwd();
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const TYPES = ['@types/react', '@types/react-relay', '@types/relay-runtime'];
const OPTIONS = [
  '--strict',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--target',
  'es2022',
];
/** The samples of the workspaces, those that embed the server, and the tutorial are compiled and run by their own tests. */
const code = readSamples().filter(
  ({ language, path }) =>
    ['ts', 'js', 'tsx'].includes(language) &&
    !path.startsWith('packages/') &&
    !['docs/embedding.md', 'docs/tutorial.md'].includes(path),
);
const documents = [...new Set(code.map(({ path }) => path))];
let folder: string;

/** What the samples assume: a server, a page, and settings. */
const AROUND = `
declare const process: { readonly env: Readonly<Record<string, string>> };
declare const connect_link_id: string;
declare const code: string;
declare const button: HTMLButtonElement;
declare function post(path: string, body?: object): Promise<{ id: string; url: string }>;
declare const client: { connectLink(id: string): Promise<{ status: string }> };
declare const express: { raw(options: { type: string }): unknown };
declare const app: { post(path: string, parse: unknown, handle: (request: Received, response: Answer, next: (error: unknown) => void) => unknown): void };
interface Received { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> }
interface Answer { sendStatus(status: number): void }
declare function store(event: { readonly id: string; readonly type: string }): Promise<void>;
declare module '@graphql-hive/gateway' {
  import type { GatewayConfig } from '@graphql-hive/gateway-runtime';
  export function defineConfig(config: GatewayConfig): GatewayConfig;
}
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossbook-printed-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'dist/client'), join(folder, 'node_modules/crossbook-client'));
  for (const name of ['@graphql-codegen', '@modelcontextprotocol', '@types/node'])
    link('node_modules', name);
  for (const name of ['@graphql-hive', '@apollo', '@urql', ...TYPES])
    link('test/all/node_modules', name);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'around.d.ts'), AROUND);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('several documents contain code', () => {
  expect(documents.length).toBeGreaterThan(2);
});

test.each(documents)(
  'the code of %s type-checks against the client and the gateway',
  async (path) => {
    // Code blocks of one document continue each other, but a block that names its file is a file of its own.
    const blocks = code.filter((one) => one.path === path).map((one) => one.code);
    const isFile = (block: string) => /^\/\/ \S+\.ts\n/.test(block);
    const together = blocks.filter((block) => !isFile(block)).join('\n');
    const files = [together, ...blocks.filter(isFile)].map((text, index) => {
      const name = `sample-${index}.ts`;
      writeFileSync(join(folder, name), `${withoutRepeatedImports(text)}\nexport {};\n`);
      return name;
    });
    const types = ['--lib', 'es2022,dom', '--types', '', '--skipLibCheck', '--noEmit'];
    const { stdout } = await execute(
      process.execPath,
      [TSC, ...OPTIONS, ...types, 'around.d.ts', ...files],
      {
        cwd: folder,
      },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  },
);

/** Blocks that continue each other may each import what they use. */
function link(from: string, name: string): void {
  const place = join(folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(ROOT, from, name), place);
}

function withoutRepeatedImports(text: string): string {
  const seen = new Set<string>();
  return text.replaceAll(
    /^import (type )?\{([^}]*)\} from ('[^']+');$/gm,
    (_, type, names, from) => {
      const listed: string[] = names.split(',').map((name: string) => name.trim());
      const fresh = listed.filter((name) => name !== '' && !seen.has(name));
      for (const name of fresh) seen.add(name);
      return `import ${type ?? ''}{ ${fresh.join(', ')} } from ${from};`;
    },
  );
}
