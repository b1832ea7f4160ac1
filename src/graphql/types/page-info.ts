import { builder } from '../builder.ts';

/** Cursors are signed by the fields that show them: one that nobody selects costs nothing. */
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

export interface PageFacts {
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
