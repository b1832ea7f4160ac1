import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { useOpenTelemetry } from '@envelop/opentelemetry';
import { useResponseCache } from '@envelop/response-cache';
import { maxDepthPlugin } from '@escape.tech/graphql-armor-max-depth';
import { createHive, useHive } from '@graphql-hive/envelop';
import { useHive as useHiveOfYoga } from '@graphql-hive/yoga';
import { useApolloUsageReport } from '@graphql-yoga/plugin-apollo-usage-report';
import { useJWT } from '@graphql-yoga/plugin-jwt';
import { useResponseCache as useResponseCacheOfYoga } from '@graphql-yoga/plugin-response-cache';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createCrossbook } from 'crossbook';

// Runs in a folder where the package and the plugins are installed. Prints what was observed of each plugin, as JSON.

const settings = {
  ...process.env,
  CROSSBOOK_SANDBOX: 'on',
  CROSSBOOK_SANDBOX_PORT: '0',
  LOG_LEVEL: 'error',
};
const FIND =
  'query FindAda { searchContacts(filter: { email: "ada@example.com" }) { nodes { lastName } } }';
const NAME = '{ customer { name } }';

const exporter = new InMemorySpanExporter();
const tracing = new BasicTracerProvider();
tracing.addSpanProcessor(new SimpleSpanProcessor(exporter));

const observed = {
  'useHive of Envelop': await observeReports(),
  'useHive of Yoga': await open({
    plugin: useHiveOfYoga({ enabled: true, token: 'token', usage: true }),
  }),
  useApolloUsageReport: await open({
    plugin: useApolloUsageReport({ graphRef: 'a@b', apiKey: 'key' }),
  }),
  'useResponseCache of Envelop': await observeCache(),
  'useResponseCache of Yoga': await open({
    plugin: useResponseCacheOfYoga({ session: () => null }),
  }),
  useJWT: await open({ plugin: useJWT({ signingKeyProviders: [() => 'secret'] }) }),
  maxDepthPlugin: await observeDepth(),
  useOpenTelemetry: await observeSpans(),
  'useOpenTelemetry of resolvers': await open({
    plugin: useOpenTelemetry({ resolvers: true }, tracing),
  }),
};
process.stdout.write(JSON.stringify(observed));

/** The error of a start, with which a plugin is rejected. */
async function open(plugins) {
  try {
    const crossbook = await createCrossbook({ settings, plugins });
    await crossbook.close();
    return 'It was opened.';
  } catch (error) {
    return error.message;
  }
}

/** Calls back with a function that sends an operation. */
async function serve(plugins, use) {
  const crossbook = await createCrossbook({ settings, plugins });
  const server = createServer(crossbook.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const demo = {
    'x-api-key': crossbook.demo.apiKey,
    'x-customer-id': 'demo',
    'x-provider-name': 'hubspot',
  };
  const send = async (query, headers = demo) => {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    return response.json();
  };
  try {
    return await use(send, demo);
  } finally {
    server.close();
    await crossbook.close();
  }
}

/** The operations of the usage reports that have arrived. */
async function observeReports() {
  const reports = [];
  const receiver = createServer(async (request, response) => {
    const isPacked = request.headers['content-encoding'] === 'gzip';
    const body = await text(isPacked ? request.pipe(createGunzip()) : request);
    reports.push(JSON.parse(body));
    response.setHeader('content-type', 'application/json');
    response.end('{ "id": "1", "operations": { "accepted": 1, "rejected": 0 } }');
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${receiver.address().port}`;
  const hive = createHive({
    enabled: true,
    token: 'token',
    usage: true,
    selfHosting: { graphqlEndpoint: url, applicationUrl: url, usageEndpoint: url },
    agent: { logger: { info() {}, error() {} } },
  });
  await serve({ hive: useHive(hive) }, (send) => send(FIND));
  // Sends what is left.
  await hive.dispose();
  receiver.close();
  return reports.flatMap(({ map }) => Object.values(map).map(({ operationName }) => operationName));
}

/** The results of one query for several callers, and whether they came from the cache. */
async function observeCache() {
  const cache = useResponseCache({
    session: ({ caller, request }) =>
      JSON.stringify([
        caller?.credentialId,
        request.headers.get('x-customer-id'),
        request.headers.get('x-provider-name'),
      ]),
    ttl: 60_000,
    includeExtensionMetadata: true,
  });
  crossbook('apps', 'create', 'Other');
  const key = crossbook('keys', 'create', 'Other').match(/cbk_\S+/)[0];
  return serve({ cache }, async (send, demo) => {
    const other = { ...demo, 'x-api-key': key };
    const second = { ...demo, 'x-customer-id': 'second' };
    for (const [headers, customerId, name] of [
      [demo, 'second', 'Second customer'],
      [other, 'demo', 'Customer of another application'],
    ]) {
      const input = `{ customerId: "${customerId}", name: "${name}", email: "a@example.com" }`;
      await send(`mutation { upsertCustomer(input: ${input}) { customer { id } } }`, headers);
    }
    const callers = { first: demo, again: demo, second, other, unauthenticated: {} };
    const answers = {};
    for (const [caller, headers] of Object.entries(callers)) {
      const { data, extensions, errors } = await send(NAME, headers);
      answers[caller] = [
        data?.customer?.name ?? errors?.[0].extensions.code,
        extensions?.responseCache?.hit ?? false,
      ];
    }
    return answers;
  });
}

/** The results of an operation within the limit of depth and of one beyond it. */
function observeDepth() {
  return serve({ depth: maxDepthPlugin({ n: 3 }) }, async (send) => {
    const { data } = await send(NAME);
    const { errors } = await send(FIND.replace('lastName', 'emailAddresses { emailAddress }'));
    return { within: data, beyond: errors?.map(({ message }) => message) };
  });
}

/** The names of the exported spans. */
async function observeSpans() {
  await serve({ tracing: useOpenTelemetry({ resolvers: false }, tracing) }, (send) => send(FIND));
  return exporter.getFinishedSpans().map(({ name }) => name);
}

/** The command of the same installation. */
function crossbook(...args) {
  return execFileSync('node_modules/.bin/crossbook', args, { encoding: 'utf8' });
}
