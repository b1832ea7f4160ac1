import type { PageInput } from '../../domain/contact-search.ts';
import { CrossbookError } from '../../domain/errors.ts';

/** The arguments of a Relay connection. */
export function readPageInput({ first, after, last, before }: PageArguments): PageInput {
  const forward = isGiven(first) || isGiven(after);
  const backward = isGiven(last) || isGiven(before);
  if (forward && backward) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Page in one direction: `first` and `after` lead forward, `last` and `before` backward.',
    );
  }
  return backward
    ? { size: last, cursor: before, direction: 'backward' }
    : { size: first, cursor: after, direction: 'forward' };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

interface PageArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}
