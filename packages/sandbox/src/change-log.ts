/** The latest changes of a table, for readers whose index lags behind it. */
export function createChangeLog<Row>(): ChangeLog<Row> {
  const changes: Change<Row>[] = [];
  return {
    add(change) {
      changes.push(change);
      if (changes.length > 2 * MAX_CHANGES) changes.splice(0, MAX_CHANGES);
    },
    stale: (lag) => findStale(changes, lag),
  };
}

/** A change that is visible shows the whole row, so that the last visible change of a row decides. */
function findStale<Row>(
  changes: readonly Change<Row>[],
  { now, lagMs, varies = false }: Lag,
): ReadonlyMap<number, Row | undefined> {
  const stale = new Map<number, Row | undefined>();
  if (lagMs <= 0) return stale;
  let first = changes.length;
  while (first > 0 && (changes[first - 1]?.at ?? 0) > now - lagMs) first -= 1;
  for (const [place, { at, index, before }] of changes.slice(first).entries()) {
    const isVisible = varies && at + lagMs * shareOf(index * 31 + place + at) <= now;
    if (isVisible) stale.delete(index);
    else if (!stale.has(index)) stale.set(index, before);
  }
  return stale;
}

/** A number from 0 to 1 that looks random and depends on its seed only. */
function shareOf(seed: number): number {
  return (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}

const MAX_CHANGES = 50_000;

export interface ChangeLog<Row> {
  add(change: Change<Row>): void;
  /** The rows that an index with this lag still has in an earlier version. Undefined: it has no such row yet. */
  stale(lag: Lag): ReadonlyMap<number, Row | undefined>;
}

export interface Lag {
  readonly now: number;
  readonly lagMs: number;
  /** Each change has a lag of its own, up to `lagMs`. */
  readonly varies?: boolean;
}

interface Change<Row> {
  readonly at: number;
  readonly index: number;
  readonly before: Row | undefined;
}
