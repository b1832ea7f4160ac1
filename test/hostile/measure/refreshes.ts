import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Crm } from '../target/crm.ts';
import { type Target, upsert } from '../target/open-target.ts';
import { openPrepared } from '../target/prepare.ts';
import { type Headers, send, toGraphQL } from '../target/send.ts';
import { type Measure, none } from './measure.ts';
import { compare, measureEach } from './shares-of-time.ts';

/**
 * Token endpoints that hang, for hundreds of customers: another tenant's refresh, search and upsert must keep
 * working.
 */
export const refreshes: Measure = async ({ scale }) => {
  const { target } = await openPrepared();
  const count = Math.ceil(500 * scale);
  const { salesforce } = target.crms;
  const connection = salesforce.connect(await salesforce.demo());
  const theirs = Array.from({ length: count }, (_, n) => `hanging-${n}`);
  for (const id of theirs)
    await upsert(target.url, target.callers.key, id, [toExpired(connection)]);
  const search = (headers: Headers, provider: string) =>
    ask(target, { query: SEARCH }, { ...headers, 'x-provider-name': provider });
  const { neighbour } = target.callers;
  const tasks = {
    search: () => search(neighbour, 'hubspot'),
    upsert: () => upsert(target.url, neighbour, 'neighbour', []),
    async refresh() {
      await upsert(target.url, neighbour, 'neighbour', [toExpired(connection)]);
      await search(neighbour, 'salesforce');
    },
  };
  const failed: string[] = [];
  const alone = await measureEach(tasks, failed);
  await salesforce.forgetCalls();
  await salesforce.fail({ kind: 'hang' }, { times: count, operation: REFRESH });
  const hanging: Promise<void>[] = [];
  // In batches that fit the concurrency limit: requests that queue for more than a second would be rejected.
  for (const id of theirs) {
    const response = search({ ...target.callers.key, 'x-customer-id': id }, 'salesforce');
    hanging.push(response.catch(() => undefined));
    if (hanging.length % AT_ONCE === 0) await waitForCalls(salesforce, hanging.length);
  }
  const arrived = await waitForCalls(salesforce, count);
  // Refreshes that have not been sent by now wait within the product, and must not delay the other tenant's.
  await salesforce.recover();
  const meanwhile = await measureEach(tasks, failed);
  await Promise.all(hanging);
  await target.close();
  return [
    none(
      'refreshes that have not reached their CRM',
      arrived === count ? [] : [`${arrived} of ${count}`],
    ),
    none(`another tenant's requests that failed during ${count} hanging refreshes`, failed),
    ...compare('during hanging refreshes', alone, meanwhile),
  ];
};

async function waitForCalls(crm: Crm, count: number): Promise<number> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const arrived = await crm.countCalls(REFRESH);
    if (arrived >= count || performance.now() > until) return arrived;
    await wait(10);
  }
}

function toExpired(connection: object): object {
  const { credentials } = connection as { credentials: object };
  const expired = {
    access_token: `expired-${randomBytes(8).toString('hex')}`,
    expires_at: '2020-01-01T00:00:00Z',
  };
  return { ...connection, credentials: { ...credentials, ...expired } };
}

async function ask({ url }: Target, operation: { query: string }, headers: Headers): Promise<void> {
  const { text } = await send(url, toGraphQL(operation, headers));
  if (!text.startsWith('{"data":{"searchContacts":{')) throw new Error(text.slice(0, 300));
}

const SEARCH = '{searchContacts(filter:{email:"ada@example.com"}){totalCount}}';

const REFRESH = 'oauth.token';
const PATIENCE_MS = 5_000;
const AT_ONCE = 25;
