import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConnectionUpsert } from '../../src/domain/customer.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/sealing/key-ring.ts';
import { linesOf } from '../support/compiled-storage.ts';
import { createPostgresDatabase, describeOnPostgres, type PostgresDatabase } from '../support/engines.ts';

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const EMAILS = Array.from({ length: 1_000 }, (_, index) => `person.${index}@many.example`);

describeOnPostgres('an expired token, and two processes', () => {
  let fresh: PostgresDatabase;
  let sandbox: ChildProcess;
  let origins: readonly string[];
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    fresh = await createPostgresDatabase();
    sandbox = spawn(process.execPath, ['dist/sandbox/main.js', '0', '0']);
    origins = await readOrigins(sandbox);
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill();
  });
  afterAll(async () => {
    sandbox.kill();
    await fresh.drop();
  });

  test.each(['hubspot', 'salesforce'] as const)(
    'that search %s a thousand times make one refresh call between them, and all are answered',
    async (provider) => {
      const origin = origins[provider === 'hubspot' ? 0 : 1] ?? '';
      const account = await control(origin, 'POST', '', { people: EMAILS.map((email) => ({ email })) });
      const application = await store(provider, { origin, account });
      const halves = [EMAILS.slice(0, 500), EMAILS.slice(500)].map((emails) => {
        const { clientId, clientSecret } = account;
        const facts = { application, provider, emails, database: fresh.url, keys: KEYS, sandbox: origin };
        const setup = JSON.stringify({ ...facts, client: { clientId, clientSecret } });
        const child = spawn(process.execPath, ['test/support/searching-process.mjs', setup]);
        children.push(child);
        return { child, lines: linesOf(child) };
      });
      for (const { lines } of halves) expect((await lines.next()).value).toBe('ready');

      await control(origin, 'POST', `/${encodeURIComponent(account.id)}/expire`, {});
      for (const { child } of halves) child.stdin?.write('go\n');
      for (const { lines } of halves) {
        expect(JSON.parse((await lines.next()).value ?? '{}')).toEqual({ found: 500, failed: [] });
      }
      const { calls } = await control(origin, 'GET', `/${encodeURIComponent(account.id)}/calls`);
      const operations = calls.map(({ operation }) => operation);
      expect(operations.filter((operation) => operation === 'oauth.token')).toHaveLength(1);
      expect(operations.length).toBeGreaterThan(5);
    },
    60_000,
  );

  async function store(providerName: ConnectionUpsert['providerName'], { origin, account }: Where) {
    const database = await openDatabase(fresh, { keyRing: parseKeyRing(KEYS) });
    const application = await database.admin.createApplication(providerName);
    const { accessToken, refreshToken, instanceUrl } = account;
    const connection: ConnectionUpsert = {
      providerName,
      instanceUrl: providerName === 'hubspot' ? origin : instanceUrl,
      credentials: { type: 'oauth2', accessToken, refreshToken, expiresAt: null },
    };
    const customer = { customerId: 'expired', name: 'E', email: 'e@example.com', connections: [connection] };
    await database.forApplication(application.id).customers.upsert(customer);
    await database.close();
    return { id: application.id, name: application.name };
  }
});

/** HubSpot's, then Salesforce's, as the sandbox prints them. */
async function readOrigins(sandbox: ChildProcess): Promise<readonly string[]> {
  const origins: string[] = [];
  for await (const line of linesOf(sandbox)) {
    const origin = /^\w+: (\S+) /.exec(line)?.[1];
    if (origin) origins.push(origin);
    if (origins.length === 2) break;
  }
  return origins;
}

async function control(origin: string, method: string, path: string, body?: object): Promise<Account> {
  const answer = await fetch(`${origin}/__sandbox/accounts${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Account;
}

interface Where {
  readonly origin: string;
  readonly account: Account;
}

interface Account {
  readonly id: string;
  readonly instanceUrl: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly calls: readonly { readonly operation: string }[];
}
