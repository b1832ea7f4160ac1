import { createHmac, timingSafeEqual } from 'node:crypto';
import { isRecord } from '../../lib/parse-json.ts';

/**
 * Who granted, from the `id` of a token answer: undefined unless Salesforce's signature, which is made with the client's
 * secret, vouches for it.
 */
export function readIdentity(json: unknown, clientSecret: string): Identity | undefined {
  if (!isRecord(json)) return undefined;
  const { id, issued_at: issuedAt, signature } = json;
  if (typeof id !== 'string' || typeof issuedAt !== 'string' || typeof signature !== 'string')
    return undefined;
  const expected = createHmac('sha256', clientSecret)
    .update(id + issuedAt)
    .digest();
  const given = Buffer.from(signature, 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [, organizationId, userId] = IDS.exec(id) ?? [];
  return organizationId && userId ? { organizationId, userId } : undefined;
}

/** The last two segments of the identity URL. */
const IDS = /\/(00D[0-9A-Za-z]{12,15})\/(005[0-9A-Za-z]{12,15})$/;

export interface Identity {
  readonly organizationId: string;
  readonly userId: string;
}
