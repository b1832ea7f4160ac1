import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { useDisableIntrospection as useDisableIntrospectionOfEnvelop } from '@envelop/disable-introspection';
import { useResponseCache as useResponseCacheOfEnvelop } from '@envelop/response-cache';
import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import { useDisableIntrospection } from '@graphql-yoga/plugin-disable-introspection';
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import { useResponseCache } from '@graphql-yoga/plugin-response-cache';
import { type GraphQLSchema, getIntrospectionQuery } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { createFakePeople } from '../support/fake-people.ts';
import { createTestServer, DEMO, type TestServer } from './test-server.ts';

const OTHER = { 'x-api-key': 'other-key', 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
const ASK = '{ customer { name } }';
const SCHEMA = '{ __schema { queryType { name } } }';

/** The ways to send an operation, each with its request and the result in its response. */
const WAYS: readonly Way[] = [
  { way: 'POST', send: (server, query, headers) => post(server, { query }, headers) },
  {
    way: 'GET',
    send: async ({ send }, query, headers) => {
      const url = `http://localhost/graphql?query=${encodeURIComponent(query)}`;
      return toResult(await send(new Request(url, { headers })));
    },
  },
  { way: 'batch', send: (server, query, headers) => post(server, [{ query }], headers) },
  {
    way: 'persisted',
    async send(server, query, headers) {
      await post(server, { query, ...toHash(query) }, headers);
      return post(server, toHash(query), headers);
    },
  },
];

describe('a plugin whose hooks do not run is rejected at the start, with its name and the hook', () => {
  test.each<readonly [string, Plugin, string]>([
    ['useCSRFPrevention', useCSRFPrevention(), 'onRequestParse'],
    ['useDisableIntrospection', useDisableIntrospection(), 'onRequestParse'],
    ['useResponseCache', useResponseCache({ session: () => null }), 'onRequest'],
    ['useJWT', useJWT(), 'onRequestParse'],
    ['a reporter of responses', { onResponse() {} }, 'onResponse'],
    ['a reporter of results', { onResultProcess() {} }, 'onResultProcess'],
    [
      'a tracer of requests',
      { instrumentation: { request: (_, run) => run() } },
      'instrumentation.request',
    ],
    [
      'a tracer of operations',
      { instrumentation: { operation: () => {} } },
      'instrumentation.operation',
    ],
    [
      'a class',
      new (class Checking {
        onRequest() {}
      })(),
      'onRequest',
    ],
    ['one of tomorrow', { onSomethingElse() {} } as Plugin, 'onSomethingElse'],
  ])('%s', async (name, plugin, hook) => {
    await expect(createTestServer({ plugins: { [name]: plugin } })).rejects.toThrow(
      `The plugin ${name} relies on ${hook}, which is not supported`,
    );
  });

  test('a plugin that another plugin adds', async () => {
    const plugin: Plugin = { onPluginInit: ({ addPlugin }) => addPlugin(useCSRFPrevention()) };
    await expect(createTestServer({ plugins: { outer: plugin } })).rejects.toThrow(
      'relies on onRequestParse',
    );
  });

  test('a plugin that replaces the schema, at the start or later', async () => {
    const { GraphQLObjectType, GraphQLSchema, GraphQLString } = await import('graphql');
    const query = new GraphQLObjectType({
      name: 'Query',
      fields: { mine: { type: GraphQLString } },
    });
    const schema = new GraphQLSchema({ query });
    const atStart: Plugin = { onSchemaChange: ({ replaceSchema }) => replaceSchema(schema) };
    await expect(createTestServer({ plugins: { atStart } })).rejects.toThrow('replaced the schema');
    const later: Plugin = { onEnveloped: ({ setSchema }) => setSchema(schema) };
    const server = await createTestServer({ plugins: { later } });
    for (const _time of [1, 2]) {
      const { errors } = await server.execute(ASK);
      expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
    }
  });
});

test('a plugin that wraps resolvers is rejected at the start, and leaves the resolvers of others as they were', async () => {
  const { isObjectType } = await import('graphql');
  const wrapping: Plugin = {
    onSchemaChange({ schema }) {
      for (const type of Object.values((schema as GraphQLSchema).getTypeMap()))
        for (const field of isObjectType(type) ? Object.values(type.getFields()) : [])
          field.resolve = () => 'wrapped';
    },
  };
  const other = await createTestServer();
  const adding: Plugin = { onPluginInit: ({ addPlugin }) => addPlugin(wrapping) };
  for (const plugins of [{ tracer: wrapping }, { calm: {}, tracer: adding }])
    await expect(createTestServer({ plugins })).rejects.toThrow(
      'The plugin tracer wraps resolvers in onSchemaChange, which does not work here',
    );
  expect((await other.execute(ASK)).data).toEqual({ customer: { name: 'Demo customer' } });
  const next = await createTestServer({ plugins: { calm: {} } });
  expect((await next.execute(ASK)).data).toEqual({ customer: { name: 'Demo customer' } });
});

describe.each(WAYS)('by $way', ({ way, send }) => {
  test('introspection can be disabled by the plugin of Envelop', async () => {
    const plugins = { off: useDisableIntrospectionOfEnvelop() };
    const server = await createTestServer({ plugins });
    // The second is the query of tools, whose response is precomputed when there are no plugins.
    for (const query of [SCHEMA, getIntrospectionQuery()]) {
      const { data, errors } = await send(server, query, DEMO);
      expect(data).toBeUndefined();
      expect(errors?.[0]).toMatchObject({
        message: expect.stringContaining('introspection has been disabled'),
        extensions: { code: 'BAD_REQUEST' },
      });
    }
    expect(await send(server, ASK, DEMO)).toEqual({
      data: { customer: { name: 'Demo customer' } },
    });
  });

  test('a plugin of persisted operations rejects every operation outside its list', async () => {
    const { sha256Hash } = toHash(ASK).extensions.persistedQuery;
    const plugins = {
      persisted: usePersistedOperations({
        getPersistedOperation: (key) => (key === sha256Hash ? ASK : null),
      }),
    };
    const server = await createTestServer({ plugins });
    const known = { data: { customer: { name: 'Demo customer' } } };
    const answered = way === 'persisted' ? known : { errors: [{ message: 'PersistedQueryOnly' }] };
    expect(await send(server, ASK, DEMO)).toMatchObject(answered);
    const refused = await send(server, '{ customer { email } }', DEMO);
    expect(refused.data).toBeUndefined();
    expect(refused.errors?.[0]?.message).toMatch(/^PersistedQuery/);
    expect(await post(server, toHash(ASK), {})).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHORIZED' } }],
    });
  });

  test('a response cache gives each caller its own response, and unauthenticated requests none', async () => {
    const plugins = {
      cache: useResponseCacheOfEnvelop({
        session: (context) => (context as CallerContext).caller?.credentialId,
        ttl: 60_000,
        includeExtensionMetadata: true,
        shouldCacheResult: ({ result }) => !result.errors?.length,
      }),
    };
    const server = await createTestServer({ plugins });
    const mine = { data: { customer: { name: 'Demo customer' } } };
    const hits: unknown[] = [];
    for (const _time of [1, 2, 3]) {
      const answer = await send(server, ASK, DEMO);
      expect(answer).toMatchObject(mine);
      hits.push(answer.extensions?.['responseCache']?.hit);
    }
    expect(hits).toContain(true);
    const other = await send(server, ASK, OTHER);
    expect(other.data).toEqual({ customer: null });
    const stranger = await send(server, ASK, {});
    expect(stranger.data).toBeUndefined();
    expect(stranger.errors?.[0]?.extensions?.['code']).toMatch(
      /UNAUTHORIZED|PERSISTED_QUERY_NOT_FOUND/,
    );
  });

  test('a plugin that sets a result early gives none to unauthenticated requests', async () => {
    const plugins = {
      eager: {
        onParams: ({ setResult }) => setResult({ data: { customer: { name: 'kept' } } }),
      } as Plugin,
    };
    const server = await createTestServer({ plugins });
    expect(await send(server, ASK, DEMO)).toMatchObject({ data: { customer: { name: 'kept' } } });
    for (const query of [ASK, '{ customer {', '']) {
      const stranger = await send(server, query, {});
      expect(JSON.stringify(stranger)).not.toContain('kept');
      expect(stranger.errors).toHaveLength(1);
    }
  });

  test('a usage reporter sees each operation from its parameters to its result, with long lists as arrays', async () => {
    const seen: Record<string, unknown[]> = {};
    const server = await createTestServer({
      people: createFakePeople(300),
      plugins: { reporter: createReporter(seen) },
    });
    const query =
      '{ searchContacts(filter: { emailDomain: "example.com" }, first: 300) { nodes { id } } }';
    const { data } = await send(server, query, { ...DEMO, 'x-client': 'reporter-test' });
    expect(count({ data })).toBe(300);
    const times = way === 'persisted' ? 2 : 1;
    const each = (value: unknown) => Array(times).fill(value);
    expect(seen).toEqual({
      params: each(true),
      parsed: each('Document'),
      valid: each(true),
      client: each('reporter-test'),
      method: each(way === 'GET' ? 'GET' : 'POST'),
      contacts: each(300),
      results: each(300),
    });
  });

  test('extensions that a plugin adds to a result are returned, except instructions for HTTP', async () => {
    const http = { status: 418, headers: { 'x-leak': '1' } };
    const adding: Plugin = {
      onExecutionResult: ({ result, setResult }) =>
        setResult({ ...result, extensions: { cost: 7, http } } as never),
    };
    const server = await createTestServer({ plugins: { adding } });
    const { extensions } = await send(server, ASK, DEMO);
    expect(extensions).toEqual({ cost: 7 });
  });
});

