import { GraphQLError } from 'graphql';
import type { Path } from './path.ts';

/**
 * The errors of one execution. Below a place that has become null already, nothing more is said. Beyond `max` an error is
 * counted by an entry that all of them share.
 */
export class CollectedErrors {
  readonly errors: GraphQLError[] = [];
  readonly #max: number;
  readonly #places = new Set<Path | undefined>();

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.errors.length > this.#max;
  }

  add(error: GraphQLError, place: Path | undefined): void {
    if (this.#isBlank(place)) return;
    this.#places.add(place);
    this.errors.push(error);
  }

  /** Spares the error object: it would not be shown. */
  omit(place: Path): void {
    this.add(OMITTED, place);
  }

  #isBlank(place: Path | undefined): boolean {
    for (let at = place; at !== undefined; at = at.prev) if (this.#places.has(at)) return true;
    return this.#places.has(undefined);
  }
}

const OMITTED = new GraphQLError('This error is counted and not shown.');
