import { type App, createApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { Sandbox } from '../../src/sandbox/open-sandbox.ts';

/** The whole product in this process, on a database in memory, with its sandbox on free ports. */
export async function openApp(patch: Partial<Config> = {}): Promise<TestApp> {
  const log: string[] = [];
  const config: Config = {
    ...readConfig({ CROSSBOOK_SANDBOX_PORT: '0' }),
    database: { memory: true },
    keys: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    ...patch,
  };
  const app = await createApp(config, { output: { write: (line) => log.push(line) }, readable: false });
  const { demo, sandbox } = app;
  if (!demo || !sandbox) throw new Error('The sandbox is off.');
  const headers = { 'x-api-key': demo.key, 'x-customer-id': demo.customerId };

  const send = async (path: string, init: RequestInit = {}) => {
    const response = await app.fetch(new Request(`http://crossbook.test${path}`, init));
    return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
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
      return send(path, { method, headers: sent, ...(body !== undefined && { body: JSON.stringify(body) }) });
    },
    close: () => app.close(),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: an answer may be anything; the test says what it expects.
export type Json = any;

export interface TestApp {
  readonly app: App;
  readonly sandbox: Sandbox;
  /** Every line that was logged. */
  readonly log: readonly string[];
  clearLog(): void;
  readonly key: string;
  execute(query: string, variables?: object, headers?: Record<string, string>): Promise<Json>;
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RestAnswer>;
  close(): Promise<void>;
}

interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}
