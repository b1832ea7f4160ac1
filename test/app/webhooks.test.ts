import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openWebhookSender } from '../../src/outbound/webhooks/sender.ts';
import { createDatabase, type Database } from '../../src/storage/database.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { loadStandardWebhooks, type StandardWebhooks } from '../support/standard-webhooks.ts';
import {
  openReceiver,
  type ReceivedCall,
  type Receiver,
  withStatus,
} from '../support/webhook-receiver.ts';

const HOUR_MS = 3_600_000;

describe('Webhooks', () => {
  let fresh: TestDatabase;
  let database: Database;
  let close = async () => {};
  let standard: StandardWebhooks;
  let ahead = 0;
  const opened: { close(): Promise<void> }[] = [];
  /** The time of day is advanced by hand. */
  const clock = { ...systemClock, wall: () => systemClock.wall() + ahead };
  beforeAll(async () => {
    standard = await loadStandardWebhooks();
    fresh = await createTestDatabase();
    const engine = await openEngine(fresh, PATIENT_DATABASE);
    database = createDatabase(engine, { keyRing: TEST_RING, clock });
    close = engine.close;
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });
  afterAll(async () => {
    await close();
    await fresh.drop();
  });

  const openSender = () => {
    const sender = openWebhookSender({
      queue: database.webhookQueue,
      clock,
      mayLoopback: true,
      keepsResponses: false,
      onAttempt: () => {},
      onError: (error) => {
        throw error;
      },
    });
    opened.push({ close: sender.stop });
    return sender;
  };
  const receive = async (answer: (response: ServerResponse, call: ReceivedCall) => void) => {
    const receiver = await openReceiver(answer);
    opened.push(receiver);
    return receiver;
  };
  const openApplication = async () => {
    const { id } = await database.admin.createApplication(randomUUID());
    const { webhooks, customers } = database.forApplication(id);
    return {
      webhooks,
      customers,
      add: async ({ url }: Receiver, eventTypes: readonly 'connection.connected'[] = []) => {
        const made = await webhooks.create({ url, eventTypes });
        if (!made) throw new Error('There is no room for another endpoint.');
        return { id: made.endpoint.id, secret: made.secret };
      },
      upsert: (customerId: string, credentials: { type: 'token'; value: string } | null = null) =>
        customers.upsert({
          customerId,
          name: 'N',
          email: 'a@b.c',
          connections: [{ providerName: 'hubspot', credentials }],
        }),
      see: async (endpointId: string) =>
        (await webhooks.list()).find(({ id }) => id === endpointId),
    };
  };
  const verify = (secret: string, { headers, body }: ReceivedCall) =>
    new standard.Webhook(secret).verify(body, headers as Record<string, string>) as {
      type: string;
      timestamp: string;
      data: { customer_id: string; connection_id?: string; sequence?: number };
    };
  const TOKEN = { type: 'token', value: 'some-token' } as const;

  test('an event is delivered, verifies with the public Standard Webhooks package, and contains no personal data', async () => {
    const { add, upsert } = await openApplication();
    const receiver = await receive(withStatus(204));
    const { secret } = await add(receiver);
    await upsert('ada', TOKEN);
    await openSender().pump();
    await expect.poll(() => receiver.calls.length).toBe(2);
    const events = receiver.calls.map((call) => verify(secret, call));
    expect(events.map(({ type }) => type)).toEqual(['customer.created', 'connection.connected']);
    expect(events[1]?.data).toEqual({
      customer_id: 'ada',
      connection_id: expect.any(String),
      sequence: 1,
      provider_name: 'hubspot',
      status: 'connected',
      status_reason: 'not_tried',
    });
    expect(Object.keys(events[1] ?? {})).toEqual(['type', 'timestamp', 'data']);
    for (const { headers } of receiver.calls) expect(headers['webhook-id']).not.toContain('.');
    expect(() =>
      verify(`whsec_${Buffer.alloc(32).toString('base64')}`, receiver.calls[0] as ReceivedCall),
    ).toThrow();
  });

  test('an event is delivered at once while hundreds of endpoints of other applications answer slowly', async () => {
    const held: ServerResponse[] = [];
    const slow = await receive((response) => held.push(response));
    const sender = openSender();
    for (let n = 0; n < 8; n += 1) {
      const { add, upsert } = await openApplication();
      await Promise.all(Array.from({ length: 20 }, () => add(slow)));
      await upsert('ada');
    }
    await sender.pump();
    await expect.poll(() => held.length).toBe(104);
    const { add, upsert } = await openApplication();
    const quick = await receive(withStatus(204));
    for (let n = 0; n < 2; n += 1) await add(quick);
    await upsert('ada');
    await sender.pump();
    await expect.poll(() => quick.calls.length).toBe(2);
    // Slots that become free go to the endpoints that have waited.
    for (const response of held.splice(0)) response.end();
    await expect.poll(() => held.length).toBe(56);
    for (const response of held) response.end();
  });

  test('during a secret rotation both signatures verify; a day later only the new one does', async () => {
    const { add, upsert, webhooks } = await openApplication();
    const receiver = await receive(withStatus(200));
    const { id, secret: before } = await add(receiver);
    const rotated = await webhooks.rotateSecret(id);
    const after = rotated?.secret ?? '';
    expect(after).not.toBe(before);
    await upsert('ada');
    await openSender().pump();
    await expect.poll(() => receiver.calls.length).toBe(1);
    for (const secret of [before, after]) verify(secret, receiver.calls[0] as ReceivedCall);
    ahead += 25 * HOUR_MS;
    await upsert('grace');
    await openSender().pump();
    await expect.poll(() => receiver.calls.length).toBe(2);
    const [, signature] = [0, receiver.calls[1]?.headers['webhook-signature']];
    expect(String(signature).split(' ').length).toBe(1);
    ahead -= 25 * HOUR_MS;
  });

  test('a failed delivery is retried with the same id and body, and a new timestamp', async () => {
    const { add, upsert, see } = await openApplication();
    let isDown = true;
    const receiver = await receive((response) => withStatus(isDown ? 500 : 200)(response));
    const { id, secret } = await add(receiver);
    await upsert('ada');
    const sender = openSender();
    await sender.pump();
    await expect.poll(async () => (await see(id))?.lastFailure).toBe('HTTP 500');
    isDown = false;
    ahead += 10_000;
    await sender.pump();
    await expect.poll(() => receiver.calls.length).toBe(2);
    const [first, second] = receiver.calls;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    expect(Number(second?.headers['webhook-timestamp'])).toBeGreaterThan(
      Number(first?.headers['webhook-timestamp']) + 5,
    );
    ahead -= 10_000;
    verify(secret, first as ReceivedCall);
    await sender.pump();
    expect((await see(id))?.enabled).toBe(true);
  });

  test('410 disables the endpoint immediately; three days without success disable it and drop its queue', async () => {
    const { add, upsert, see } = await openApplication();
    const gone = await receive(withStatus(410));
    const dead = await receive(withStatus(503));
    const [goneId, deadId] = [(await add(gone)).id, (await add(dead)).id];
    await upsert('ada');
    const sender = openSender();
    await sender.pump();
    await expect.poll(async () => (await see(goneId))?.enabled).toBe(false);
    expect((await see(goneId))?.lastFailure).toBe('HTTP 410');
    const started = ahead;
    for (let hours = 0; (await see(deadId))?.enabled && hours < 100; hours += 1) {
      const before = dead.calls.length;
      ahead += HOUR_MS;
      await upsert(`customer-${hours}`);
      await sender.pump();
      await expect.poll(() => dead.calls.length).toBeGreaterThan(before);
      await expect
        .poll(async () => (await database.webhookQueue.count()).failing)
        .toBeLessThanOrEqual(1);
    }
    expect((ahead - started) / HOUR_MS).toBeGreaterThanOrEqual(72);
    expect((ahead - started) / HOUR_MS).toBeLessThan(75);
    await expect.poll(async () => (await database.webhookQueue.count()).pending).toBe(0);
    expect((await database.webhookQueue.count()).disabled).toBe(2);
    ahead = 0;
  });

  test('redirects count as failures, and are not followed', async () => {
    const { add, upsert, see } = await openApplication();
    const target = await receive(withStatus(200));
    const receiver = await receive(withStatus(307, { location: target.url }));
    const { id } = await add(receiver);
    await upsert('ada');
    await openSender().pump();
    await expect
      .poll(async () => (await see(id))?.lastFailure)
      .toBe('HTTP 307: redirects are not followed');
    expect(target.calls.length).toBe(0);
  });

  test('an endpoint that responds with Retry-After gets nothing until then', async () => {
    const { add, upsert, see } = await openApplication();
    let isBusy = true;
    const receiver = await receive((response) =>
      withStatus(isBusy ? 429 : 200, isBusy ? { 'retry-after': '600' } : {})(response),
    );
    const { id } = await add(receiver);
    await upsert('ada');
    await upsert('grace');
    const sender = openSender();
    await sender.pump();
    await expect.poll(async () => (await see(id))?.lastFailure).toBe('HTTP 429');
    isBusy = false;
    const before = receiver.calls.length;
    ahead += 590_000;
    const slots = { free: 100, held: new Map() };
    const claim = { lease: randomUUID(), leaseMs: 1, healthy: slots, failing: slots };
    const claimed = await database.webhookQueue.claim(claim);
    expect(claimed.map((endpoint) => endpoint.id)).not.toContain(id);
    expect(receiver.calls.length).toBe(before);
    ahead += 20_000;
    await sender.pump();
    await expect
      .poll(() => new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size)
      .toBe(2);
    ahead = 0;
  });
});
