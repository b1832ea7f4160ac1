import type { Engine } from './engine.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';

export async function openEngine(target: Target, tuning: Tuning): Promise<Engine> {
  if ('memory' in target) return openPglite(undefined);
  if ('directory' in target) return openPglite(target.directory);
  return openPostgres(target.url, {
    poolSize: tuning.poolSize ?? 10,
    connectionTimeoutMs: tuning.connectionTimeoutMs ?? 10_000,
    idleTimeoutMs: tuning.idleTimeoutMs ?? 30_000,
    statementTimeoutMs: tuning.statementTimeoutMs ?? 10_000,
    deadlineMs: tuning.deadlineMs ?? 5_000,
    onError: tuning.onError ?? (() => undefined),
  });
}

export type Target = { readonly url: string } | { readonly directory: string } | { readonly memory: true };

/** For PostgreSQL; the embedded database has neither a pool nor a network. */
export interface Tuning {
  readonly poolSize?: number | undefined;
  /** For a connection from the pool, waiting for a free one included. */
  readonly connectionTimeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
  readonly statementTimeoutMs?: number | undefined;
  /** After this long, nothing is tried once more. */
  readonly deadlineMs?: number | undefined;
  /** A pooled connection broke. Nothing to do but to log it. */
  readonly onError?: ((error: Error) => void) | undefined;
}
