import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, type TypedQueryDocumentNode } from 'graphql';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  expectTypeOf,
  test,
} from 'vitest';
import { createCrossbook } from '../../src/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { compile } from '../support/compile.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('wrong options are rejected with a reason, before anything is opened', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(makeTemporaryFolder(), 'data');
    closing.push(() => rmSync(join(folder, '..'), { recursive: true }));
  });

  test.each<readonly [string, object, string]>([
    ['an unknown option', { plugin: {} }, 'plugin: unknown option'],
    ['settings that are no object', { settings: 'on' }, 'settings: must be an object'],
    ['a setting that is no string', { settings: { PORT: 1 } }, 'settings.PORT: must be a string'],
    ['plugins without names', { plugins: [{}] }, 'plugins: must be an object of plugins by names'],
    ['a plugin that is none', { plugins: { a: true } }, 'plugins.a: must be a plugin of Yoga'],
    ['half a logger', { logger: { info() {} } }, 'logger.warn: must be a function'],
    ['half a clock', { clock: { now() {} } }, 'clock.schedule: must be a function'],
    ['an unknown setting', { settings: { CROSSBOOK_NAP: '1' } }, 'CROSSBOOK_NAP: unknown setting'],
    [
      'no keys in production',
      { settings: { NODE_ENV: 'production' } },
      'CROSSBOOK_KEYS must be set',
    ],
    [
      'a plugin with a hook that does not run',
      { plugins: { usage: { onResponse() {} } } },
      'The plugin usage relies on onResponse, which is not supported',
    ],
    [
      'a plugin that adds such a plugin',
      { plugins: { outer: { onPluginInit: addResponsePlugin } } },
      'The plugin outer relies on onResponse, which is not supported',
    ],
  ])('%s', async (_, options, reason) => {
    const { settings = {} } = options as { readonly settings?: object };
    const given =
      typeof settings === 'object'
        ? { ...options, settings: { CROSSBOOK_DATA: folder, ...settings } }
        : options;
    await expect(createCrossbook(given)).rejects.toThrow(reason);
    expect(existsSync(folder)).toBe(false);
  });

  test('all of them in one error', async () => {
    const options = { plugin: {}, logger: {}, settings: { PORT: 1 } } as object;
    const error = await createCrossbook(options).catch(String);
    for (const name of ['plugin:', 'logger.info:', 'logger.error:', 'settings.PORT:'])
      expect(error).toContain(`\n  ${name} `);
  });
});

test('a start that fails closes the plugins and reports the reason', async () => {
  const ended: string[] = [];
  const plugin = { [Symbol.asyncDispose]: async () => void ended.push('plugin') };
  const settings = { DATABASE_URL: 'postgres://127.0.0.1:1/none', CROSSBOOK_KEYS: KEYS };
  await expect(
    createCrossbook({ settings, plugins: { plugin }, logger: createLogger([]) }),
  ).rejects.toThrow('PostgreSQL at 127.0.0.1:1/none cannot be used');
  expect(ended).toEqual(['plugin']);
});

