import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PARTS } from '../support/paths.ts';
import { startWorker } from '../support/worker.ts';
import { loop } from './upsert-loop.ts';

/**
 * Crossbook's own storage without HTTP and GraphQL: separates the cost of the database in an upsert from that of
 * the API.
 */
const load = (file: string) => import(pathToFileURL(join(PARTS, file)).href);
const { openDatabase } = await load('storage/database.js');
const { parseKeyRing } = await load('storage/key-ring.js');
const database = await openDatabase(
  { url: process.argv[2] },
  { keyRing: parseKeyRing(process.argv[3]), onError: () => {} },
);
const application = { id: 'c7055b00-de30-4000-8000-000000000002', name: 'Bench' };
await database.admin.ensureApplication(application);
const { customers } = database.forApplication(application.id);

const connections = [
  { providerName: 'hubspot', credentials: { type: 'token', value: 'pat-na1-of-the-bench' } },
];

startWorker(
  {},
  {
    loop: loop((customerId) => customers.upsert(toUpsert(customerId))),
    connectedLoop: loop((customerId) => customers.upsert({ ...toUpsert(customerId), connections })),
  },
);

function toUpsert(customerId: string) {
  return { customerId, name: `Customer ${customerId}`, email: `${customerId}@bench.example` };
}
