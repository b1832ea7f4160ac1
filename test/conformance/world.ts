import type { Sandbox } from '@crossbook/sandbox';
import { addApplication, KEYS } from '../support/add-application.ts';
import { createTestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';
import type { Answer, Call, CallerName, Row, Step } from './row.ts';

/** One product with its sandbox and a second application, and the cached responses. */
export async function openWorld(): Promise<World> {
  const database = await createTestDatabase();
  const otherKey = await addApplication(database.url);
  const crossbook = await openApp({ database: { url: database.url }, keys: KEYS });
  for (const crm of [crossbook.sandbox.hubspot, crossbook.sandbox.salesforce])
    crm.demo.setLimits(null);
  const token = (await crossbook.rest('POST', '/customers/demo/tokens', {})).body.token as string;
  const callers: Record<CallerName, Record<string, string>> = {
    key: { 'x-api-key': crossbook.key },
    token: { authorization: `Bearer ${token}` },
    other: { 'x-api-key': otherKey },
    nobody: {},
    wrongKey: { 'x-api-key': `${crossbook.key}x` },
  };
  const answered = new Map<Step, Promise<Answer>>();

  return {
    async run({ steps }) {
      const answers: Answer[] = [];
      const isShared = steps.length === 1;
      const accounts = [crossbook.sandbox.hubspot.demo, crossbook.sandbox.salesforce.demo];
      for (const step of steps) {
        if (typeof step !== 'function' && step.api === 'sandbox') {
          crossbook.sandbox[step.provider].demo.fail(step.fault, step.timing);
          continue;
        }
        const call = typeof step === 'function' ? step(answers) : step;
        const cached = isShared ? answered.get(step) : undefined;
        if (!cached) for (const account of accounts) account.resetCalls();
        const response = cached ?? send(crossbook, call, callers[call.as ?? 'key']);
        // Rows that check different parts of one response share its request.
        if (isShared) answered.set(step, response);
        answers.push(await response);
      }
      crossbook.sandbox.hubspot.demo.clearFaults();
      crossbook.sandbox.salesforce.demo.clearFaults();
      const last = answers.at(-1);
      if (!last) throw new Error('A row asks for nothing.');
      return last;
    },
    async close() {
      await crossbook.close();
      await database.drop();
    },
  };
}

async function send(
  { app, sandbox }: TestApp,
  call: Call,
  caller: Record<string, string>,
): Promise<Answer> {
  const [method, path, body] =
    call.api === 'REST'
      ? [call.method, call.path, call.body]
      : ['POST', '/graphql', { query: call.query, variables: call.variables }];
  const headers: Record<string, string | undefined> = {
    ...caller,
    'x-customer-id': 'demo',
    'x-provider-name': 'hubspot',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...call.headers,
  };
  const text = body instanceof Uint8Array ? body : fill(body, sandbox);
  const response = await toFetch(app.answer)(
    new Request(`http://crossbook.test${path}`, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
      ...(body !== undefined && { body: text as BodyInit }),
    }),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    calls: {
      hubspot: sandbox.hubspot.demo.callCount(),
      salesforce: sandbox.salesforce.demo.callCount(),
    },
    body: toBody(await response.text()),
  };
}

/** Rows are defined before the sandbox has its ports and tokens: placeholders are replaced here. */
function fill(body: unknown, { hubspot, salesforce }: Sandbox): string {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return text
    .replaceAll('{hubspot}', hubspot.origin)
    .replaceAll('{salesforce}', salesforce.demo.instanceUrl)
    .replaceAll('{hubspot token}', hubspot.demo.staticToken ?? '')
    .replaceAll('{salesforce refresh token}', salesforce.demo.refreshToken)
    .replaceAll('{salesforce token}', salesforce.demo.accessToken);
}

function toBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface World {
  /** Executes the row's steps, and returns the last response. */
  run(row: Row): Promise<Answer>;
  close(): Promise<void>;
}
