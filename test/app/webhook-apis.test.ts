import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp } from '../support/open-app.ts';
import { openReceiver, type Receiver, withStatus } from '../support/webhook-receiver.ts';

let crossbook: Awaited<ReturnType<typeof openApp>>;
let receiver: Receiver;
beforeAll(async () => {
  crossbook = await openApp();
  receiver = await openReceiver(withStatus(200));
});
afterAll(async () => {
  await crossbook.close();
  await receiver.close();
});

test('an endpoint can be created, read, changed and deleted through GraphQL and REST, and receives events', async () => {
  const made = await crossbook.rest('POST', '/webhook_endpoints', { url: receiver.url });
  expect(made.status).toBe(201);
  const { endpoint, secret } = made.body;
  expect(secret).toMatch(/^whsec_/);
  const ask = (query: string) => crossbook.execute(query);
  const listed = await ask('{ webhookEndpoints { id url eventTypes enabled lastFailure } }');
  expect(listed.data.webhookEndpoints).toEqual([
    { id: endpoint.id, url: receiver.url, eventTypes: [], enabled: true, lastFailure: null },
  ]);

  const customer = { customer_id: 'hook', name: 'N', email: 'n@example.com' };
  expect((await crossbook.rest('PUT', '/customers', customer)).status).toBe(200);
  await expect.poll(() => receiver.calls.length).toBe(1);
  const [call] = receiver.calls;
  const delivered = JSON.parse(call?.body ?? '');
  expect(delivered).toMatchObject({
    type: 'customer.created',
    data: { customer_id: 'hook', version: 1 },
  });

  const { data } = await ask(
    '{ events(customerId: "hook", first: 1) { nodes { id type data } pageInfo { hasNextPage } } }',
  );
  const [event] = data.events.nodes;
  expect(event).toEqual({
    id: call?.headers['webhook-id'],
    type: 'CUSTOMER_CREATED',
    data: { version: 1 },
  });
  expect((await crossbook.rest('GET', '/events?customer_id=hook')).body.records[0]).toMatchObject({
    id: event.id,
    type: 'customer.created',
    customer_id: 'hook',
  });

  const path = `/webhook_endpoints/${endpoint.id}`;
  const again = await crossbook.rest('POST', `${path}/_redeliver`, { event_ids: [event.id] });
  expect([again.status, again.body]).toEqual([202, { scheduled: 1 }]);
  await expect.poll(() => receiver.calls.length).toBe(2);
  expect(receiver.calls[1]?.headers['webhook-id']).toBe(event.id);

  const rotated = await ask(
    `mutation { rotateWebhookSecret(input: { id: "${endpoint.id}" }) { secret } }`,
  );
  expect(rotated.data.rotateWebhookSecret.secret).not.toBe(secret);
  const disabled = await crossbook.rest('PATCH', path, { enabled: false });
  expect(disabled.body.enabled).toBe(false);
  const since = '2020-01-01T00:00:00Z';
  expect((await crossbook.rest('POST', `${path}/_redeliver`, { since })).status).toBe(409);
  expect((await crossbook.rest('DELETE', path)).status).toBe(204);
  expect((await crossbook.rest('DELETE', path)).status).toBe(404);
});

test('in production no endpoint on this machine can be created, even with the sandbox', async () => {
  const production = await openApp({ production: true });
  const { status } = await production.rest('POST', '/webhook_endpoints', { url: receiver.url });
  expect(status).toBe(422);
  await production.close();
});

test('pages of events follow each other without gap or repeat', async () => {
  for (let index = 0; index < 5; index += 1) {
    const body = { customer_id: `page-${index}`, name: 'N', email: 'n@example.com' };
    await crossbook.rest('PUT', '/customers', body);
  }
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await crossbook.rest(
      'GET',
      `/events?page_size=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    seen.push(...body.records.map(({ id }: { id: string }) => id));
    cursor = body.pagination.next;
  }
  const all = (await crossbook.rest('GET', '/events?page_size=200')).body.records.map(
    ({ id }: { id: string }) => id,
  );
  expect(seen).toEqual(all);
  expect(all.length).toBeGreaterThanOrEqual(5);
  expect((await crossbook.rest('GET', '/events?cursor=forged')).status).toBe(400);
});