test('the supported hooks are those that the documents list', async () => {
  const refusal = await createTestServer({ plugins: { csrf: useCSRFPrevention() } }).catch(String);
  const [, listed = ''] = /Supported hooks: (.*)\./.exec(String(refusal)) ?? [];
  const section = /## Which hooks of a plugin run([\s\S]*?)\n## /.exec(
    readFileSync('docs/embedding.md', 'utf8'),
  )?.[1];
  expect(listed.split(', ').length).toBeGreaterThan(9);
  for (const hook of listed.split(', ')) expect(section).toContain(`\`${hook}\``);
});

test('a document that a plugin replaces is authorized again, and the limits apply to it', async () => {
  const { parse } = await import('graphql');
  const replace = (text: string): Plugin => ({
    onParse: ({ setParsedDocument }) => setParsedDocument(parse(text)),
  });
  const stranger = await createTestServer({ plugins: { replace: replace(ASK) } });
  expect(await post(stranger, { query: SCHEMA }, {})).toMatchObject({
    errors: [{ extensions: { code: 'UNAUTHORIZED' } }],
  });
  const aliases = Array.from({ length: 1_100 }, (_, index) => `a${index}: __typename`).join(' ');
  const large = await createTestServer({ plugins: { replace: replace(`{ ${aliases} }`) } });
  expect(await post(large, { query: ASK }, DEMO)).toMatchObject({
    errors: [{ message: expect.stringMatching(/too large/) }],
  });
});

