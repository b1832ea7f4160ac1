import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { verifyWebhook } from 'crossbook-client/webhooks';
import { describe, expect, test } from 'vitest';
import { signWebhook } from '../../src/outbound/webhooks/sender.ts';
import { loadStandardWebhooks } from '../support/standard-webhooks.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({
  type: 'customer.created',
  timestamp: '2026-11-20T12:00:00.000Z',
  data: { customer_id: 'ä' },
});

describe('The signature of the server', () => {
  const [secret, id, now] = [newSecret(), randomUUID(), Date.now()];
  const sent = (...secrets: readonly string[]) =>
    signWebhook({ delivery: { eventId: id, body: BODY }, secrets, wall: now });

  test('verifies with the public package and with our client', async () => {
    const standard = await loadStandardWebhooks();
    const headers = sent(secret);
    expect(new standard.Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook({ body: BODY, headers, secret, now })).toEqual({
      id,
      ...JSON.parse(BODY),
    });
  });

  test('verifies with either secret during a rotation', async () => {
    const other = newSecret();
    for (const one of [secret, other])
      await verifyWebhook({ body: BODY, headers: sent(secret, other), secret: one, now });
  });

  test('is HMAC-SHA-256 over id, timestamp and body', () => {
    const { 'webhook-timestamp': time, 'webhook-signature': signature } = sent(secret);
    const key = Buffer.from(secret.slice(6), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${time}.${BODY}`).digest('base64');
    expect(signature).toBe(`v1,${expected}`);
  });
});
