import { CrossbookError } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { IdleConnection, IdleCredentials } from '../domain/tenant.ts';

/**
 * Renews refresh tokens that nobody has used for a week: vendors void them after 30 days. One process at a time works on
 * them, one after the other with a pause between two. What fails is tried again after an hour; what is refused for good
 * has changed the status of its connection and is not tried again.
 */
export async function refreshIdleTokens(deps: IdleRefreshDeps): Promise<void> {
  const { idle, holder, providers, isStopping } = deps;
  while (!isStopping() && (await idle.holdLease(holder, LEASE_MS))) {
    const idleBefore = deps.wall() - IDLE_MS;
    const claimed = await idle.claim({
      providers,
      limit: BATCH,
      idleBefore: new Date(idleBefore),
      claimedAs: new Date(idleBefore + RETRY_MS),
    });
    for (const one of claimed) {
      if (isStopping()) return;
      deps.onRefreshed(one.providerName, await renew(deps, one));
      await deps.pause(PAUSE_MS);
    }
    if (claimed.length === 0) return;
  }
}

async function renew(
  { idle, refreshStoredToken }: IdleRefreshDeps,
  one: IdleConnection,
): Promise<IdleOutcome> {
  try {
    const outcome = await refreshStoredToken(one);
    if (outcome === 'nothing to renew') await idle.passOver(one);
    return outcome === 'nothing to renew' ? 'nothing' : outcome;
  } catch (error) {
    return error instanceof CrossbookError && error.code === 'REMOTE_PROVIDER_UNAUTHORIZED'
      ? 'refused'
      : 'failed';
  }
}

const DAY_MS = 24 * 60 * 60_000;
const IDLE_MS = 7 * DAY_MS;
const RETRY_MS = 60 * 60_000;
/** Between two, so that no provider meets a crowd. */
const PAUSE_MS = 100;
const BATCH = 20;
/** Longer than a batch takes where the provider answers; where it does not, claims keep others from the same. */
const LEASE_MS = 60_000;

/** `used`: somebody has used it since it was claimed. */
type IdleOutcome = 'renewed' | 'used' | 'nothing' | 'refused' | 'failed';

export interface IdleRefreshDeps {
  readonly idle: IdleCredentials;
  /** Of this process: a UUID. */
  readonly holder: string;
  /** Those whose tokens can be renewed. */
  readonly providers: readonly ProviderName[];
  wall(): number;
  pause(ms: number): Promise<void>;
  isStopping(): boolean;
  /** Rejects with REMOTE_PROVIDER_UNAUTHORIZED where the provider refuses it for good. */
  refreshStoredToken(idle: IdleConnection): Promise<'renewed' | 'used' | 'nothing to renew'>;
  onRefreshed(provider: ProviderName, outcome: IdleOutcome): void;
}
