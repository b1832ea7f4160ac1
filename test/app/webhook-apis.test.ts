import { verifyWebhook } from 'crossbook-client/webhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAdminKey } from '../../src/domain/caller.ts';
import { openApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';
import { openReceiver, type Receiver, withStatus } from '../support/webhook-receiver.ts';

const { key: adminKey, hash } = createAdminKey();
let crossbook: Awaited<ReturnType<typeof openApp>>;
let receiver: Receiver;
beforeAll(async () => {
  crossbook = await openApp({ adminKeyHash: hash });
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

describe('a test event', () => {
  const SEND = `mutation ($id: ID!) {
    sendTestEvent(input: { endpointId: $id, clientMutationId: "c" }) {
      clientMutationId event { id type customerId connectionId sequence data createdAt }
    }
  }`;
  const open = async (event_types: readonly string[] = []) => {
    const own = await openReceiver(withStatus(204));
    opened.push(own);
    const { body } = await crossbook.rest('POST', '/webhook_endpoints', {
      url: own.url,
      event_types,
    });
    return { ...own, id: body.endpoint.id as string, secret: body.secret as string };
  };
  const opened: Receiver[] = [];
  afterEach(async () => {
    const { body } = await crossbook.rest('GET', '/webhook_endpoints');
    for (const { id } of body.records) await crossbook.rest('DELETE', `/webhook_endpoints/${id}`);
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  test('is delivered and signed like every event, to its endpoint only, regardless of the types of both', async () => {
    const [tested, other] = [await open(['customer.deleted']), await open()];
    const { data } = await crossbook.execute(SEND, { id: tested.id });
    const { event, clientMutationId } = data.sendTestEvent;
    expect(clientMutationId).toBe('c');
    expect(event).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'WEBHOOK_TEST',
      customerId: 'webhook-test',
      connectionId: null,
      sequence: null,
      data: { endpoint_id: tested.id },
      createdAt: expect.any(String),
    });
    await expect.poll(() => tested.calls.length).toBe(1);
    const [{ headers, body } = { headers: {}, body: '' }] = tested.calls;
    expect(headers['webhook-id']).toBe(event.id);
    const verified = await verifyWebhook({ body, headers, secret: tested.secret });
    expect(verified).toMatchObject({ id: event.id, type: 'webhook.test' });
    expect(JSON.parse(body)).toEqual({
      type: 'webhook.test',
      timestamp: event.createdAt,
      data: { customer_id: 'webhook-test', endpoint_id: tested.id },
    });

    // A later event has arrived at the other endpoint: the test event would have arrived before it.
    const customer = { customer_id: 'after-test', name: 'N', email: 'n@example.com' };
    await crossbook.rest('PUT', '/customers', customer);
    await expect.poll(() => other.calls.length).toBe(1);
    expect(JSON.parse(other.calls[0]?.body ?? '').type).toBe('customer.created');
  });

  test('is sent by REST, and is in the list of events', async () => {
    const { id, calls } = await open();
    const sent = await crossbook.rest('POST', `/webhook_endpoints/${id}/_test`);
    expect(sent.status).toBe(202);
    expect(sent.body).toMatchObject({ type: 'webhook.test', data: { endpoint_id: id } });
    await expect.poll(() => calls.length).toBe(1);
    expect(calls[0]?.headers['webhook-id']).toBe(sent.body.id);
    const listed = await crossbook.rest('GET', '/events?customer_id=webhook-test&page_size=1');
    expect(listed.body.records).toEqual([sent.body]);
  });

  test('is not among the events that are redelivered since a time, but is redelivered by its id', async () => {
    const { id, calls } = await open();
    const { body } = await crossbook.rest('POST', `/webhook_endpoints/${id}/_test`);
    const redeliver = (wanted: object) =>
      crossbook.rest('POST', `/webhook_endpoints/${id}/_redeliver`, wanted);
    expect((await redeliver({ since: body.created_at })).body).toEqual({ scheduled: 0 });
    expect((await redeliver({ event_ids: [body.id] })).body).toEqual({ scheduled: 1 });
    await expect.poll(() => calls.length).toBeGreaterThan(0);
  });

  test('of a disabled endpoint is 409, and of an unknown one 404', async () => {
    const { id, calls } = await open();
    await crossbook.rest('PATCH', `/webhook_endpoints/${id}`, { enabled: false });
    const refused = await crossbook.rest('POST', `/webhook_endpoints/${id}/_test`);
    expect(refused.status).toBe(409);
    expect(refused.body.errors).toMatchObject([
      { code: 'CONFLICT', detail: 'The endpoint is disabled: enable it first.' },
    ]);
    for (const unknown of ['6d1f4b0e-9c0f-4a52-8f5e-0c6f3f1d2a10', 'x']) {
      const { errors } = await crossbook.execute(SEND, { id: unknown });
      expect(errors).toMatchObject([
        {
          message: `There is no webhook endpoint "${unknown}".`,
          extensions: { code: 'NOT_FOUND' },
        },
      ]);
      const { status } = await crossbook.rest('POST', `/webhook_endpoints/${unknown}/_test`);
      expect(status).toBe(404);
    }
    expect(calls).toEqual([]);
  });

  test('of the endpoint of another application is 404, and nothing is stored for either', async () => {
    const { id, calls } = await open();
    const admin = (path: string, body?: unknown) =>
      crossbook.rest('POST', `/admin/applications${path}`, body, { 'x-admin-key': adminKey });
    await admin('', { name: 'Another application' });
    const { key } = (await admin('/Another%20application/keys')).body;
    const other = { 'x-api-key': key };
    const before = (await crossbook.rest('GET', '/events?page_size=1')).body.records;
    const refused = await crossbook.rest(
      'POST',
      `/webhook_endpoints/${id}/_test`,
      undefined,
      other,
    );
    expect([refused.status, refused.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
    const { data, errors } = await crossbook.execute(SEND, { id }, other);
    expect([data, errors[0].extensions.code]).toEqual([{ sendTestEvent: null }, 'NOT_FOUND']);
    expect((await crossbook.rest('GET', '/events', undefined, other)).body.records).toEqual([]);
    expect((await crossbook.rest('GET', '/events?page_size=1')).body.records).toEqual(before);
    expect(calls).toEqual([]);
  });

  test('cannot be sent with a customer token', async () => {
    const { id } = await open();
    const { body } = await crossbook.rest('POST', '/customers/demo/tokens', {});
    const { status } = await toFetch(crossbook.app.answer)(
      new Request(`http://crossbook.test/webhook_endpoints/${id}/_test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${body.token}` },
      }),
    );
    expect(status).toBe(403);
  });
});
