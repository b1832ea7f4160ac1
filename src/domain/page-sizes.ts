import { ResponseTooLarge } from './remote.ts';

/**
 * How many records of each kind fit into a response of one connection. A page that is too large is read in smaller
 * ones, down to one record; after some pages that fit, larger ones are tried again.
 */
export class PageSizes {
  readonly #reduced = new Map<string, { size: number; pages: number }>();

  /** Reads a page of at most `max` records. Throws `ResponseTooLarge` where a single record is too large. */
  async read<Page>(kind: string, max: number, read: (limit: number) => Promise<Page>) {
    for (;;) {
      const limit = Math.min(max, this.#reduced.get(kind)?.size ?? max);
      try {
        const page = await read(limit);
        if (this.#reduced.size > 0) this.#grow(kind, max);
        return page;
      } catch (error) {
        if (!(error instanceof ResponseTooLarge)) throw error;
        this.#shrink(kind, Math.ceil(limit / SHRINK));
        if (limit === 1) throw error;
      }
    }
  }

  /** Whether fewer records than usual fit into a response. */
  isReduced(kind: string): boolean {
    return this.#reduced.has(kind);
  }

  #shrink(kind: string, size: number): void {
    if (this.#reduced.size >= MAX_KINDS) this.#reduced.clear();
    this.#reduced.set(kind, { size, pages: 0 });
  }

  #grow(kind: string, max: number): void {
    const reduced = this.#reduced.get(kind);
    if (!reduced) return;
    reduced.pages += 1;
    if (reduced.pages < PAGES_BEFORE_GROWTH) return;
    if (reduced.size * 2 >= max) this.#reduced.delete(kind);
    else this.#reduced.set(kind, { size: reduced.size * 2, pages: 0 });
  }
}

const SHRINK = 4;
/** Each attempt with too large a page transfers a response in vain. */
const PAGES_BEFORE_GROWTH = 8;
const MAX_KINDS = 500;
