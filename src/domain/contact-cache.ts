/** Answers that a connection has given before. Opened for one application; sealed at rest, keyed by a keyed hash. */
export interface ContactCache {
  /** `question` says what was asked, in the clear: it may hold emails, so it is hashed and never kept. */
  read(connectionId: string, question: string): Promise<CachedAnswer | undefined>;
  /** Works behind the answer: returns at once and never fails the caller. */
  write(connectionId: string, question: string, answer: CachedAnswer): void;
}

export interface CachedAnswer {
  /** RFC 3339: when the provider was asked. */
  readonly fetchedAt: string;
  /** Opaque to the cache. */
  readonly payload: string;
}
