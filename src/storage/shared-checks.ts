import { setTimeout as wait } from 'node:timers/promises';
import { createSingleFlight } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';
import { findPending } from './engine/migrate.ts';
import type { Engine } from './engine/postgres.ts';

/**
 * The state of what all processes share, for the body of `/readyz`. A full pool or a locked table is no failure. A
 * check that cannot run keeps its last result.
 */
export function createSharedChecks({ engine, clock, findUnreadableKeys, ...deps }: CheckDeps) {
  const last = { migrations: true, keys: true, keysCheckedAt: Number.NEGATIVE_INFINITY };
  // Concurrent probes share one check (single flight), so that they do not pile up on a hanging database.
  const checking = createSingleFlight<Awaited<ReturnType<typeof check>>>();
  const learning = createSingleFlight<void>();
  return () => checking(check);

  async function check() {
    const state = await withDeadline(PING_MS, engine.ping());
    if (state) await withDeadline(LEARN_MS, learning(learn));
    return {
      /** It responds. */
      database: state !== undefined,
      writable: state?.isReadOnly === false,
      /** All migrations of this version are applied. */
      migrations: last.migrations,
      /** The key ring can decrypt its data. */
      keys: last.keys,
    };
  }

  async function learn(): Promise<void> {
    last.migrations = (await findPending(engine)).length === 0;
    const now = clock.now();
    if (!last.migrations || now - last.keysCheckedAt < KEYS_EVERY_MS) return;
    // Another process may have encrypted data with a newer ring.
    const unreadable = await findUnreadableKeys();
    if (unreadable.length > 0 && last.keys) deps.onUnreadableKeys?.(unreadable);
    last.keys = unreadable.length === 0;
    last.keysCheckedAt = now;
  }
}

/** Undefined if it fails or times out. */
function withDeadline<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work.catch(() => undefined), wait(ms, undefined, { ref: false })]);
}

/** Together shorter than the usual timeout of readiness probes. */
const PING_MS = 1_500;
const LEARN_MS = 500;
const KEYS_EVERY_MS = 30_000;

interface CheckDeps {
  readonly engine: Pick<Engine, 'ping' | 'query'>;
  readonly clock: Pick<Clock, 'now'>;
  findUnreadableKeys(): Promise<readonly string[]>;
  /** Called once when data was found that no key of the ring can decrypt. */
  readonly onUnreadableKeys?: ((keyIds: readonly string[]) => void) | undefined;
}
