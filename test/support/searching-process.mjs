/**
 * Half of two: the compiled product's storage, way out, adapters and use case, beside a sandbox that is another
 * process. Says `ready`, searches for all emails at once when told to, and says what came of it.
 */
import { once } from 'node:events';
import { createOutbound } from '../../dist/outbound/outbound.js';
import { createRegistry } from '../../dist/providers/registry.js';
import { createRequestContext } from '../../dist/request/context.js';
import { openDatabase } from '../../dist/storage/database.js';
import { parseKeyRing } from '../../dist/storage/sealing/key-ring.js';
import { createSealer } from '../../dist/storage/sealing/seal.js';
import { searchContacts } from '../../dist/usecases/search-contacts.js';

const { database: url, keys, application, sandbox, provider, client, emails } = JSON.parse(process.argv[2]);
const keyRing = parseKeyRing(keys);
const database = await openDatabase({ url }, { keyRing });
const providers = createRegistry();
const outbound = createOutbound({ providers, sandboxOrigins: [sandbox], findOAuthClient: () => client });
const services = {
  providers,
  cursors: createSealer(keyRing, 'cursor'),
  cacheMaxAgeMs: 0,
  now: Date.now,
  behind: () => undefined,
  admit: async () => undefined,
  openTenant: database.forApplication,
  openPort: outbound.openContacts,
};
const run = (_name, work) => work();
const journal = { note() {}, failed() {}, called() {}, operation: run, timed: run };
const caller = { application, credentialId: 'key' };

/** As the faces do: a context for each request. */
async function search(email) {
  const defaults = { customerId: 'expired', provider };
  const context = createRequestContext(services, { caller, defaults, journal });
  const want = { rawData: false, totalCount: true, neighbours: false };
  const { contacts } = await searchContacts(context, {
    filter: { email },
    page: {},
    readFromCache: false,
    want,
  });
  return contacts.length;
}

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const outcomes = await Promise.allSettled(emails.map(search));
const failed = outcomes.filter(({ status }) => status === 'rejected').map(({ reason }) => String(reason));
const found = outcomes.filter(({ value }) => value === 1).length;
process.stdout.write(`${JSON.stringify({ found, failed: [...new Set(failed)] })}\n`);
await outbound.close();
await database.close();
process.exit();
