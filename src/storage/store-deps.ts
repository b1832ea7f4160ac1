import type { PlanScope } from '../domain/sync.ts';
import type { Engine } from './engine/postgres.ts';
import type { Statements } from './engine/statements.ts';
import type { SealedColumns } from './sealed-columns.ts';

/** Dependencies of the stores of one application, or of background jobs. */
export interface StoreDeps {
  readonly engine: Statements;
  readonly secrets: SealedColumns;
  /** A keyed hash of credentials, which cannot be compared while they are sealed. */
  fingerprint(credentials: string): string;
  /** Wall-clock time, for stored timestamps. */
  now(): Date;
  /** Called after writes that may have appended events, or endpoints that wait for them. */
  onAppended(): void;
  /** Called after writes that syncs may have to be planned for. */
  onUnplanned(scope: PlanScope): void;
}

/** Dependencies of stores that batch or share the work of all applications. */
export interface SharedStoreDeps extends StoreDeps {
  readonly engine: Engine;
}
