import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FormattedExecutionResult } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXTENSIONS } from '../../graphql/test-server.ts';
import { APOLLO_GATEWAY, GATEWAY_EXAMPLE } from '../../support/machine.ts';
import '../../support/process-sources.ts';

const GATEWAYS = [
  { name: 'Hive Gateway', args: [] },
  ...(APOLLO_GATEWAY ? [{ name: 'Apollo’s gateway', args: ['--apollo'] }] : []),
];

/** The rate limit of a customer. */
const TOKEN_REQUESTS = 10;

/** Its packages are installed separately: `npm ci --prefix examples/gateway`. */
describe.runIf(GATEWAY_EXAMPLE)('The gateway example', () => {
  test('composes both subgraphs by the rules of Hive, Apollo and Cosmo, also with a prefix and as a contract', () => {
    const output = execFileSync(process.execPath, ['examples/gateway/check.mjs'], {
      encoding: 'utf8',
    });
    const cases = [
      'both; node is the tickets’',
      'both; node is Crossbook’s',
      'both; Crossbook’s types begin with Crm_',
      'both and accounts.graphql; with both prefixes',
      'both; a contract is without api-key and raw-data',
    ];
    expect(output.trim().split('\n')).toEqual(
      cases.flatMap((one) =>
        ['hive', 'apollo', 'cosmo'].map((composer) => `${composer} composes ${one}.`),
      ),
    );
  });

  describe.each(GATEWAYS)(
    'with $name, when the tickets subgraph resolves node',
    ({ name, args }) => {
      const example = startedFor(args, {
        CROSSBOOK_TOKEN_REQUESTS_PER_MINUTE: String(TOKEN_REQUESTS),
      });

      test('the printed command queries both subgraphs', async () => {
        const [, query = ''] = /-d '\{"query":"(.+)"\}'/.exec(example.printed()) ?? [];
        const { data, errors } = await example.ask(query, example.backOffice());
        expect(errors).toBeUndefined();
        expect(data?.['tickets']).toMatchObject([
          {
            requester: { contacts: [{ firstName: 'Ada', lastName: 'Lovelace' }] },
            customer: { name: 'Demo customer' },
          },
          { requester: { contacts: [{ lastName: 'Sharer' }] } },
          { requester: { contacts: [] } },
        ]);
      });

      test('a customer token passes through the gateway and is enforced', async () => {
        const issued = await example.ask(
          'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }',
          example.backOffice(),
        );
        const { token } = (issued.data as unknown as Issued).issueCustomerToken;
        const own = await example.ask('{ customer { name tickets { id } } }', token);
        expect(own).toMatchObject({
          data: { customer: { name: 'Demo customer', tickets: [{}, {}, {}] } },
        });
        const other = await example.ask('{ customer(customerId: "other") { name } }', token);
        expect(other.errors?.[0]).toMatchObject({
          message: 'This token is for another customer.',
          extensions: { code: 'FORBIDDEN' },
        });
      });

      test('without credentials, tickets resolve and Crossbook’s fields say which credentials are missing', async () => {
        const { data, errors } = await example.ask('{ tickets { subject } customer { name } }');
        expect(data).toMatchObject({ tickets: [{}, {}, {}], customer: null });
        expect(errors?.[0]).toMatchObject({
          message: 'Credentials are missing: send x-api-key or a customer token.',
          extensions: { code: 'UNAUTHORIZED' },
        });
      });

      test('a search of both CRMs responds, and one that a CRM does not support fails alone, with all details of the error', async () => {
        const search = (provider: string) =>
          `${provider}: searchContacts(provider: ${provider}, filter: { email: "ada@example.com" }) { totalCount nodes { firstName } }`;
        const { data, errors } = await example.ask(
          `{ tickets(first: 1) { id } ${['HUBSPOT', 'SALESFORCE', 'ZENDESK_SELL'].map(search).join(' ')} }`,
          example.backOffice(),
        );
        const ada = { totalCount: 1, nodes: [{ firstName: 'Ada' }] };
        expect(data).toEqual({
          tickets: [{ id: 'ticket:1' }],
          HUBSPOT: ada,
          SALESFORCE: ada,
          ZENDESK_SELL: null,
        });
        expect(errors).toMatchObject([
          {
            message: 'The contacts of Zendesk Sell cannot be searched.',
            path: ['ZENDESK_SELL'],
            extensions: { code: 'NOT_IMPLEMENTED', status: '501', meta: { retryable: false } },
          },
        ]);
        expect(Object.keys(errors?.[0]?.extensions ?? {})).toEqual(
          expect.arrayContaining(EXTENSIONS),
        );
      });

      if (name === 'Hive Gateway') {
        test('the gateway’s demand control rejects an operation that costs too much', async () => {
          const search =
            'searchContacts(provider: HUBSPOT, filter: { emailDomain: "bigco.example" }, first: 1000)';
          const many = Array.from(
            { length: 20 },
            (_, index) => `a${index}: ${search} { nodes { firstName } }`,
          );
          const { errors } = await example.ask(`{ ${many.join(' ')} }`, example.backOffice());
          expect(errors?.[0]?.extensions?.['code']).toBe('COST_ESTIMATED_TOO_EXPENSIVE');
        });
      }

      test('node resolves a ticket', async () => {
        const { data } = await example.ask(
          '{ node(id: "ticket:1") { id ... on Ticket { subject } } }',
        );
        expect(data).toEqual({ node: { id: 'ticket:1', subject: 'The export lacks a column' } });
      });

      test('a refused token and an exceeded rate limit keep their codes, and no error has the URL of a subgraph', async () => {
        const query = '{ customer { name } }';
        const refused = await example.ask(query, 'expired');
        expect(refused.errors).toMatchObject([
          { extensions: { code: 'UNAUTHORIZED', status: '401', meta: { origin: 'crossbook' } } },
        ]);
        const issued = await example.ask(
          'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }',
          example.backOffice(),
        );
        const { token } = (issued.data as unknown as Issued).issueCustomerToken;
        // One after another, because a gateway sends equal requests of one moment once.
        let limited: Awaited<ReturnType<typeof example.ask>> | undefined;
        for (let n = 0; n < 4 * TOKEN_REQUESTS && !limited; n += 1) {
          const answered = await example.ask('{ customer { name } }', token);
          if (answered.errors) limited = answered;
        }
        expect(limited?.errors).toMatchObject([
          {
            extensions: {
              code: 'TOO_MANY_REQUESTS',
              status: '429',
              meta: { retryable: true, retry_after_ms: expect.any(Number) },
            },
          },
        ]);
        for (const { errors } of [refused, limited ?? {}])
          expect(JSON.stringify(errors)).not.toMatch(/https?:|localhost|127\.0\.0\.1/);
      });
    },
  );

  describe('when Crossbook resolves node', () => {
    const example = startedFor(['--relay-node']);

    test('a contact is refetched by its id, as @refetchable does', async () => {
      const found = await example.ask(
        '{ searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { nodes { id } } }',
        example.backOffice(),
      );
      const { nodes } = (found.data as unknown as Found).searchContacts;
      const query = `{ node(id: "${nodes[0]?.id}") { __typename ... on Contact { firstName } } }`;
      expect(await example.ask(query, example.backOffice())).toEqual({
        data: { node: { __typename: 'Contact', firstName: 'Ada' } },
      });
    });
  });

  describe('when Crossbook has names with a prefix', () => {
    const example = startedFor([], {
      CROSSBOOK_GRAPHQL_TYPE_PREFIX: 'Crm_',
      CROSSBOOK_GRAPHQL_ROOT_FIELD_PREFIX: 'crm_',
    });

    test('tickets extend its customer and refer to its contacts', async () => {
      const query =
        '{ crm_customer { __typename name tickets { requester { contacts { lastName } } } } }';
      const { data, errors } = await example.ask(query, example.backOffice());
      expect(errors).toBeUndefined();
      expect(data?.['crm_customer']).toMatchObject({
        __typename: 'Crm_Customer',
        tickets: [{ requester: { contacts: [{ lastName: 'Lovelace' }] } }, {}, {}],
      });
    });
  });

  test.each([
    { args: ['--apolo'], env: {}, code: 2, says: /'--apolo'[\s\S]*--apollo and --relay-node/ },
    { args: [], env: { TICKETS_PORT: 'BUSY' }, code: 1, says: /EADDRINUSE.*Set TICKETS_PORT/ },
  ])('a start with $args and $env ends with what to change', async ({ args, env, code, says }) => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    const ports = { PORT: '0', API_PORT: '0', TICKETS_PORT: '0', SANDBOX_PORT: '0' };
    const given = Object.keys(env).map((name) => [name, String(port)]);
    const child = spawn(process.execPath, ['examples/gateway/start.mjs', ...args], {
      env: { PATH: process.env['PATH'], ...ports, ...Object.fromEntries(given) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const [exit] = await once(child, 'close');
    busy.close();
    expect([exit, stderr]).toEqual([code, expect.stringMatching(says)]);
  });
});

/** Started in the first test of the surrounding block, stopped in the last. */
function startedFor(args: readonly string[], settings: Record<string, string> = {}): Example {
  let child: ChildProcess;
  let printed = '';
  beforeAll(async () => {
    const ports = { PORT: '0', API_PORT: '0', TICKETS_PORT: '0', SANDBOX_PORT: '0' };
    child = spawn(process.execPath, ['examples/gateway/start.mjs', ...args], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...ports, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const text of child.stdout ?? []) {
      printed += text;
      if (printed.includes('Ctrl-C ends it.')) return;
    }
    throw new Error(`It ended:\n${printed}`);
  });
  afterAll(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  });
  const find = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? '';
  return {
    printed: () => printed,
    backOffice: () => find(/Bearer (\w+)/),
    async ask(query, token) {
      const response = await fetch(find(/ready at (\S+)/), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-customer-id': 'demo',
          ...(token && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ query }),
      });
      return (await response.json()) as FormattedExecutionResult;
    },
  };
}

interface Example {
  printed(): string;
  /** The secret for which the gateway adds its API key. */
  backOffice(): string;
  ask(query: string, token?: string): Promise<FormattedExecutionResult>;
}

interface Issued {
  readonly issueCustomerToken: { readonly token: string };
}

interface Found {
  readonly searchContacts: { readonly nodes: readonly { readonly id: string }[] };
}
