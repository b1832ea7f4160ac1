import type { GraphQLError } from 'graphql';
import type { Path } from './path.ts';

/** The errors of one execution. Below a place that has become null already, nothing more is said. */
export class CollectedErrors {
  readonly errors: GraphQLError[] = [];
  readonly #places = new Set<Path | undefined>();

  add(error: GraphQLError, place: Path | undefined): void {
    if (this.#isBlank(place)) return;
    this.#places.add(place);
    this.errors.push(error);
  }

  #isBlank(place: Path | undefined): boolean {
    for (let at = place; at !== undefined; at = at.prev) if (this.#places.has(at)) return true;
    return this.#places.has(undefined);
  }
}
