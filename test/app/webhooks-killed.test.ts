import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openRival } from '../support/postgres-rival.ts';
import { startProduct } from '../support/product.ts';
import { loadStandardWebhooks } from '../support/standard-webhooks.ts';
import {
  openReceiver,
  type ReceivedCall,
  type Receiver,
  withStatus,
} from '../support/webhook-receiver.ts';

const EVENTS = 1_000;
const CUSTOMERS = 50;
const KEYS = { CROSSBOOK_KEYS: `test:${Buffer.alloc(32, 9).toString('base64')}` };

let fresh: TestDatabase;
const receivers: Receiver[] = [];
beforeAll(async () => {
  fresh = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(receivers.map((one) => one.close()));
  await fresh.drop();
});

test('a thousand events survive kill -9 of the sender: each is delivered at least once, signed, and each sequence completely, beside endpoints that fail', async () => {
  const start = () => startProduct({ ...KEYS, DATABASE_URL: fresh.url, CROSSBOOK_SANDBOX: 'on' });
  const { Webhook } = await loadStandardWebhooks();
  const target = await open(withStatus(200));
  let count = 0;
  const open200 = await open((response) => {
    count += 1;
    withStatus(count % 7 === 0 ? 500 : 200)(response);
  });
  const dead = [
    await open(withStatus(500)),
    await open(() => {}), // never responds
    await open(withStatus(302, { location: target.url })),
    await open(withStatus(410)),
    await open(withStatus(429, { 'retry-after': '1' })),
  ];
  const first = await start();
  const { headers } = first;
  const post = async (url: string, method: string, path: string, body: object) => {
    const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    expect(response.ok, await response.clone().text()).toBe(true);
    return response.json() as Promise<{ secret: string; endpoint: { id: string } }>;
  };
  const endpoints = [];
  for (const { url } of [open200, ...dead])
    endpoints.push(await post(first.url, 'POST', '/webhook_endpoints', { url }));

  // A connection that is made and removed: each is an event, the next of its connection.
  const change = (url: string, n: number) => {
    const credentials =
      Math.floor(n / CUSTOMERS) % 2 === 0 ? { type: 'token', value: 'some-token' } : null;
    const connections = [{ provider_name: 'hubspot', credentials }];
    const customer = {
      customer_id: `customer-${n % CUSTOMERS}`,
      name: 'N',
      email: 'n@example.com',
      connections,
    };
    return post(url, 'PUT', '/customers', customer);
  };
  for (let n = 0; n < EVENTS / 2; n += CUSTOMERS)
    await Promise.all(
      Array.from({ length: CUSTOMERS }, (_, index) => change(first.url, n + index)),
    );
  await expect.poll(() => open200.calls.length).toBeGreaterThan(20);
  first.child.kill('SIGKILL');
  await first.ended;
  const rival = await openRival(fresh.url);
  expect(
    (await rival.run('select count(*)::int as n from crossbook.webhook_deliveries'))[0]?.['n'],
  ).toBeGreaterThan(0);
  // Its lease expires after a minute: the test does not wait for that.
  await rival.run(
    'update crossbook.webhook_endpoints set leased_until = now() where leased_until is not null',
  );

  const second = await start();
  for (let n = EVENTS / 2; n < EVENTS; n += CUSTOMERS)
    await Promise.all(
      Array.from({ length: CUSTOMERS }, (_, index) => change(second.url, n + index)),
    );
  const rows = await rival.run(
    `select id, sequence from crossbook.events
    where connection_id is not null and customer_id like 'customer-%'`,
  );
  expect(rows.length).toBe(EVENTS);
  // Retries are minutes away: advance the time for those of the healthy endpoint.
  const [healthy] = endpoints;
  await expect
    .poll(
      async () => {
        await rival.run(
          `update crossbook.webhook_deliveries set next_attempt_at = now() where endpoint_id = '${healthy?.endpoint.id}'`,
        );
        const arrived = new Set(open200.calls.map(idOf));
        return rows.filter(({ id }) => !arrived.has(String(id))).length;
      },
      { interval: 500 },
    )
    .toBe(0);

  const webhook = new Webhook(healthy?.secret ?? '');
  const numbers = new Map<string, Set<number>>();
  for (const call of open200.calls) {
    const { data } = webhook.verify(call.body, call.headers as Record<string, string>) as Told;
    if (data.connection_id === undefined) continue;
    numbers.set(
      data.connection_id,
      (numbers.get(data.connection_id) ?? new Set()).add(data.sequence),
    );
  }
  expect(numbers.size).toBe(CUSTOMERS);
  for (const seen of numbers.values())
    expect([...seen].sort((a, b) => a - b)).toEqual(
      Array.from({ length: EVENTS / CUSTOMERS }, (_, index) => index + 1),
    );
  expect(target.calls.length).toBe(0);
  for (const one of dead) expect(one.calls.length).toBeGreaterThan(0);
  await rival.close();
  await second.stop();
});

async function open(answer: Parameters<typeof openReceiver>[0]): Promise<Receiver> {
  const receiver = await openReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

function idOf({ headers }: ReceivedCall): string {
  return String(headers['webhook-id']);
}

interface Told {
  readonly data: { readonly connection_id?: string; readonly sequence: number };
}
