import {
  type Connection,
  isExpired,
  isRefreshable,
  type RefusalReason,
  readExpiry,
} from '../../domain/connection.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { PROVIDER_TITLES, type ProviderName } from '../../domain/provider-names.ts';
import type {
  CredentialStore,
  RefreshedCredentials,
  StoredCredentials,
} from '../../domain/tenant.ts';
import { createSingleFlight } from '../../lib/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { isVisibleAscii } from '../../lib/text.ts';
import { cloneError, codeOf } from '../failures.ts';

/**
 * The access token of one connection: cached briefly, refreshed before it expires, and refreshed once for all waiting
 * calls (single flight).
 */
export function createTokens(deps: TokenDeps) {
  let reading = createSingleFlight<Token>(cloneError);
  const sharedRefresh = createSingleFlight<Token>(cloneError);
  let cached: Token | undefined;
  /** No refresh of this generation until then. */
  let refreshPause: { readonly generation: number; readonly until: number } | undefined;
  /** The generation that the provider has permanently rejected. */
  let invalidGeneration: number | undefined;

  return {
    /** The cached token. Undefined: must be loaded. */
    current(): Token | undefined {
      return cached && deps.clock.now() < cached.staleAt ? cached : undefined;
    },

    load(source: TokenSource): Promise<Token> {
      const own = reading;
      return own(async () => {
        const token = keep(await readStored(source));
        // The credentials may have changed while they were read.
        if (own !== reading) cached = undefined;
        return deps.clock.now() < token.refreshAt ? token : refreshEarly(source, token);
      });
    },

    /** Refreshes after the provider has rejected `seen` as expired. Undefined: there is no newer token. */
    async refreshExpired(source: TokenSource, seen: Token): Promise<Token | undefined> {
      if (cached && cached.generation > seen.generation) return cached;
      if (refreshPause?.generation === seen.generation && deps.clock.now() < refreshPause.until)
        return undefined;
      if (isRefreshable(seen.stored.credentials)) return sharedRefresh(() => refresh(source, seen));
      // No refresh token, but a newer access token may be stored.
      const stored = await readStored(source);
      return stored.generation === seen.generation ? undefined : keep(stored);
    },

    /** Called when a new token is rejected as expired: further refreshes are pointless, so they pause. */
    pauseRefresh({ generation }: Token): void {
      refreshPause = { generation, until: deps.clock.now() + REFRESH_PAUSE_MS };
    },

    /** The provider rejects the token permanently. With a refresh token the connection may still be valid. */
    async markInvalid(source: TokenSource, seen: Token): Promise<void> {
      if (!isRefreshable(seen.stored.credentials))
        await storeInvalid(source, seen, 'token_refused');
    },

    /** Refreshes the stored token before it is needed. */
    async refreshStored(source: TokenSource, generation: number): Promise<IdleRefreshOutcome> {
      const stored = await source.credentials.read(source.connection.id);
      if (stored?.generation !== generation || stored.isRefused) return 'used';
      if (!isRefreshable(stored.credentials)) return 'not refreshable';
      await sharedRefresh(() => refresh(source, { generation }));
      return 'renewed';
    },

    /** Clears the cache, because the stored credentials may have changed. */
    forget(): void {
      cached = undefined;
      reading = createSingleFlight(cloneError);
    },
  };

  async function readStored(source: TokenSource): Promise<StoredCredentials> {
    const { credentials, connection } = source;
    const stored = await credentials.read(connection.id);
    if (!stored) throw missing(connection);
    await deps.onStored(stored);
    if (!stored.isRefused && isExpired(stored.credentials, deps.clock.wall()))
      await storeInvalid(source, stored, 'token_expired');
    // Read from the database each time, so that a reconnection, even at another process, takes effect at once.
    if (stored.isRefused || invalidGeneration === stored.generation) {
      throw unauthorized(toReconnectDetail(connection.providerName));
    }
    invalidGeneration = undefined;
    return stored;
  }

  /** Refreshes early; where the token endpoint fails, the current token is used while it is valid. */
  async function refreshEarly(source: TokenSource, token: Token): Promise<Token> {
    try {
      return await sharedRefresh(() => refresh(source, token));
    } catch (error) {
      if (deps.clock.now() >= token.expiresAt || !isTransient(error)) throw error;
      cached = {
        ...token,
        staleAt: Math.min(token.expiresAt, deps.clock.now() + RETRY_REFRESH_MS),
      };
      return cached;
    }
  }

  async function refresh(
    { credentials, connection }: TokenSource,
    seen: Pick<Token, 'generation'>,
  ): Promise<Token> {
    try {
      const stored = await credentials.refreshOnce(connection.id, seen.generation, deps.refresh);
      if (!stored) throw missing(connection);
      // Another process may have stored it.
      await deps.onStored(stored);
      return keep(stored, true);
    } catch (error) {
      if (error instanceof InvalidGrantError) {
        await storeInvalid({ credentials, connection }, seen, 'refresh_token_refused');
      }
      throw error;
    }
  }

  async function storeInvalid(
    { credentials, connection }: TokenSource,
    { generation }: Pick<Token, 'generation'>,
    reason: RefusalReason,
  ): Promise<void> {
    invalidGeneration = generation;
    cached = undefined;
    await credentials.markRefused(connection.id, generation, reason);
  }

  function keep(stored: StoredCredentials, isNew = false): Token {
    const now = deps.clock.now();
    // Converts wall-clock expiry to monotonic time, which no clock step changes.
    const expiresAt = now + readExpiry(stored.credentials) - deps.clock.wall();
    // A new token with a lifetime below the margin is used for half its life, or it would be refreshed for every call.
    const marginMs = isNew ? Math.min(REFRESH_MARGIN_MS, (expiresAt - now) / 2) : REFRESH_MARGIN_MS;
    const refreshAt = isRefreshable(stored.credentials)
      ? expiresAt - marginMs
      : Number.POSITIVE_INFINITY;
    const staleAt = now + TOKEN_CACHE_MS;
    if (
      cached?.generation === stored.generation &&
      cached.stored.instanceUrl === stored.instanceUrl
    ) {
      cached = { ...cached, staleAt: Math.min(cached.refreshAt, staleAt) };
      return cached;
    }
    const { credentials, generation } = stored;
    const value = credentials.type === 'token' ? credentials.value : credentials.accessToken;
    if (!isVisibleAscii(value)) {
      throw unauthorized(
        'The stored token is empty or has invalid characters: the customer has to reconnect.',
      );
    }
    const origin = deps.originOf(stored.instanceUrl);
    const times = { expiresAt, refreshAt, staleAt: Math.min(refreshAt, staleAt) };
    cached = { stored, generation, origin, authorization: `Bearer ${value}`, value, ...times };
    return cached;
  }
}

