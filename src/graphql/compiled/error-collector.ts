import { GraphQLError } from 'graphql';
import type { Path } from './path.ts';

/**
 * The errors of one execution. Below a place that has become null already, nothing more is said. Beyond `max` an error is
 * counted by an entry that all of them share.
 */
export class ErrorCollector {
  readonly errors: GraphQLError[] = [];
  readonly #max: number;
  readonly #places = new Set<Path | undefined>();

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.errors.length > this.#max;
  }

  add(error: GraphQLError, position: Path | undefined): void {
    if (this.#isBlank(position)) return;
    this.#places.add(position);
    this.errors.push(error);
  }

  /** Spares the error object: it would not be shown. */
  omit(position: Path): void {
    this.add(OMITTED, position);
  }

  #isBlank(position: Path | undefined): boolean {
    for (let path = position; path !== undefined; path = path.prev) if (this.#places.has(path)) return true;
    return this.#places.has(undefined);
  }
}

const OMITTED = new GraphQLError('This error is counted and not shown.');