describe('an embedded Crossbook', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test('answers in a Node server of the application, on the paths that this leaves to it', async () => {
    const { url, crossbook } = await serve({}, (request, response) => {
      if (request.url !== '/hello') return false;
      response.end('Hello');
      return true;
    });
    expect(await (await fetch(`${url}/hello`)).text()).toBe('Hello');
    const answered = await post(url, '{ __typename }');
    expect(await answered.json()).toEqual({ data: { __typename: 'Query' } });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    crossbook.announceStop();
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  });

  test('has no sandbox, unless the settings switch it on', async () => {
    const { crossbook } = await serve({});
    expect(crossbook.demo).toBeUndefined();
    const { crossbook: other } = await serve({
      CROSSBOOK_SANDBOX: 'on',
      CROSSBOOK_SANDBOX_PORT: '0',
    });
    expect(other.demo).toEqual({ apiKey: expect.stringMatching(/^cbk_demo_/), customerId: 'demo' });
  });

  test('takes the time from the clock of the application', async () => {
    const clock = { ...systemClock, wall: () => Date.UTC(2031, 0, 1) };
    const settings = { CROSSBOOK_SANDBOX: 'on', CROSSBOOK_SANDBOX_PORT: '0' };
    const { url, crossbook } = await serve(settings, undefined, { clock });
    const headers = { 'x-api-key': crossbook.demo?.apiKey ?? '' };
    const response = await fetch(`${url}/customers/demo/tokens`, { method: 'POST', headers });
    expect(await response.json()).toMatchObject({ expires_at: '2031-01-01T01:00:00.000Z' });
  });

  test('logs to the logger of the application, with causes as text', async () => {
    const lines: Line[] = [];
    const broken = {
      onExecute: () => Promise.reject(Object.assign(new Error('broken'), { secret: 'hidden' })),
    };
    const { url } = await serve({}, undefined, {
      logger: createLogger(lines),
      plugins: { broken },
    });
    await post(url, '{ __typename }');
    await expect.poll(() => lines.map(({ message }) => message)).toContain('request');
    const [bug] = lines.filter(({ level }) => level === 'error');
    expect(bug?.fields).toMatchObject({ cause: expect.stringContaining('Error: broken') });
    expect(JSON.stringify(lines)).not.toContain('hidden');
  });

  test('waits for running requests when it is closed, and refuses new ones', async () => {
    let begin = () => {};
    let go = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow = {
      onExecute() {
        begin();
        return gone;
      },
    };
    const { url, crossbook } = await serve({}, undefined, { plugins: { slow } });
    const running = post(url, '{ __typename }');
    await begun;
    let isClosed = false;
    const closed = crossbook.close().then(() => {
      isClosed = true;
    });
    const refused = await post(url, '{ __typename }');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }],
    });
    expect(isClosed).toBe(false);
    go();
    expect(await (await running).json()).toEqual({ data: { __typename: 'Query' } });
    await closed;
    // A second call resolves as well.
    await crossbook.close();
  });

  describe('executes an operation in the process', () => {
    const SANDBOX = { CROSSBOOK_SANDBOX: 'on', CROSSBOOK_SANDBOX_PORT: '0' };
    const FIND =
      'query Find($email: String!) { searchContacts(filter: { email: $email }) { nodes { lastName } } }';
    const ADA = { data: { searchContacts: { nodes: [{ lastName: 'Lovelace' }] } } };

    test('as text or as a document, with variables, and with the headers of the caller', async () => {
      const { crossbook, headers } = await open(SANDBOX);
      const variables = { email: 'ada@example.com' };
      const sent = { ...headers, 'x-provider-name': 'hubspot' };
      expect(await crossbook.execute({ query: FIND, variables, headers: sent })).toEqual(ADA);
      const document = parse(FIND) as TypedQueryDocumentNode<
        (typeof ADA)['data'],
        typeof variables
      >;
      const found = await crossbook.execute({ document, variables, headers: sent });
      expectTypeOf(found.data?.searchContacts.nodes).toEqualTypeOf<
        { lastName: string }[] | undefined
      >();
      expect(found).toEqual(ADA);
      const named = { query: 'query A { a: __typename } query B { b: __typename }' };
      expect(await crossbook.execute({ ...named, operationName: 'B', headers })).toEqual({
        data: { b: 'Query' },
      });
    });

    test('with the headers of a request of the application, which also has some of its socket', async () => {
      const { crossbook, headers } = await open(SANDBOX);
      const ofRequest = {
        Host: 'app.example',
        'Content-Length': '3',
        'content-encoding': 'gzip',
        'accept-encoding': 'gzip',
        accept: 'text/html',
        'set-cookie': ['a=1'],
      };
      const query = '{ __schema { types { name description } } }';
      const { data } = await crossbook.execute({ query, headers: { ...ofRequest, ...headers } });
      expect(data?.['__schema'].types.length).toBeGreaterThan(50);
    });

    test('with a customer id in letters that no header has', async () => {
      const { crossbook, headers } = await open(SANDBOX);
      const customerId = '株式会社';
      const mutation = `mutation ($input: UpsertCustomerInput!) { upsertCustomer(input: $input) { customer { customerId } } }`;
      const input = { customerId, name: 'N', email: 'n@example.com' };
      await crossbook.execute({ query: mutation, variables: { input }, headers });
      const own = { ...headers, 'x-customer-id': customerId };
      expect(
        await crossbook.execute({ query: '{ customer { customerId } }', headers: own }),
      ).toEqual({
        data: { customer: { customerId } },
      });
    });

    test('with the authorization, the limits and the log of a request', async () => {
      const lines: Line[] = [];
      const settings = { ...SANDBOX, CROSSBOOK_REQUESTS_PER_MINUTE: '2' };
      const { crossbook, headers } = await open(settings, lines);
      const query = '{ __typename }';
      const codeOf = async (operation: Parameters<typeof crossbook.execute>[0]) => {
        const { data, errors } = await crossbook.execute(operation as { query: string });
        return data ?? errors?.[0]?.extensions?.['code'];
      };
      const wrong = { 'x-api-key': `cbk_0000000000000000_${'A'.repeat(43)}` };
      expect(await codeOf({ query, headers: wrong })).toBe('UNAUTHORIZED');
      expect(await codeOf({ query: '{ customers { nodes { name } } }' })).toBe('UNAUTHORIZED');
      expect(await codeOf({ query: `{ __typename } # ${'x'.repeat(1_048_576)}`, headers })).toBe(
        'PAYLOAD_TOO_LARGE',
      );
      expect(await codeOf({ query, headers })).toEqual({ __typename: 'Query' });
      expect(await codeOf({ query, headers })).toBe('TOO_MANY_REQUESTS');
      await expect.poll(() => lines.filter(({ message }) => message === 'request')).toHaveLength(5);
      const statuses = lines.flatMap(({ message, fields }) =>
        message === 'request' ? [(fields as { readonly status: number }).status] : [],
      );
      expect(statuses).toEqual([401, 401, 413, 200, 429]);
    });

    test('that `close` waits for, and none afterwards', async () => {
      let begin = () => {};
      let go = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const gone = new Promise<void>((resolve) => {
        go = resolve;
      });
      const slow = {
        onExecute() {
          begin();
          return gone;
        },
      };
      const { crossbook } = await serve({}, undefined, { plugins: { slow } });
      const running = crossbook.execute({ query: '{ __typename }' });
      await begun;
      const closed = crossbook.close();
      const refused = await crossbook.execute({ query: '{ __typename }' });
      go();
      expect(refused).toMatchObject({
        errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE', status: '503' } }],
      });
      expect(await running).toEqual({ data: { __typename: 'Query' } });
      await closed;
    });

    test.each([
      ['neither text nor document', {}],
      ['both', { query: '{ __typename }', document: parse('{ __typename }') }],
      ['a document that is text', { document: '{ __typename }' }],
    ])('unless it is %s', async (_, operation) => {
      const { crossbook } = await open({});
      await expect(crossbook.execute(operation as never)).rejects.toThrow(
        'specify either `query`, a string, or `document`',
      );
    });

    async function open(more: Readonly<Record<string, string>>, lines: Line[] = []) {
      const { crossbook } = await serve(more, undefined, { logger: createLogger(lines) });
      const { apiKey = '', customerId = '' } = crossbook.demo ?? {};
      return { crossbook, headers: { 'x-api-key': apiKey, 'x-customer-id': customerId } };
    }
  });

  async function serve(
    more: Readonly<Record<string, string>>,
    own: (...exchange: Parameters<Handle>) => boolean = () => false,
    options: Omit<NonNullable<Parameters<typeof createCrossbook>[0]>, 'settings'> = {},
  ) {
    const settings = { DATABASE_URL: database.url, CROSSBOOK_KEYS: KEYS, ...more };
    const crossbook = await createCrossbook({ logger: createLogger([]), ...options, settings });
    const server: Server = createServer((request, response) => {
      if (!own(request, response)) crossbook.handle(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => {
      server.close();
      server.closeAllConnections();
      await crossbook.close();
    });
    return { crossbook, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }
});

test('after `close` nothing is left, and no listener for signals or the end of the process was added', async () => {
  const folder = makeTemporaryFolder();
  const script = compile('test/app/embedding-process.ts');
  closing.push(script.remove, () => rmSync(folder, { recursive: true }));
  const { stdout } = await promisify(execFile)(process.execPath, [
    script.file,
    join(folder, 'data'),
  ]);
  const { answer, before, during, resources } = JSON.parse(stdout);
  expect(answer).toEqual({ data: { searchContacts: { nodes: [{ lastName: 'Lovelace' }] } } });
  expect(during).toEqual(before);
  expect(resources).toEqual([]);
});

function addResponsePlugin({ addPlugin }: { addPlugin(plugin: object): void }): void {
  addPlugin({ onResponse() {} });
}

function createLogger(lines: Line[]) {
  const to = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  return { info: to('info'), warn: to('warn'), error: to('error') };
}

function post(url: string, query: string): Promise<Response> {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
}

type Handle = Awaited<ReturnType<typeof createCrossbook>>['handle'];

interface Line {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}
