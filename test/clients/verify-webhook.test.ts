import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../src/client/verify-webhook.ts';
import { toWebhookHeaders } from '../../src/outbound/webhooks/sender.ts';
import { loadStandardWebhooks, type StandardWebhooks } from '../support/standard-webhooks.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({
  type: 'customer.created',
  timestamp: '2026-11-20T12:00:00.000Z',
  data: { customer_id: 'ä' },
});

describe('a webhook', () => {
  let standard: StandardWebhooks;
  beforeAll(async () => {
    standard = await loadStandardWebhooks();
  });
  const secret = newSecret();
  const id = randomUUID();
  const now = Date.now();
  const sent = (secrets: readonly string[] = [secret], wall = now) =>
    toWebhookHeaders({ delivery: { eventId: id, body: BODY }, secrets, wall });

  test('that we sign is right by the public package and by our client', async () => {
    expect(new standard.Webhook(secret).verify(BODY, sent())).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook({ body: BODY, headers: sent(), secret, now })).toEqual({
      id,
      ...JSON.parse(BODY),
    });
  });

  test('that the public package signs is right by our client', async () => {
    const time = new Date(now);
    const signature = new standard.Webhook(secret).sign(id, time, BODY);
    const headers = new Headers({
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': `v1a,AAAA v1,AAAA ${signature}`,
    });
    const body = new TextEncoder().encode(BODY);
    expect((await verifyWebhook({ body, headers, secret, now })).type).toBe('customer.created');
  });

  test('is right by either secret while one takes the other’s place', async () => {
    const other = newSecret();
    for (const one of [secret, other])
      await verifyWebhook({ body: BODY, headers: sent([secret, other]), secret: one, now });
  });

  test.each([
    ['of another secret', { secret: newSecret() }],
    ['whose body was changed', { body: `${BODY} ` }],
    ['whose id was changed', { headers: { ...sent(), 'webhook-id': randomUUID() } }],
    [
      'whose time was changed',
      { headers: { ...sent(), 'webhook-timestamp': String(Math.floor(now / 1_000) + 1) } },
    ],
    ['without a signature', { headers: { ...sent(), 'webhook-signature': '' } }],
    ['with a signature of another kind', { headers: { ...sent(), 'webhook-signature': 'v2,AAAA v1 v1,%%' } }],
    ['that is too old', { now: now + 301_000 }],
    ['from the future', { now: now - 301_000 }],
    ['with a time that is no number', { headers: { ...sent(), 'webhook-timestamp': '1e9' } }],
    ['without an id', { headers: { ...sent(), 'webhook-id': undefined } }],
  ])('%s is refused', async (_title, change) => {
    await expect(verifyWebhook({ body: BODY, headers: sent(), secret, now, ...change })).rejects.toThrow(
      WebhookVerificationError,
    );
  });

  test('a secret that is none is said to be none', async () => {
    await expect(verifyWebhook({ body: BODY, headers: sent(), secret: 'whsec_', now })).rejects.toThrow(
      TypeError,
    );
  });

  test('is signed over id, time and body with HMAC-SHA-256', () => {
    const { 'webhook-timestamp': time, 'webhook-signature': signature } = sent();
    const key = Buffer.from(secret.slice(6), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${time}.${BODY}`).digest('base64');
    expect(signature).toBe(`v1,${expected}`);
  });
});
