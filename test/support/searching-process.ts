/**
 * One of two searching processes: the product's storage, HTTP client and adapters, with a sandbox in another
 * process. Prints `ready`, searches for all emails concurrently on a message, and prints the outcome.
 */
import { once } from 'node:events';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import type { ProviderName } from '../../src/domain/provider-names.ts';
import { CONTACT } from '../../src/domain/records/contact.ts';
import type { OAuthClient } from '../../src/domain/token-refresh.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';

const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;
const {
  database: url,
  keys,
  refreshLeaseMs,
  application,
  sandbox,
  provider,
  client,
  emails,
} = setup;
const database = await openDatabase({ url }, { keyRing: parseKeyRing(keys), refreshLeaseMs });
const providers = createRegistry();
const outbound = createOutbound({
  providers,
  sandboxOrigins: [sandbox],
  findOAuthClient: async () => client,
  settings: { deadlineMs: 600_000 },
});

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const outcomes = await Promise.allSettled(emails.map(search));
const failed = outcomes.flatMap((outcome) =>
  outcome.status === 'rejected' ? [String(outcome.reason)] : [],
);
const found = outcomes.filter(
  (outcome) => outcome.status === 'fulfilled' && outcome.value === 1,
).length;
process.stdout.write(`${JSON.stringify({ found, failed: [...new Set(failed)] })}\n`);
await outbound.close();
await database.close();
process.exit();

/** Like a request: shares only what the process itself caches. */
async function search(email: string): Promise<number | undefined> {
  const { connections, credentials, contactCache: cache } = database.forApplication(application.id);
  const [connection] = await connections.findMany([
    { customerId: 'expired', providerName: provider },
  ]);
  const access = providers.get(provider)?.crm;
  if (!connection || !access) throw new Error(`There is no connection to ${provider}.`);
  const port = outbound.openCrmPort({
    connection,
    access,
    credentials,
    cache,
    work: BACKGROUND_WORK,
  });
  const found = await port.of(CONTACT).findByKey([email], { rawData: false });
  return found.get(email)?.length;
}

interface Setup {
  readonly database: string;
  readonly keys: string;
  readonly refreshLeaseMs?: number;
  readonly application: { readonly id: string };
  readonly sandbox: string;
  readonly provider: ProviderName;
  readonly client: OAuthClient;
  readonly emails: readonly string[];
}
