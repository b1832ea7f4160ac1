import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
