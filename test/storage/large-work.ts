import { randomUUID } from 'node:crypto';
import { systemClock } from '../../src/lib/clock.ts';
import { createDatabase } from '../../src/storage/database.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { EVERYTHING } from '../../src/sync/watch.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

/** What background jobs and requests do in the database of `npm run large`, by name. */
export async function openWork({ url, keys, applicationId }: Opening) {
  const engine = await openEngine({ url }, PATIENT_DATABASE);
  const database = createDatabase(engine, { keyRing: parseKeyRing(keys) });
  // Nothing was due a hundred days ago.
  const clock = { ...systemClock, wall: () => Date.now() - 100 * DAY_MS };
  const early = createDatabase(engine, { keyRing: parseKeyRing(keys), clock });
  const { customers, connections, events, credentials } = database.forApplication(applicationId);
  const { webhookQueue, syncPlans, syncQueue, sweeps, idleCredentials, deletedApplications } =
    database;
  const now = Date.now();
  const slots = { free: 8, held: new Map<string, number>() };
  const customerId = 'customer-1';
  const hubspot = { customerId, providerName: 'hubspot' } as const;
  const page = { direction: 'forward', size: 50, boundary: undefined } as const;
  return {
    close: database.close,
    work: {
      'webhooks: is anything due': () => webhookQueue.look(),
      'webhooks: is anything due, if nothing is': () => early.webhookQueue.look(),
      'webhooks: count': () => webhookQueue.count(),
      'webhooks: claim endpoints': () =>
        webhookQueue.claim({ lease: randomUUID(), leaseMs: 1_000, healthy: slots, failing: slots }),
      'webhooks: read deliveries': () =>
        webhookQueue.read({ applicationId, id: applicationId }, 100),
      'syncs: is anything due': () => syncQueue.findDue(),
      'syncs: is anything due, if nothing is': () => early.syncQueue.findDue(),
      'syncs: count': () => syncQueue.count(),
      'syncs: plan changed connections': () =>
        syncPlans.planCustomers([{ applicationId, customerId: 'customer-11' }]),
      'syncs: look for what is not planned': () => syncPlans.planNext(EVERYTHING),
      'syncs: claim': () =>
        syncQueue.claim({ lease: randomUUID(), leaseMs: 1_000, free: 8, held: new Map() }),
      'check of keys': () => database.maintenance.findUnreadableKeys(),
      'sizes of tables': () => database.measureTables(),
      'sweep of events': () => sweeps.events(new Date(now - 30 * DAY_MS)).next(),
      'sweep of cached contacts': () =>
        sweeps
          .contactCache({ olderThan: new Date(now - DAY_MS), maxBytesPerApplication: 1e9 })
          .next(),
      'sweep of usage': () => sweeps.usage(new Date(now - HOUR_MS)).next(),
      'sweep of links': () => sweeps.connectLinks().next(),
      'sweep of expired tokens': () => sweeps.expiredTokens().next(),
      'idle tokens': () =>
        idleCredentials.claim({
          providers: ['hubspot', 'salesforce'],
          idleBefore: new Date(now + DAY_MS),
          claimedAs: new Date(now),
          limit: 50,
        }),
      'deletion of an application': async () => {
        await deletedApplications.findCustomers(applicationId);
        await deletedApplications.deleteCustomers(applicationId, ['customer-11']);
        await deletedApplications.deleteHistory(applicationId)[Symbol.asyncIterator]().next();
      },
      'request: a customer': () => customers.findMany([customerId]),
      'request: a connection': () => connections.findMany([hubspot]),
      'request: credentials': () => credentials.read(randomUUID()),
      'request: a page of customers': () => customers.list({}, page),
      'request: a page of customers by status': () =>
        customers.list({ status: 'reauthorize', provider: 'hubspot' }, page),
      'request: a page of events': () =>
        events.list({ customerId: undefined, after: undefined, limit: 51 }),
      'request: events of a customer': () =>
        events.list({ customerId, after: undefined, limit: 51 }),
      'request: an upsert': () =>
        customers.upsert({ customerId, name: 'C', email: 'c@example.com' }),
    },
  };
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

interface Opening {
  readonly url: string;
  readonly keys: string;
  readonly applicationId: string;
}
