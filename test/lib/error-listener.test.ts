import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withErrorListener } from '../../src/lib/error-listener.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What a module constructs that emits `error`. Undici's dispatchers emit none. */
const CONSTRUCTORS: Readonly<Record<string, RegExp>> = {
  'node:net': /^(connect|createConnection|createServer|Socket|Server|default)$/,
  'node:tls': /^(connect|createServer|TLSSocket|Server|default)$/,
  'node:http': /^(createServer|request|get|Server|Agent|default)$/,
  'node:https': /^(createServer|request|get|Server|Agent|default)$/,
  'node:http2': /^(connect|createServer|createSecureServer|default)$/,
  'node:dgram': /^(createSocket|default)$/,
  'node:child_process': /^(spawn|fork|exec|execFile|default)$/,
  'node:cluster': /^default$/,
  'node:worker_threads': /^(Worker|default)$/,
  'node:fs': /^(createReadStream|createWriteStream|watch|default)$/,
  'node:zlib': /^create/,
  'node:stream': /^(Duplex|Writable|Transform|PassThrough|default)$/,
  pg: /^(Client|Pool|default)$/,
  ioredis: /^(Redis|Cluster|default)$/,
};
/** Of a default import, such as `pg.Pool`. */
const MEMBERS = '\\.(?:Client|Pool|Connection|connect|create\\w+|fork|spawn|Socket|Server)';

const sources = [
  'src',
  'packages/child-postgres/src',
  'packages/sandbox/src',
  'packages/executor/src',
]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  )
  .map((file) => ({ file, code: readFileSync(join(ROOT, file), 'utf8') }));
/** Classes that attach the listener by themselves, or are constructed like what they extend. */
const classes = sources.flatMap(({ file, code }) => listClasses(file, code));
const careful = new Set(classes.filter(({ isCareful }) => isCareful).map(({ name }) => name));

test('whatever emits errors has a listener for them from its construction', () => {
  const found = sources.flatMap(({ file, code }) => findConstructions(file, code));
  expect(found.filter(({ isCareful }) => isCareful).length).toBeGreaterThan(20);
  expect(found.filter(({ isCareful }) => !isCareful).map(({ where }) => where)).toEqual([]);
});

test('the rule finds constructions without a listener', () => {
  const imports = `import { createServer, connect as open } from 'node:net';\nimport pg from 'pg';\n`;
  const find = (line: string) =>
    findConstructions('x.ts', imports + line).map(({ isCareful }) => isCareful);
  expect(find('const server = createServer();')).toEqual([false]);
  expect(find('const socket = open(1);')).toEqual([false]);
  expect(find('const pool = new pg.Pool({});')).toEqual([false]);
  expect(find('class Own extends pg.Client {}\nnew Own();')).toEqual([false]);
  expect(find('new DatabaseClient();')).toEqual([]);
  expect(find('const server = withErrorListener(\n  createServer(),\n);')).toEqual([true]);
});

test('an error of an emitter with a listener is passed to it, and ends nothing', () => {
  const errors: Error[] = [];
  const emitter = withErrorListener(new EventEmitter(), (error) => errors.push(error));
  const error = new Error('an outage');
  emitter.emit('error', error);
  withErrorListener(new EventEmitter()).emit('error', error);
  expect(errors).toEqual([error]);
});

function findConstructions(file: string, code: string) {
  const own = [...classes, ...listClasses(file, code)].filter(({ name }) => !careful.has(name));
  const names = [...listConstructors(code), ...own.map(({ name }) => `new ${name}`)];
  if (names.length === 0) return [];
  const call = new RegExp(`(withErrorListener\\(\\s*)?(?<![\\w.])(?:${names.join('|')})\\(`, 'g');
  return [...code.matchAll(call)]
    .filter(({ index }) => !/function $/.test(code.slice(0, index)))
    .map(({ index, 0: text, 1: listener }) => ({
      where: `${file}:${code.slice(0, index).split('\n').length}: ${text}`,
      isCareful: listener !== undefined,
    }));
}

/** By the names that a file imports. */
function listConstructors(code: string): readonly string[] {
  const imports = [...code.matchAll(/^import (?!type )([^;]+?) from '([^']+)';/gm)];
  return imports.flatMap(([, names = '', module = '']) => {
    const pattern = CONSTRUCTORS[module];
    if (!pattern) return [];
    const [, whole] = /^(\w+)/.exec(names) ?? [];
    const listed = (/\{([^}]*)\}/.exec(names)?.[1] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .filter((name) => pattern.test(name.split(' as ')[0] ?? ''))
      .map((name) => `(?:new )?${name.split(' as ').at(-1)}`);
    return whole ? [...listed, `(?:new )?${whole}${MEMBERS}`] : listed;
  });
}

/** Those that extend an emitter. */
function listClasses(file: string, code: string) {
  const bases = listConstructors(code).map((name) => name.replace('(?:new )?', ''));
  const known = ['DatabaseClient', 'EventEmitter', ...bases].join('|');
  const found = code.matchAll(new RegExp(`class (\\w+) extends (${known})\\b[^{]*\\{`, 'g'));
  return [...found].map(({ index, 1: name = '', 2: base = '' }) => {
    const body = code.slice(index, code.indexOf('\n}', index));
    const attaches = /(?:withErrorListener|containFaults)\(this\)/.test(body);
    return { file, name, isCareful: attaches || base === 'DatabaseClient' };
  });
}
