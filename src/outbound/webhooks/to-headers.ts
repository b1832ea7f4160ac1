import { createHmac } from 'node:crypto';
import type { Delivery } from '../../domain/webhook-queue.ts';

/** Signed anew at each attempt, because its time is signed. Two secrets sign while one takes the other's place. */
export function toWebhookHeaders({ delivery, secrets, wall }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(wall / 1_000));
  const content = `${delivery.eventId}.${timestamp}.${delivery.body}`;
  return {
    'content-type': 'application/json',
    'user-agent': 'Crossbook',
    'webhook-id': delivery.eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, content)}`).join(' '),
  };
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content, 'utf8').digest('base64');
}

const PREFIX = 'whsec_';

interface Signed {
  readonly delivery: Pick<Delivery, 'eventId' | 'body'>;
  readonly secrets: readonly string[];
  /** Of this attempt. */
  readonly wall: number;
}
