import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BATCH_READ } from '../contenders/hubspot.ts';
import { PARTS } from '../support/paths.ts';
import { startWorker } from '../support/worker.ts';
import { askSandbox, createReplay, type Replay } from './replay.ts';

/**
 * A CRM for syncs: `recorder.js hubspot PORT…`. The sandbox, without effective rate limits, responds to each request once;
 * from then on its bytes are replayed, because the simulation needs more CPU time than a sync. Look-ups of HubSpot are put
 * together from recorded records, because those that share a call never repeat.
 */
const [name, ...ports] = process.argv.slice(2);
const crm = name as Crm;
const { openSandbox } = (await import(
  pathToFileURL(join(PARTS, 'sandbox.js')).href
)) as SandboxModule;
const sandbox = await openSandbox({ enforceLimits: false });
const { origin } = sandbox[crm];
const recordings = new Map<string, Promise<Recording>>();
/** By access token. */
const lookups = new Map<string, Replay>();
const calls: string[] = [];

await Promise.all(ports.map((port) => listen(Number(port))));

startWorker(
  {},
  {
    createAccount: async ({ people }: AccountWanted): Promise<RecordedAccount> => {
      const account = sandbox[crm].createAccount({
        people,
        accessTokenTtlMs: DAY_MS,
        limits: crm === 'hubspot' ? UNLIMITED : null,
      });
      const { pathname } = new URL(account.instanceUrl ?? '', origin);
      const token = account.staticToken ?? account.accessToken;
      const emails = people.map(({ email }) => email);
      if (crm === 'hubspot')
        lookups.set(token, createReplay({ ask: askSandbox(origin, token), emails }));
      return { id: account.id, token, pathname };
    },
    /** The calls since the last time. */
    calls: async () => calls.splice(0),
  },
);

async function listen(port: number): Promise<void> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    readBody(request)
      .then((body) => answer(request, body))
      .then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function answer(request: IncomingMessage, body: string): Promise<Recording> {
  const { method = 'GET', url = '/', headers } = request;
  calls.push(`${method} ${url.split('?')[0]}`);
  if (url === BATCH_READ && body.includes('"idProperty":"email"')) {
    const replay = lookups.get(headers.authorization?.slice('Bearer '.length) ?? '');
    if (replay) return { status: 200, ...(await replay.answer(body)) };
  }
  const key = [method, url, headers.authorization, body].join('\n');
  const known = recordings.get(key) ?? forward({ method, url, headers, body });
  recordings.set(key, known);
  return known;
}

async function forward({ method, url, headers, body }: Forwarded): Promise<Recording> {
  const { authorization = '' } = headers;
  const response = await fetch(`${origin}${url}`, {
    method,
    headers: {
      authorization,
      'accept-encoding': 'identity',
      ...(body === '' ? {} : { 'content-type': String(headers['content-type']) }),
    },
    ...(body === '' ? {} : { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const {
    'transfer-encoding': _,
    connection: __,
    'keep-alive': ___,
    ...kept
  } = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: { ...kept, 'content-length': String(bytes.length) },
    body: bytes,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const DAY_MS = 24 * 60 * 60_000;
const UNLIMITED = { perTenSeconds: 999_999_999, perDay: 999_999_999 };

export type Crm = 'hubspot' | 'salesforce';

export interface AccountWanted {
  readonly people: readonly { readonly email: string }[];
}

export interface RecordedAccount {
  readonly id: string;
  readonly token: string;
  /** The path of its instance URL. */
  readonly pathname: string;
}

interface Forwarded {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Recording {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface SandboxModule {
  openSandbox(options: object): Promise<Readonly<Record<Crm, SandboxCrm>>>;
}

interface SandboxCrm {
  readonly origin: string;
  createAccount(options: object): {
    readonly id: string;
    readonly staticToken?: string;
    readonly accessToken: string;
    readonly instanceUrl?: string;
  };
}
