/**
 * Answers of earlier searches, and what adapters have found out, for ONE application. Encrypted at rest, and never keyed by
 * anything readable.
 */
export interface ContactCache {
  /**
   * Undefined where nothing is cached, or the connection was changed since. How old is too old the reader decides. What is
   * large is decrypted when its turn has come.
   */
  read(connectionId: string, filterKey: string, takeTurn?: TakeTurn): Promise<CachedContacts | undefined>;
  /** Best effort, and a moment later: what is too large is not kept, and an older answer does not replace a newer one. */
  write(entry: CacheEntry): Promise<void>;
}

/** Of the request's permit. Undefined: at once. */
type TakeTurn = () => Promise<void> | undefined;

/** In characters: to decrypt so much, or to parse it, takes the processor for a millisecond. */
export const LARGE_ENTRY = 65_536;

interface CachedContacts {
  readonly payload: string;
  readonly fetchedAt: Date;
}

export interface CacheEntry {
  readonly connectionId: string;
  /** How many contacts it holds. */
  readonly records: number;
  /** Names the search within its connection: filter, page, everything that changes the answer. Made where it is kept. */
  filterKey(): string;
  /** Made when it is written, which may be later, or never. */
  payload(): string;
  /** When the search was STARTED: a connection that was changed while it ran makes its answer worthless. */
  readonly fetchedAt: Date;
  /** It is written at once: other processes are to find it. */
  readonly isUrgent?: boolean;
}
