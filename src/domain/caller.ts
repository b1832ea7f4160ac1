import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CrossbookError } from './errors.ts';
import type { Operator } from './operator.ts';
import type { ProviderName } from './provider-names.ts';

/** The caller of a request: an application, or one customer of it. */
export interface Caller {
  readonly application: Application;
  /** The id of the API key or token for the log, never the secret. */
  readonly credentialId: string;
  /** Present for a customer token: only this customer is accessible. */
  readonly customer?: CustomerScope | undefined;
  /** Present for the console: the operator, who acts for the application within `rest/console-access.ts`. */
  readonly operator?: Operator | undefined;
}

export interface Application {
  readonly id: string;
  readonly name: string;
}

interface CustomerScope {
  readonly customerId: string;
  /** Absent: all of the customer's providers. */
  readonly providers?: readonly ProviderName[] | undefined;
  /** Whether it may list contacts that it does not know yet, as `all` and `modifiedSince` do. */
  readonly canList?: boolean | undefined;
  /** Whether it may create and change records, where the connection may. */
  readonly canWrite?: boolean | undefined;
}

/** A customer token to be signed. */
export interface TokenRequest extends CustomerScope {
  readonly expiresAt: Date;
}

/** The current state of the customer of a token. */
export interface TokenSubject {
  readonly application: Application;
  /** Incremented to revoke all tokens of the customer. */
  readonly generation: number;
  /** Creation time of the customer: tokens of a deleted customer are not valid for a new one with the same id. */
  readonly since: Date;
}

/** The parts of an API key that a request presents. */
export interface PresentedKey {
  readonly publicId: string;
  readonly secret: string;
  /** Whether its MAC is valid, so the key was issued here. The database row determines whether it is still valid. */
  readonly isGenuine: boolean;
}

/** The error for missing credentials. */
export function missingCredentials(): CrossbookError {
  return new CrossbookError(
    'UNAUTHORIZED',
    'Credentials are missing: send x-api-key or a customer token.',
  );
}

export const DEFAULT_TOKEN_SECONDS = 60 * 60;
export const MAX_TOKEN_SECONDS = 24 * 60 * 60;

/**
 * The operator's key: `cba_` and 256 random bits, for the admin API. The installation knows only its hash; with 256
 * bits a fast hash suffices.
 */
export function createAdminKey(): { readonly key: string; readonly hash: string } {
  const key = `cba_${randomBytes(32).toString('base64url')}`;
  return { key, hash: toAdminKeyHash(key) };
}

/** What the installation knows of an admin key. */
export function toAdminKeyHash(key: string): string {
  return toHash(key).toString('hex');
}

/** Compares in constant time. Keys too short to be random are rejected, even if their hash is configured. */
export function isAdminKey(key: string, hash: string): boolean {
  return timingSafeEqual(toHash(key), Buffer.from(hash, 'hex')) && FORM.test(key);
}

const FORM = /^cba_[\w-]{43}$/;

function toHash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The fixed application of the demo. No other has its id, and without the sandbox it is invalid. */
export const DEMO_APPLICATION = {
  id: 'c7055b00-de30-4000-8000-000000000001',
  name: 'Demo application',
} as const;

/** Default ports of Next.js, Angular, Astro, Vite and its preview, and of static file servers. */
const DEVELOPMENT_PORTS = [3000, 3001, 4200, 4321, 5173, 5174, 8000, 8080, 8081];

/** Origins of frontend development servers, which may call the demo. */
export const DEVELOPMENT_ORIGINS: readonly string[] = ['localhost', '127.0.0.1'].flatMap((host) =>
  DEVELOPMENT_PORTS.map((port) => `http://${host}:${port}`),
);
