import { costs, type UncheckedArguments } from '@crossbook/executor';
import type { FieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import { CrossbookError } from '../../domain/errors.ts';
import type { ListPage, PageInput } from '../../domain/page.ts';
import { builder } from '../define/builder.ts';

/** Cursors are signed in the field resolvers, so that unselected ones cost nothing. */
export const PageInfoType = builder.objectRef<ListPage<unknown>>('PageInfo').implement({
  description:
    'Position of a page in its list. Both flags are exact in either direction of paging.',
  directives: { shareable: {} },
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', {
      description: 'Whether there are items after this page.',
    }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Whether there are items before this page.',
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first item, for `before`. Null on an empty page.',
      resolve: (page) => cursorAt(page, 0),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of the last item, for `after`. Null on an empty page.',
      resolve: (page) => cursorAt(page, -1),
    }),
  }),
});

function cursorAt(page: ListPage<unknown>, index: number): string | null {
  const item = page.items.at(index);
  return item === undefined ? null : page.cursorOf(item);
}

/** The Relay connection type of a list: edges with cursors, nodes, and page info. */
export function connectionOf<Item extends object, Page extends ListPage<Item> = ListPage<Item>>(
  node: ObjectRefOf<Item>,
  {
    one,
    noun = node.name.toLowerCase(),
    nouns = `${noun}s`,
    description,
    cursorsFor = '`after` and `before`',
    fields,
  }: ConnectionOptions<Page>,
) {
  const edge = builder.objectRef<Edge<Item>>(`${node.name}Edge`).implement({
    description: `${one} and its cursor.`,
    fields: (t) => ({
      node: t.expose('node' as never, { type: node, description: `The ${noun}.` } as never),
      cursor: t.string({
        description: `Cursor of the ${noun}, for ${cursorsFor}.`,
        resolve: ({ page, node: item }) => page.cursorOf(item),
      }),
    }),
  });
  return builder.objectRef<Page>(`${node.name}Connection`).implement({
    description,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: `${capitalize(nouns)} of the page with their cursors.`,
        ...costs({ paged: true }),
        resolve: (page): readonly Edge<Item>[] => page.items.map((item) => ({ page, node: item })),
      }),
      nodes: t.field({
        type: [node],
        description: `${capitalize(nouns)} of the page without their cursors.`,
        ...costs({ paged: true }),
        resolve: ({ items }) => items as never,
      }),
      pageInfo: t.field({
        type: PageInfoType,
        description: 'Position of the page in the list.',
        resolve: (page) => page as ListPage<unknown>,
      }),
      ...fields?.(t),
    }),
  });
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The arguments of a Relay connection. */
export function pageArguments(nouns: string) {
  return builder.args((t) => ({
    first: t.int({
      description: `Number of ${nouns} from the start, or after \`after\`: 0 to 1,000. Default 100.`,
    }),
    after: t.string({ description: 'Cursor after which the page starts.' }),
    last: t.int({
      description: `Number of ${nouns} up to the end, or before \`before\`: 0 to 1,000.`,
    }),
    before: t.string({ description: 'Cursor before which the page ends.' }),
  }));
}

/** The page size by unchecked arguments. */
export function pageSizeOf(args: UncheckedArguments, otherwise: number): number {
  const given = args['first'] ?? args['last'];
  return typeof given === 'number' ? given : otherwise;
}

export function readPageInput({ first, after, last, before }: PageArguments): PageInput {
  const isBackward = (last ?? before ?? undefined) !== undefined;
  if (isBackward && (first ?? after ?? undefined) !== undefined) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Page in one direction: `first` and `after` lead forward, `last` and `before` backward.',
    );
  }
  return isBackward
    ? { size: last, cursor: before, direction: 'backward' }
    : { size: first, cursor: after, direction: 'forward' };
}

type PageArguments = InputShapeFromFields<ReturnType<typeof pageArguments>>;

interface ConnectionOptions<Page> {
  /** For example `A contact`. */
  readonly one: string;
  /** Default: the name of the type. */
  readonly noun?: string;
  readonly nouns?: string;
  readonly description: string;
  /** The arguments that take its cursors. */
  readonly cursorsFor?: string;
  /** Fields in addition to Relay's. */
  readonly fields?: (t: ObjectFieldBuilder<Page>) => FieldMap;
}

interface Edge<Item> {
  readonly page: ListPage<Item>;
  readonly node: Item;
}

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
export type ObjectFieldBuilder<T> = PothosSchemaTypes.ObjectFieldBuilder<Types, T>;
export type ObjectRefOf<T> = ObjectRef<Types, T>;
