import { CrossbookError } from '../../domain/errors.ts';
import type { PageInput } from '../../domain/page.ts';
import { builder } from '../builder.ts';

/** Cursors are signed by the fields that show them: one that is not selected costs nothing. */
export const PageInfoType = builder.objectRef<PageFacts>('PageInfo').implement({
  description: 'Where a page lies in its list. Both flags are facts, whichever way the page was reached.',
  directives: { shareable: {} },
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Is there anything after this page?' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Is there anything before this page?',
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the page’s first item, for `before`. Null on an empty page.',
      resolve: ({ startCursor }) => startCursor(),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the page’s last item, for `after`. Null on an empty page.',
      resolve: ({ endCursor }) => endCursor(),
    }),
  }),
});

export function toPageFacts<Item>(page: CursoredPage<Item>, items: readonly Item[]): PageFacts {
  const cursorOf = (item: Item | undefined) => (item === undefined ? null : page.cursorOf(item));
  return {
    hasNextPage: page.hasNextPage,
    hasPreviousPage: page.hasPreviousPage,
    startCursor: () => cursorOf(items[0]),
    endCursor: () => cursorOf(items.at(-1)),
  };
}

interface PageFacts {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  startCursor(): string | null;
  endCursor(): string | null;
}

interface CursoredPage<Item> {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursorOf(item: Item): string;
}

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
