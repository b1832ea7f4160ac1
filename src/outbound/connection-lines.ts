import type { Connection } from '../domain/connection.ts';
import type { ContactAccess } from '../domain/provider.ts';
import type { Clock } from '../lib/clock.ts';
import type { ConnectionLine, LineCounts } from './connection-line.ts';

/** The lines of the connections in use. Idle ones are let go, so that a million customers do not fill the memory. */
export function createConnectionLines({ clock, maxKept, create }: LinesOptions): ConnectionLines {
  const lines = new Map<string, Kept>();
  let tidyAt = clock.now() + TIDY_EVERY_MS;
  let fullUntil = 0;

  return {
    of(connection, access) {
      const now = clock.now();
      let kept = lines.get(connection.id);
      if (!kept) {
        if (lines.size >= maxKept && now >= fullUntil) tidy(now);
        kept = { line: create(connection, access), usedAt: now };
        lines.set(connection.id, kept);
      }
      kept.usedAt = now;
      if (now >= tidyAt) tidy(now - KEPT_MS);
      return kept.line;
    },

    find: (connectionId) => lines.get(connectionId)?.line,

    counts: () => [...lines.values()].map(({ line }) => line.counts()),

    get size() {
      return lines.size;
    },
  };

  /** One that is in use, or owes its provider a pause, stays: forgetting it would forget the pause. */
  function tidy(usedBefore: number): void {
    tidyAt = clock.now() + TIDY_EVERY_MS;
    for (const [id, { line, usedAt }] of lines) {
      if (usedAt < usedBefore && line.isIdle()) lines.delete(id);
    }
    // Where all are in use, looking through them for each newcomer would help nobody.
    if (lines.size >= maxKept) fullUntil = clock.now() + LOOK_AGAIN_MS;
  }
}

const TIDY_EVERY_MS = 60_000;
const KEPT_MS = 5 * 60_000;
const LOOK_AGAIN_MS = 1_000;

export interface ConnectionLines {
  of(connection: Connection, access: ContactAccess): ConnectionLine;
  find(connectionId: string): ConnectionLine | undefined;
  counts(): readonly LineCounts[];
  readonly size: number;
}

interface LinesOptions {
  readonly clock: Clock;
  readonly maxKept: number;
  create(connection: Connection, access: ContactAccess): ConnectionLine;
}

interface Kept {
  readonly line: ConnectionLine;
  usedAt: number;
}
