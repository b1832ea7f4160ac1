import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CrossbookError } from './errors.ts';
import type { ProviderName } from './provider-names.ts';

/** Who a request is made for: an application, or one customer of it. */
export interface Caller {
  readonly application: Application;
  /** The API key or the token that was used: names the rate limit's bucket, never the secret. */
  readonly credentialId: string;
  /** Present for a customer token: nothing but this customer may be touched. */
  readonly customer?: CustomerScope | undefined;
}

export interface Application {
  readonly id: string;
  readonly name: string;
}

interface CustomerScope {
  readonly customerId: string;
  /** Absent: all of the customer's providers. */
  readonly providers?: readonly ProviderName[] | undefined;
}

/** What an application has signed for one of its customers. */
export interface TokenRequest {
  readonly customerId: string;
  readonly expiresAt: Date;
  /** Absent: all of the customer's providers. */
  readonly providers?: readonly ProviderName[] | undefined;
}

/** Neither a key nor a token came. */
export function missingCredentials(): CrossbookError {
  return new CrossbookError('UNAUTHORIZED', 'Say who calls: with the header x-api-key, or a customer token.');
}

export const DEFAULT_TOKEN_SECONDS = 60 * 60;
export const MAX_TOKEN_SECONDS = 24 * 60 * 60;

/**
 * `cba_` and 256 random bits. It manages applications and keys over HTTP. The installation knows its hash
 * alone; one of 256 bits needs no slow hash.
 */
export function createAdminKey(): { readonly key: string; readonly hash: string } {
  const key = `cba_${randomBytes(32).toString('base64url')}`;
  return { key, hash: toHash(key).toString('hex') };
}

/** Takes as long for a key that is nearly right. What is too short to be random is refused, even where its hash was set. */
export function isAdminKey(key: string, hash: string): boolean {
  return timingSafeEqual(toHash(key), Buffer.from(hash, 'hex')) && FORM.test(key);
}

const FORM = /^cba_[\w-]{43}$/;

function toHash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Its id marks everything that belongs to it: no other application ever has it, and without the sandbox it does not count. */
export const DEMO_APPLICATION = {
  id: 'c7055b00-de30-4000-8000-000000000001',
  name: 'Demo application',
} as const;

/** Of Next.js, Angular, Astro, Vite and its preview, and of what serves files. */
const DEVELOPMENT_PORTS = [3000, 3001, 4200, 4321, 5173, 5174, 8000, 8080, 8081];

/** Where tools serve a frontend while it is being written: pages from there may call the demo. */
export const DEVELOPMENT_ORIGINS: readonly string[] = ['localhost', '127.0.0.1'].flatMap((host) =>
  DEVELOPMENT_PORTS.map((port) => `http://${host}:${port}`),
);
