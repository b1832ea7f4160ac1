import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import pg from 'pg';

const ROOT = process.cwd();

/**
 * The statements that are constants of the files of `src/storage`, with what they are composed of. Each file is bundled
 * with an export of all its constants.
 */
export async function listStatements(root = ROOT): Promise<readonly NamedStatement[]> {
  const storage = join(root, 'src/storage');
  const files = readdirSync(storage).filter((name) => /^[a-z-]+\.ts$/.test(name));
  // Inside the project, so that packages resolve.
  const folder = join(ROOT, 'test-results', `statements-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'statements.mjs');
  await build({
    absWorkingDir: ROOT,
    stdin: {
      contents: files.map((name, index) => `export * as f${index} from './${name}';`).join('\n'),
      resolveDir: storage,
    },
    outfile,
    bundle: true,
    external: await listInstalled(),
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'export constants',
        setup: ({ onLoad }) =>
          onLoad({ filter: /src\/storage\/[a-z-]+\.ts$/ }, ({ path }) => {
            const source = readFileSync(path, 'utf8');
            const names = [...source.matchAll(/^(?:export )?const ([A-Z][A-Z_]*)\b/gm)];
            const constants = names.map(([, name]) => name).join(', ');
            const all = `export const allConstants = () => ({ ${constants} });`;
            return { contents: `${source}\n${all}`, loader: 'ts' };
          }),
      },
    ],
  });
  const modules: Record<string, { allConstants(): object }> = await import(
    pathToFileURL(outfile).href
  );
  rmSync(folder, { recursive: true });
  return Object.values(modules).flatMap(({ allConstants }) =>
    Object.entries(allConstants()).flatMap(([name, value]) => toStatements(name, value)),
  );
}

function toStatements(name: string, value: unknown): readonly NamedStatement[] {
  if (typeof value === 'string' && STATEMENT.test(value))
    return [{ name: name.toLowerCase(), text: value }];
  const isPlain = value instanceof Object && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return [];
  if ('name' in value && 'text' in value) return [value as NamedStatement];
  return Object.entries(value).flatMap(([key, part]) => toStatements(key, part));
}

const STATEMENT = /^\s*(with|select|insert|update|delete)\b/;

/** What is not bundled. By its path, because scripts that are compiled elsewhere use this too. */
async function listInstalled(): Promise<string[]> {
  const { INSTALLED } = await import(pathToFileURL(join(ROOT, 'build/installed.mjs')).href);
  return INSTALLED;
}

/** Records what the driver sends while the work runs: each text once, with its first values. */
export async function recordStatements(
  work: () => Promise<unknown>,
): Promise<readonly SentStatement[]> {
  const sent = new Map<string, SentStatement>();
  const { query } = pg.Client.prototype;
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has fifteen overloads.
  pg.Client.prototype.query = function record(this: pg.Client, ...given: any[]): any {
    const [statement, values] = given;
    const text: string = typeof statement === 'string' ? statement : statement.text;
    if (!sent.has(text)) sent.set(text, { text, values: statement.values ?? values ?? [] });
    return Reflect.apply(query, this, given);
  };
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return [...sent.values()];
}

export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}
