/**
 * Verifies a received webhook and returns its event. Throws a WebhookVerificationError if the signature is wrong
 * or the time is too far off, and a TypeError if the receiver itself is wrong. Takes the raw body, because parsing
 * and serializing may change it.
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  now = Date.now(),
  toleranceSeconds = 300,
}: Received): Promise<WebhookEvent> {
  const key = await crypto.subtle.importKey(
    'raw',
    toKey(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const text = toText(body);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => read(headers, name),
  );
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError('A header of the webhook is missing.');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1_000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      'The timestamp of the webhook is too old, or in the future.',
    );
  }
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures.split(' ').slice(0, MAX_SIGNATURES)) {
    const [version, encoded = ''] = signature.split(',');
    const bytes = version === 'v1' ? decode(encoded) : undefined;
    // The platform compares in constant time.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, content)))
      return { id, ...JSON.parse(text) };
  }
  throw new WebhookVerificationError('The webhook has no valid signature.');
}

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

function read(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** JavaScript can pass anything: `express.json()` leaves an object. */
function toText(body: string | Uint8Array | undefined): string {
  if (typeof body === 'string') return body;
  if (body?.byteLength !== undefined) return new TextDecoder().decode(body);
  throw new TypeError('Pass the raw body, as bytes or text.');
}

function toKey(secret: string | undefined): Uint8Array<ArrayBuffer> {
  if (!secret) throw new TypeError('The secret is missing.');
  const key = secret.startsWith(PREFIX) ? decode(secret.slice(PREFIX.length)) : undefined;
  if (key && key.length > 0) return key;
  throw new TypeError('A webhook secret must be whsec_ followed by base64.');
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const PREFIX = 'whsec_';
/** There are two signatures during a rotation. */
const MAX_SIGNATURES = 10;

/** Headers of Fetch or of Node. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Received {
  /** The raw body: text or bytes, not parsed. */
  readonly body: string | Uint8Array;
  readonly headers: WebhookHeaders;
  /** The endpoint's secret: `whsec_…`. */
  readonly secret: string;
  /** For tests: milliseconds since 1970. */
  readonly now?: number;
  /** The allowed difference in time. Default: 300. */
  readonly toleranceSeconds?: number;
}

export interface WebhookEvent {
  /** The same at each attempt: use it to ignore duplicates (idempotency). */
  readonly id: string;
  readonly type: string;
  /** Time of the event, RFC 3339. */
  readonly timestamp: string;
  readonly data: {
    readonly customer_id: string;
    readonly connection_id?: string;
    /** Incremented by one with every event of a connection. */
    readonly sequence?: number;
    readonly [name: string]: unknown;
  };
}
