/**
 * What an adapter has found out about one connection and asks the provider only once for, such as the fields that its user
 * may not see. All processes share it, for at most a day and until the connection is changed. Best effort: what cannot be
 * read or kept is found out again.
 */
export interface ConnectionFacts {
  /** In the adapter's own words; undefined where nothing is known. */
  read(): Promise<string | undefined>;
  /**
   * For when the provider contradicts the facts that were `seen`. Of those who ask at the same moment one does the work, and
   * none where newer facts are there already. Undefined for all others: there is more to read now.
   */
  learn<Result>(seen: string | undefined, work: () => Promise<Learnt<Result>>): Promise<Result | undefined>;
}

export interface Learnt<Result> {
  readonly facts: string;
  /** For who did the work. */
  readonly result: Result;
}
