import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../support/databases.ts';
import { readSamples } from '../support/documents.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { linkPackages } from '../support/link-packages.ts';
import { canReachRegistry } from '../support/machine.ts';
import { copyTracked } from '../support/production.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import '../support/process-sources.ts';

const execute = promisify(execFile);
const DOCUMENT = 'docs/embedding.md';
const SAMPLES = readSamples().filter(({ path }) => path === DOCUMENT);
const [INSTALL = ''] = SAMPLES.flatMap(({ language, code }) => (language === 'sh' ? [code] : []));
const { devDependencies: installed } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>;
};
const PEERS = ['graphql', 'graphql-yoga'].map((name) => `${name}@${installed[name]}`);
/** What the samples and `plugins.mjs` use, as tried. */
const OTHERS = [
  'fastify@5.12.8',
  '@envelop/core@5.6.1',
  '@envelop/opentelemetry@9.2.1',
  '@envelop/response-cache@9.3.1',
  '@escape.tech/graphql-armor-max-depth@2.4.2',
  '@graphql-hive/envelop@0.40.12',
  '@graphql-hive/yoga@0.49.6',
  '@graphql-yoga/plugin-apollo-usage-report@0.16.3',
  '@graphql-yoga/plugin-jwt@3.18.1',
  '@graphql-yoga/plugin-response-cache@3.26.1',
  `@types/node@${installed['@types/node']}`,
];
const TSC = join(process.cwd(), 'node_modules/typescript/bin/tsc');

