import type { Sandbox } from '@crossbook/sandbox';
import { type App, createApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { AppOverrides } from '../../src/foundation.ts';
import { createTestDatabase } from './databases.ts';
import { PATIENT_DATABASE } from './patience.ts';
import { type SecretWatch, watchSecrets } from './secret-watch.ts';
import { toFetch } from './to-fetch.ts';

/** The whole product in this process, on a database of its own, with its sandbox on free ports. */
export async function openApp(
  patch: Partial<Config> = {},
  overrides: AppOverrides = {},
): Promise<TestApp> {
  const log: string[] = [];
  let watch: SecretWatch | undefined;
  const own = patch.database ? undefined : await createTestDatabase();
  const config: Config = {
    // Deadlines are tested explicitly. All other tests must not depend on the speed of the machine.
    ...readConfig({ CROSSBOOK_SANDBOX_PORT: '0', CROSSBOOK_PROVIDER_DEADLINE_MS: '120000' }),
    ...(own && { database: { url: own.url } }),
    keys: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    ...patch,
  };
  const output = {
    write(line: string) {
      log.push(line);
      watch?.look('the log', line);
    },
  };
  const timeouts = { database: PATIENT_DATABASE, queueMs: 600_000 };
  const app = await createApp(config, { output, readable: false }, { timeouts, ...overrides });
  const { demo, sandbox } = app;
  if (!demo || !sandbox) throw new Error('The sandbox is off.');
  const { hubspot, salesforce } = sandbox;
  watch = watchSecrets({
    'the API key': demo.key,
    'the key ring': config.keys?.split(':')[1],
    'HubSpot’s token': hubspot.demo.staticToken,
    'HubSpot’s client secret': hubspot.demo.clientSecret,
    'Salesforce’s token': salesforce.demo.accessToken,
    'Salesforce’s refresh token': salesforce.demo.refreshToken,
    'Salesforce’s client secret': salesforce.demo.clientSecret,
  });
  watch.look('the start', log.join(''));
  const headers = { 'x-api-key': demo.key, 'x-customer-id': demo.customerId };

  const send = async (path: string, init: RequestInit = {}) => {
    const response = await toFetch(app.answer)(new Request(`http://crossbook.test${path}`, init));
    const text = await response.text();
    watch?.look(`an answer of ${path.split('?')[0]}`, text);
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Json,
    };
  };
  return {
    app,
    sandbox,
    log,
    clearLog: () => void log.splice(0),
    key: demo.key,
    async execute(query, variables, extra = {}) {
      const body = JSON.stringify({ query, variables });
      const sent = { ...headers, 'content-type': 'application/json', ...extra };
      return (await send('/graphql', { method: 'POST', headers: sent, body })).body;
    },
    rest(method, path, body, extra = {}) {
      const sent = {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...extra,
      };
      return send(path, {
        method,
        headers: sent,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    },
    async close() {
      await app.close();
      await own?.drop();
      watch?.done();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a response can be anything; the test asserts its content.
export type Json = any;

export interface TestApp {
  readonly app: App;
  readonly sandbox: Sandbox;
  /** Every logged line. */
  readonly log: readonly string[];
  clearLog(): void;
  readonly key: string;
  execute(query: string, variables?: object, headers?: Record<string, string>): Promise<Json>;
  rest(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<RestAnswer>;
  close(): Promise<void>;
}

interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}
