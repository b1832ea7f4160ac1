import { CrossbookError } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { IdleConnection, IdleCredentials } from '../domain/tenant.ts';

/**
 * Refreshes tokens unused for a week, because vendors invalidate them after 30 days. One process at a time, one after
 * the other with a pause. Failures are retried after an hour; a permanently rejected token has changed the status of
 * its connection and is not retried.
 */
export async function refreshIdleTokens(deps: IdleRefreshDeps): Promise<void> {
  const { idle, holder, providers, isStopping } = deps;
  while (!isStopping() && (await idle.acquireJobLease(holder, LEASE_MS))) {
    const idleBefore = deps.wall() - IDLE_MS;
    const claimed = await idle.claim({
      providers,
      limit: BATCH,
      idleBefore: new Date(idleBefore),
      claimedAs: new Date(idleBefore + RETRY_MS),
    });
    for (const one of claimed) {
      if (isStopping()) return;
      deps.onRefreshed(one.providerName, await refreshOne(deps, one));
      await deps.pause(PAUSE_MS);
    }
    if (claimed.length === 0) return;
  }
}

async function refreshOne(
  { idle, refreshStoredToken }: IdleRefreshDeps,
  one: IdleConnection,
): Promise<IdleOutcome> {
  try {
    const outcome = await refreshStoredToken(one);
    if (outcome === 'not refreshable') await idle.passOver(one);
    return outcome === 'not refreshable' ? 'nothing' : outcome;
  } catch (error) {
    return error instanceof CrossbookError && error.code === 'REMOTE_PROVIDER_UNAUTHORIZED'
      ? 'refused'
      : 'failed';
  }
}

const DAY_MS = 24 * 60 * 60_000;
const IDLE_MS = 7 * DAY_MS;
const RETRY_MS = 60 * 60_000;
/** The pause between two refreshes, so that providers get no bursts. */
const PAUSE_MS = 100;
const BATCH = 20;
/** Longer than a batch takes while the provider responds; otherwise claims prevent double work. */
const LEASE_MS = 60_000;

/** `used`: it was used after it was claimed. */
type IdleOutcome = 'renewed' | 'used' | 'nothing' | 'refused' | 'failed';

export interface IdleRefreshDeps {
  readonly idle: IdleCredentials;
  /** The UUID of this process. */
  readonly holder: string;
  /** Providers whose tokens can be refreshed. */
  readonly providers: readonly ProviderName[];
  wall(): number;
  pause(ms: number): Promise<void>;
  isStopping(): boolean;
  /** Rejects with REMOTE_PROVIDER_UNAUTHORIZED if the provider rejects it permanently. */
  refreshStoredToken(idle: IdleConnection): Promise<'renewed' | 'used' | 'not refreshable'>;
  onRefreshed(provider: ProviderName, outcome: IdleOutcome): void;
}
