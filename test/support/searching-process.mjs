/**
 * Half of two: the compiled product's storage, way out and adapters, beside a sandbox that is another process. Says
 * `ready`, searches for all emails at once when told to, and says what came of it.
 */
import { once } from 'node:events';
import { createOutbound } from '../../dist/outbound/outbound.js';
import { createRegistry } from '../../dist/providers/registry.js';
import { openDatabase } from '../../dist/storage/database.js';
import { parseKeyRing } from '../../dist/storage/sealing/key-ring.js';

const { database: url, keys, application, sandbox, provider, client, emails } = JSON.parse(process.argv[2]);
const database = await openDatabase({ url }, { keyRing: parseKeyRing(keys) });
const providers = createRegistry();
const outbound = createOutbound({ providers, sandboxOrigins: [sandbox], findOAuthClient: () => client });

/** As a request does: nothing is shared but what the process keeps of its own accord. */
async function search(email) {
  const { connections, credentials } = database.forApplication(application.id);
  const [connection] = await connections.findMany([{ customerId: 'expired', providerName: provider }]);
  const access = providers.get(provider).contacts;
  const port = outbound.openContacts({ connection, access, credentials });
  const found = await port.findByEmails([email], { rawData: false });
  return found.get(email).length;
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
