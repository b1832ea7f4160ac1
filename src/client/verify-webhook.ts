/**
 * For the server that receives webhooks: the event, when its signature is right and its time is near; throws a
 * WebhookVerificationError when not. The body is needed as it came: parsed and written again it may differ.
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  now = Date.now(),
  toleranceSeconds = 300,
}: Received): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    read(headers, name),
  );
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError('A header of the webhook is missing.');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1_000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('The webhook is too old, or from the future.');
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await crypto.subtle.importKey('raw', toKey(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  for (const signature of signatures.split(' ').slice(0, MAX_SIGNATURES)) {
    const [version, encoded = ''] = signature.split(',');
    const bytes = version === 'v1' ? decode(encoded) : undefined;
    // Compared by the platform, in constant time.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, content)))
      return { id, ...JSON.parse(text) };
  }
  throw new WebhookVerificationError('No signature of the webhook is right.');
}

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

function read(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function toKey(secret: string): Uint8Array<ArrayBuffer> {
  const key = secret.startsWith(PREFIX) ? decode(secret.slice(PREFIX.length)) : undefined;
  if (key && key.length > 0) return key;
  throw new TypeError('A webhook secret is whsec_ and base64.');
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const PREFIX = 'whsec_';
/** Two while a secret is rotated. */
const MAX_SIGNATURES = 10;

/** Of Fetch, or of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Received {
  /** As it came: text or bytes, not parsed. */
  readonly body: string | Uint8Array;
  readonly headers: WebhookHeaders;
  /** Of the endpoint: `whsec_…`. */
  readonly secret: string;
  /** Of tests: milliseconds since 1970. */
  readonly now?: number;
  /** How far its time may be from ours. Default: 300. */
  readonly toleranceSeconds?: number;
}

export interface WebhookEvent {
  /** The same at each attempt: remember it, and pass over what you have seen. */
  readonly id: string;
  readonly type: string;
  /** RFC 3339: when it happened. */
  readonly timestamp: string;
  readonly data: {
    readonly customer_id: string;
    readonly connection_id?: string;
    /** Grows by one with every event of one connection. */
    readonly sequence?: number;
    readonly [name: string]: unknown;
  };
}