function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return code !== 'REMOTE_PROVIDER_UNAUTHORIZED' && code !== 'INTERNAL_SERVER_ERROR';
}

/** Requires a new consent by the customer. */
export class InvalidGrantError extends CrossbookError {
  constructor(provider: ProviderName, cause: CrossbookError) {
    super('REMOTE_PROVIDER_UNAUTHORIZED', toReconnectDetail(provider), {
      cause,
      remote: cause.remote,
    });
  }
}

function toReconnectDetail(provider: ProviderName): string {
  return `${PROVIDER_TITLES[provider]} no longer accepts this connection's authorization: the customer has to reconnect.`;
}

export function unauthorized(detail: string): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', detail);
}

function missing({ providerName }: Connection): CrossbookError {
  return unauthorized(
    `This customer's connection to ${PROVIDER_TITLES[providerName]} has no credentials yet.`,
  );
}

const REFRESH_MARGIN_MS = 60_000;
const RETRY_REFRESH_MS = 5_000;
const REFRESH_PAUSE_MS = 30_000;

/** How long a token is used before the stored credentials are read again, which another process may have replaced. */
const TOKEN_CACHE_MS = 15_000;

export type Tokens = ReturnType<typeof createTokens>;

/** `used`: a newer token is stored, or the stored one is invalid. */
export type IdleRefreshOutcome = 'renewed' | 'used' | 'not refreshable';

export interface Token {
  readonly value: string;
  readonly authorization: string;
  readonly origin: string;
  readonly generation: number;
  readonly stored: StoredCredentials;
  /** Monotonic time, as the next two. */
  readonly expiresAt: number;
  readonly refreshAt: number;
  /** Until then it is used without reading the database. */
  readonly staleAt: number;
}

export interface TokenSource {
  readonly connection: Connection;
  readonly credentials: CredentialStore;
}

interface TokenDeps {
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  originOf(instanceUrl: string | null): string;
  refresh(current: StoredCredentials): Promise<RefreshedCredentials>;
  /** Called with credentials that were read, or stored by a refresh. */
  onStored(stored: StoredCredentials): Promise<void>;
}
