import { byDomain } from '../support/by-domain.ts';
/**
 * The product's listener and its HTTP client, with a CRM in another process, within the default memory limits:
 * `/search` calls the CRM and retains the result until the response is sent, `/large` responds with a megabyte.
 */

import { createMemory, defaultMaxHeldBytes } from '../../src/admission/memory.ts';
import type { ContactAccess } from '../../src/domain/provider.ts';
import type { HttpRequest } from '../../src/lib/http-message.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { createConnection } from '../support/connection.ts';
import { createFakeContactCache } from '../support/fake-contact-cache.ts';
import { createFakeCredentials } from '../support/fake-credentials.ts';
import { createFakeWork } from '../support/fake-work.ts';
import { listen } from '../support/listen.ts';
import { openHandler } from '../support/open-handler.ts';

const crm = process.argv[2] ?? '';
/** The share of a connection holds one of the responses, and no second one. */
const maxBytes = defaultMaxHeldBytes() / 3;
const memory = createMemory({ maxBytes });
const providers = createRegistry();
const outbound = createOutbound({
  providers,
  memory,
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
  patch: { memory, bodyBytes: { unauthenticated: 32_768 } },
});
const listener = await listen({
  answer: handle,
  memory,
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
  process.send?.({ held: memory.counts().held });
});
process.send?.({ url: listener.url, maxBytes });

async function answer({ pathname }: HttpRequest) {
  if (pathname === '/large') return { status: 200, headers: {}, body: 'x'.repeat(1024 * 1024) };
  if (pathname === '/pages') return { status: 200, headers: {}, body: String(pages) };
  const work = createFakeWork();
  const port = outbound.openContactPort({ connection, access, credentials, cache, work });
  try {
    const found = await port.readList(
      byDomain('x.example'),
      { direction: 'forward', from: undefined, limit: 1 },
      RAW,
    );
    pages++;
    return { status: 200, headers: {}, body: String(found.length) };
  } catch (error) {
    return { status: 503, headers: {}, body: (error as { code?: string }).code ?? String(error) };
  } finally {
    work.end();
  }
}

const RAW = { rawData: true };
