/**
 * A process that writes: the product's use case, storage, HTTP client and adapters, with a sandbox in another process.
 * Prints `ready`, then carries out one write for each line of its input, and prints the payload or the code of its error.
 */
import { createInterface } from 'node:readline';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import type { Connection } from '../../src/domain/connection.ts';
import { NO_CUSTOM_FIELDS } from '../../src/domain/custom-fields.ts';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { CrmAccess } from '../../src/domain/provider.ts';
import type { ProviderName } from '../../src/domain/provider-names.ts';
import { WRITABLE_CONTACTS } from '../../src/domain/records/contact-changes.ts';
import type { WriteInput, WriteVerb } from '../../src/domain/records/writable.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { type WriteDeps, writeRecords } from '../../src/usecases/write-records.ts';

const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;
const { database: url, keys, application, sandboxes, customerId, writeTimes } = setup;
const database = await openDatabase({ url }, { keyRing: parseKeyRing(keys) });
const providers = createRegistry();
const outbound = createOutbound({
  providers,
  sandboxOrigins: sandboxes,
  findOAuthClient: async () => undefined,
  settings: { deadlineMs: 600_000 },
});
const {
  connections,
  credentials,
  contactCache: cache,
  writes,
} = database.forApplication(application.id);

const openPort = (connection: Connection, access: CrmAccess) =>
  outbound.openCrmPort({ connection, access, credentials, cache, work: BACKGROUND_WORK });
const depsOf = (provider: ProviderName): WriteDeps => ({
  providers,
  cache,
  writes,
  writeTimes,
  defaults: { customerId, provider },
  requireCaller: () => ({ application, credentialId: 'test' }),
  withSpan: (_name, work) => work(),
  loadConnection: async (target) => (await connections.findMany([target]))[0],
  openCrmPort: openPort,
  openWritePort: openPort,
  loadCustomFields: () => NO_CUSTOM_FIELDS,
  shareCachedRead: (_id, _key, read) => read(),
  refreshFieldsOnce: (_id: string, ...rest: readonly unknown[]) =>
    (rest.at(-1) as () => Promise<void>)(),
  runInBackground: (work) => void work.catch(() => undefined),
  wall: Date.now,
});

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { provider, verb, input } = JSON.parse(line) as Order;
  const outcome = await writeRecords(
    depsOf(provider),
    { kind: WRITABLE_CONTACTS, verb },
    input,
  ).then(
    ({ write, results }) => ({ write, results }),
    (error: unknown) => ({
      code: error instanceof CrossbookError ? error.code : String(error),
      detail: String(error),
    }),
  );
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

interface Setup {
  readonly database: string;
  readonly keys: string;
  readonly application: { readonly id: string; readonly name: string };
  readonly sandboxes: readonly string[];
  readonly customerId: string;
  readonly writeTimes: WriteDeps['writeTimes'];
}

interface Order {
  readonly provider: ProviderName;
  readonly verb: WriteVerb;
  readonly input: WriteInput;
}
