import type { Page, PageRequest } from '../domain/page.ts';

/** The page of a list that is wholly at hand. The boundary itself may have gone from it meanwhile. */
export function slicePage<Item>(list: readonly Item[], request: PageRequest, order: Order<Item>): Page<Item> {
  const { direction, size, boundary } = request;
  const forward = direction === 'forward';
  const before = boundary === undefined ? (forward ? 0 : list.length) : countBefore(list, boundary, order);
  const hit =
    boundary !== undefined &&
    before < list.length &&
    order.compare(order.keyOf(list[before] as Item), boundary) === 0;
  const start = forward ? before + (hit ? 1 : 0) : Math.max(0, before - size);
  const end = forward ? Math.min(list.length, start + size) : before;
  return { items: list.slice(start, end), hasNextPage: end < list.length, hasPreviousPage: start > 0 };
}

function countBefore<Item>(list: readonly Item[], boundary: string, { keyOf, compare }: Order<Item>): number {
  const index = list.findIndex((item) => compare(keyOf(item), boundary) >= 0);
  return index < 0 ? list.length : index;
}

export interface Order<Item> {
  keyOf(item: Item): string;
  compare(a: string, b: string): number;
}
