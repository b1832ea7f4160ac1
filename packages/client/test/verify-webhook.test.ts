import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  loadStandardWebhooks,
  type StandardWebhooks,
} from '../../../test/support/standard-webhooks.ts';
import { verifyWebhook, WebhookVerificationError } from '../src/verify-webhook.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({
  type: 'customer.created',
  timestamp: '2026-11-20T12:00:00.000Z',
  data: { customer_id: 'ä' },
});

describe('A webhook signature', () => {
  let standard: StandardWebhooks;
  beforeAll(async () => {
    standard = await loadStandardWebhooks();
  });
  const secret = newSecret();
  const id = randomUUID();
  const now = Date.now();
  const sent = (secrets: readonly string[] = [secret]) => {
    const time = String(Math.floor(now / 1_000));
    const signatures = secrets.map((one) => `v1,${toMac(one, `${id}.${time}.${BODY}`)}`);
    return {
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': signatures.join(' '),
    };
  };

  test('of the scheme is verified, and gives the event with its id', async () => {
    expect(await verifyWebhook({ body: BODY, headers: sent(), secret, now })).toEqual({
      id,
      ...JSON.parse(BODY),
    });
  });

  test('by the public package verifies with our client', async () => {
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

  test('verifies with either secret during a rotation', async () => {
    const other = newSecret();
    for (const one of [secret, other])
      await verifyWebhook({ body: BODY, headers: sent([secret, other]), secret: one, now });
  });

  test.each([
    ['a signature with another secret', { secret: newSecret() }],
    ['a changed body', { body: `${BODY} ` }],
    ['a changed id', { headers: { ...sent(), 'webhook-id': randomUUID() } }],
    [
      'a changed timestamp',
      { headers: { ...sent(), 'webhook-timestamp': String(Math.floor(now / 1_000) + 1) } },
    ],
    ['a missing signature', { headers: { ...sent(), 'webhook-signature': '' } }],
    [
      'a signature of an unknown version',
      { headers: { ...sent(), 'webhook-signature': 'v2,AAAA v1 v1,%%' } },
    ],
    ['a timestamp that is too old', { now: now + 301_000 }],
    ['a timestamp in the future', { now: now - 301_000 }],
    ['a timestamp that is not a number', { headers: { ...sent(), 'webhook-timestamp': '1e9' } }],
    ['a missing id', { headers: { ...sent(), 'webhook-id': undefined } }],
  ])('%s is rejected', async (_title, change) => {
    await expect(
      verifyWebhook({ body: BODY, headers: sent(), secret, now, ...change }),
    ).rejects.toThrow(WebhookVerificationError);
  });

  test('cannot be verified with a malformed secret, which is reported as such', async () => {
    await expect(
      verifyWebhook({ body: BODY, headers: sent(), secret: 'whsec_', now }),
    ).rejects.toThrow(TypeError);
  });

  test.each([
    [{ secret: undefined }, /secret is missing/],
    [{ secret: '' }, /secret is missing/],
    [{ body: JSON.parse(BODY) }, /raw body, as bytes or text/],
    [{ body: undefined }, /raw body, as bytes or text/],
  ])(
    'cannot be verified with %j, which is reported before the age of the webhook',
    async (given, message) => {
      const received = { body: BODY, headers: sent(), secret, now: now + 301_000, ...given };
      const verified = verifyWebhook(received as Parameters<typeof verifyWebhook>[0]);
      await expect(verified).rejects.toThrow(TypeError);
      await expect(verified).rejects.toThrow(message);
    },
  );
});

/** HMAC-SHA-256, as the scheme has it. */
function toMac(secret: string, text: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
