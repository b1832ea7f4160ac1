/**
 * The product's listener and its HTTP client, with a CRM in another process, within the default memory limits:
 * `/search` calls the CRM and retains the result until the response is sent, `/large` responds with a megabyte.
 */
import type { ContactAccess } from '../../src/domain/provider.ts';
import { listen } from '../../src/http/listen.ts';
import type { HttpRequest } from '../../src/lib/http-message.ts';
import { createMemoryLimit, defaultMaxHeldBytes } from '../../src/limits/memory-limit.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { createConnection } from './connection.ts';
import { createFakeContactCache } from './fake-contact-cache.ts';
import { createFakeCredentials } from './fake-credentials.ts';
import { createFakePermit } from './fake-permit.ts';
import { openHandler } from './open-handler.ts';

const crm = process.argv[2] ?? '';
const maxBytes = defaultMaxHeldBytes();
const heldBytes = createMemoryLimit({ maxBytes });
const providers = createRegistry();
const outbound = createOutbound({
  providers,
  heldBytes,
  sandboxOrigins: [crm],
  settings: { deadlineMs: 600_000 },
  findOAuthClient: async () => undefined,
});
const connection = createConnection('hubspot', { instanceUrl: crm });
const { store: credentials } = createFakeCredentials({ type: 'token', value: 'secret' }, crm);
const cache = createFakeContactCache();
const access = providers.get('hubspot')?.contacts as ContactAccess;
let pages = 0;

const { handle } = openHandler({
  max: 1_000,
  answer,
  patch: { heldBytes, bodyBytes: { stranger: 32_768 } },
});
const listener = await listen({
  answer: handle,
  heldBytes,
  onRefused: () => {},
  host: '127.0.0.1',
  port: 0,
  bounds: {
    maxConnections: 1_000,
    maxConnectionsPerAddress: 900,
    headersTimeoutMs: 600_000,
    requestTimeoutMs: 600_000,
    keepAliveMs: 600_000,
  },
});
process.on('message', (what) => {
  if (what === 'end') process.exit();
  process.send?.({ held: heldBytes.counts().held });
});
process.send?.({ url: listener.url, maxBytes });

async function answer({ pathname }: HttpRequest) {
  if (pathname === '/large') return { status: 200, headers: {}, body: 'x'.repeat(1024 * 1024) };
  if (pathname === '/pages') return { status: 200, headers: {}, body: String(pages) };
  const permit = createFakePermit();
  const port = outbound.openContactPort({ connection, access, credentials, cache, permit });
  try {
    const found = await port.readByDomain(
      'x.example',
      { direction: 'forward', from: undefined, limit: 1 },
      RAW,
    );
    pages++;
    return { status: 200, headers: {}, body: String(found.length) };
  } catch (error) {
    return { status: 503, headers: {}, body: (error as { code?: string }).code ?? String(error) };
  } finally {
    permit.end();
  }
}

const RAW = { rawData: true };