describe.skipIf(!canReachRegistry())('The package, installed with its peers and plugins', () => {
  const folder = makeTemporaryFolder();
  const project = join(folder, 'project');
  let database: TestDatabase;
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    const clone = join(folder, 'crossbook');
    await copyTracked(clone);
    linkPackages(clone);
    await execute('npm', ['run', 'packages'], { cwd: clone });
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }\n');
    // The versions that are tested, so that a release of another project fails nothing here.
    const install = INSTALL.replace('graphql@16 graphql-yoga@5', PEERS.join(' '));
    expect(install).not.toBe(INSTALL);
    await execute('sh', ['-c', `${install.trim()} ${OTHERS.join(' ')}`], {
      cwd: project,
      env: { ...process.env, npm_config_prefer_offline: 'true' },
    });
    cpSync('test/embedding/plugins.mjs', join(project, 'plugins.mjs'));
    database = await createEmptyDatabase();
  });
  afterEach(() => child?.kill('SIGKILL'));
  afterAll(async () => {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('has one copy of graphql', () => {
    const modules = readdirSync(join(project, 'node_modules'), { recursive: true });
    const copies = modules.filter((path) =>
      /(?:^|node_modules\/)graphql\/package\.json$/.test(`${path}`),
    );
    expect(copies).toEqual(['graphql/package.json']);
    const bundled = readdirSync(join(project, 'node_modules/crossbook/dist/library'))
      .filter((name) => name.endsWith('.js'))
      .map((name) =>
        readFileSync(join(project, 'node_modules/crossbook/dist/library', name), 'utf8'),
      );
    expect(bundled.filter((code) => /class GraphQLSchema\b/.test(code))).toEqual([]);
  });

  test.each([
    ['bundler', 'esnext'],
    ['node16', 'node16'],
  ])(
    'has types that compile under moduleResolution %s, with every check',
    async (resolution, module) => {
      writeFileSync(join(project, 'user.ts'), USER);
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
      expect(
        await compile('user.ts', [...strict, '--module', module, '--moduleResolution', resolution]),
      ).toBe('');
    },
  );

  test.each(SAMPLES.filter(({ language }) => language !== 'sh'))(
    'the sample of $path:$line compiles',
    async ({ code, line }) => {
      writeFileSync(join(project, `sample-${line}.ts`), code);
      const options = ['--strict', '--module', 'node16', '--skipLibCheck'];
      expect(await compile(`sample-${line}.ts`, options)).toBe('');
    },
  );

  test('the sample of a Node server serves its own path and Crossbook’s, and ends on SIGTERM', async () => {
    await runServer(findSample("request.url === '/hello'"));
  });

  test('the sample of Fastify serves its own path and Crossbook’s, and ends on SIGTERM', async () => {
    await runServer(findSample("from 'fastify'"));
  });

  test('the sample of a test passes, with the embedded database', async () => {
    writeFileSync(join(project, 'sample.test.mjs'), findSample("from 'node:test'"));
    const { stdout } = await execute(
      process.execPath,
      ['--test', '--test-reporter=tap', 'sample.test.mjs'],
      {
        cwd: project,
        env: { PATH: process.env['PATH'] },
      },
    );
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  test('the sample of plugins limits the depth', async () => {
    const sample = findSample('maxDepthPlugin');
    const shallow = sample.replace('n: 10', 'n: 1');
    expect(shallow).not.toBe(sample);
    const { ask, stop } = await startSample(shallow);
    // What an unauthenticated client may read.
    expect(await ask('{ _service { sdl } }')).toMatchObject({
      errors: [{ message: expect.stringMatching(/depth limit of 1 exceeded/i) }],
    });
    expect(await ask('{ __typename }')).toEqual({ data: { __typename: 'Query' } });
    await stop();
  });

  describe('a plugin works, or is rejected at the start with its hook', () => {
    let observed: Readonly<Record<string, unknown>>;
    beforeAll(async () => {
      const { stdout } = await execute(process.execPath, ['plugins.mjs'], {
        cwd: project,
        env: settings(),
      });
      observed = JSON.parse(stdout);
    });

    test.each<readonly [plugin: string, expected: unknown]>([
      ['useHive of Envelop', ['FindAda']],
      ['useHive of Yoga', rejected('onResultProcess')],
      ['useApolloUsageReport', rejected('onRequest')],
      [
        'useResponseCache of Envelop',
        {
          first: ['Demo customer', false],
          again: ['Demo customer', true],
          second: ['Second customer', false],
          other: ['Customer of another application', false],
          unauthenticated: ['UNAUTHORIZED', false],
        },
      ],
      ['useResponseCache of Yoga', rejected('onRequest')],
      ['useJWT', rejected('onRequestParse')],
      [
        'maxDepthPlugin',
        {
          within: { customer: { name: 'Demo customer' } },
          beyond: [expect.stringMatching(/depth limit of 3 exceeded/i)],
        },
      ],
      ['useOpenTelemetry', ['query.FindAda']],
      [
        'useOpenTelemetry of resolvers',
        expect.stringMatching(/^The plugin plugin wraps resolvers in onSchemaChange/),
      ],
    ])('%s', (plugin, expected) => {
      expect(observed[plugin]).toEqual(expected);
    });
  });

  /** Starts the sample, requests its own path and one of Crossbook, and stops it. */
  async function runServer(code: string): Promise<void> {
    const { url, ask, stop } = await startSample(code);
    expect(await (await fetch(`${url}/hello`)).text()).toBe('Hello');
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ ok: true });
    expect(await (await fetch(`${url}/nowhere`)).json()).toMatchObject({
      errors: [{ code: 'NOT_FOUND' }],
    });
    expect(await ask('{ __typename }')).toEqual({ data: { __typename: 'Query' } });
    await stop();
  }

  async function startSample(code: string) {
    const port = await findFreePorts();
    const here = code.replace('4000', String(port));
    expect(here).not.toBe(code);
    writeFileSync(join(project, 'sample.mjs'), transformSync(here, { loader: 'ts' }).code);
    const started = spawn(process.execPath, ['sample.mjs'], {
      cwd: project,
      env: { ...settings() },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child = started;
    const url = `http://127.0.0.1:${port}`;
    await expect
      .poll(() =>
        fetch(`${url}/livez`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true);
    return {
      url,
      async ask(query: string): Promise<unknown> {
        const response = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        });
        return response.json();
      },
      /** It ends by itself: nothing is left that keeps it alive. */
      async stop(): Promise<void> {
        started.kill('SIGTERM');
        expect(await once(started, 'exit')).toEqual([0, null]);
      },
    };
  }

  /** The compiler's output. */
  async function compile(file: string, options: readonly string[]): Promise<string> {
    const types = [
      '--noEmit',
      '--ignoreConfig',
      '--target',
      'es2022',
      '--lib',
      'es2022',
      '--types',
      'node',
    ];
    const command = [TSC, ...options, ...types, file];
    return execute(process.execPath, command, { cwd: project }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
  }

  function settings(): Record<string, string | undefined> {
    return {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      CROSSBOOK_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      CROSSBOOK_DATA: join(folder, 'data'),
    };
  }
});

test(`${DOCUMENT} lists the plugins that are tried`, () => {
  const [, section = ''] = readFileSync(DOCUMENT, 'utf8').split('## Plugins that were tried');
  const rows = [...section.matchAll(/^\| `.+?` \| `(.+?)` \|/gm)].map(([, name]) => name);
  const tried = OTHERS.map((one) => one.replace(/(?<=.)@.*/, ''));
  const others = ['fastify', '@envelop/core', '@types/node'];
  expect([...new Set(rows)].sort()).toEqual(tried.filter((name) => !others.includes(name)).sort());
});

function rejected(hook: string): unknown {
  return expect.stringMatching(
    new RegExp(`^The plugin plugin relies on ${hook}, which is not supported`),
  );
}

function findSample(words: string): string {
  const [only, another] = SAMPLES.filter(({ code }) => code.includes(words));
  if (!only || another) throw new Error(`${DOCUMENT} has not one sample with ${words}.`);
  return only.code;
}

const USER = `
import { createServer } from 'node:http';
import { parse, type TypedQueryDocumentNode } from 'graphql';
import { type Caller, type Crossbook, type CrossbookOptions, createCrossbook, type PluginContext } from 'crossbook';

const findApplication = ({ caller, request }: PluginContext): string | undefined =>
  caller?.application.name ?? request.headers.get('x-client') ?? undefined;
const options: CrossbookOptions = {
  settings: process.env,
  plugins: { own: { onExecute() {} } },
  logger: { info() {}, warn() {}, error() {} },
  clock: { now: () => 0, wall: () => 0, schedule: () => () => {} },
};
const crossbook: Crossbook = await createCrossbook(options);
const server = createServer(crossbook.handle);
const key: string | undefined = crossbook.demo?.apiKey;
const caller: Caller = { application: { id: '1', name: 'One' }, credentialId: '2' };
// @ts-expect-error there is no such option
await createCrossbook({ setings: {} });
// @ts-expect-error settings are strings
await createCrossbook({ settings: { PORT: 1 } });
// @ts-expect-error plugins have names
await createCrossbook({ plugins: [] });
const NAME = parse('query ($id: ID!) { customer(id: $id) { name } }') as TypedQueryDocumentNode<{ customer: { name: string } | null }, { id: string }>;
const { data, errors } = await crossbook.execute({ document: NAME, variables: { id: 'acme' }, headers: { 'x-api-key': key } });
const found: string | undefined = data?.customer?.name ?? errors?.[0]?.message;
// @ts-expect-error a variable is required
await crossbook.execute({ document: NAME });
// @ts-expect-error it is a string
await crossbook.execute({ document: NAME, variables: { id: 1 } });
// @ts-expect-error an operation is text or a document
await crossbook.execute({ query: '{ __typename }', document: NAME });
const text = await crossbook.execute({ query: '{ __typename }' });
console.log(found, text.data?.['__typename']);
await crossbook.close();
server.close();
console.log(key, caller, findApplication({ caller, request: new Request('http://localhost/') }));
`;