test('a disposable plugin is disposed when the server closes', async () => {
  const ended: string[] = [];
  const plugin = {
    onExecute() {},
    [Symbol.asyncDispose]: async () => void ended.push('now'),
  } as Plugin;
  const server = await createTestServer({ plugins: { plugin } });
  await server.execute(ASK);
  await server.close();
  expect(ended).toEqual(['now']);
});

function count(result: unknown): number | undefined {
  return (result as { data?: { searchContacts?: { nodes: unknown[] } } }).data?.searchContacts
    ?.nodes.length;
}

/** The hooks of `@graphql-yoga/plugin-jwt`, which brings twenty packages along. */
function useJWT(): Plugin {
  return { onYogaInit() {}, onRequestParse() {}, onContextBuilding() {} };
}

function createReporter(seen: Record<string, unknown[]>): Plugin {
  const add = (name: string, value: unknown) => {
    seen[name] = [...(seen[name] ?? []), value];
  };
  return {
    onParams: ({ params }) => add('params', Boolean(params.query ?? params.extensions)),
    onParse:
      () =>
      ({ result }) =>
        add('parsed', (result as { kind?: string }).kind),
    onValidate:
      () =>
      ({ valid }) =>
        add('valid', valid),
    onExecute({ args }) {
      const { request } = args.contextValue as { request: Request };
      add('client', request.headers.get('x-client'));
      add('method', request.method);
      return { onExecuteDone: ({ result }) => add('contacts', count(result)) };
    },
    onExecutionResult: ({ result }) => add('results', count(result)),
  };
}

function toHash(query: string) {
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  return { extensions: { persistedQuery: { version: 1, sha256Hash } } };
}

async function post(
  server: TestServer,
  body: unknown,
  headers: Record<string, string>,
): Promise<Result> {
  return toResult(await server.post(body, headers));
}

/** The result of a batch of one, or of a request that was rejected as a whole. */
async function toResult(response: Response): Promise<Result> {
  expect(response.headers.get('x-leak')).toBeNull();
  const body = (await response.json()) as Result | readonly Result[];
  return Array.isArray(body) ? body[0] : (body as Result);
}

interface Way {
  readonly way: string;
  send(server: TestServer, query: string, headers: Record<string, string>): Promise<Result>;
}

interface Result {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: Record<string, unknown>;
  }[];
  // biome-ignore lint/suspicious/noExplicitAny: the test defines what its plugin adds.
  readonly extensions?: Readonly<Record<string, any>>;
}

interface CallerContext {
  readonly caller?: { readonly credentialId: string };
}
