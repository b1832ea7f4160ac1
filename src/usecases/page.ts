import type { Contact, ContactOrigin } from '../domain/contact.ts';
import type { ContactFilter, FieldSelection } from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import {
  type BoundCursorSigner,
  type CursorSigner,
  DEFAULT_PAGE_SIZE,
  type Direction,
  MAX_PAGE_SIZE,
  type Page,
  type PageInput,
  type PageRequest,
} from '../domain/page.ts';
import type { ContactPort } from '../domain/provider.ts';

const MAX_CURSOR_LENGTH = 1_024;

/** A cursor counts only where it was made: same application, customer, provider and filter. */
export function bindCursors(
  signer: CursorSigner,
  source: ContactOrigin,
  filter: ContactFilter,
): BoundCursorSigner {
  const { applicationId, customerId, provider } = source;
  return signer.bind(
    () => `${JSON.stringify([applicationId, customerId, provider])}${filterCacheKey(filter)}`,
  );
}

export function signCursor(signer: BoundCursorSigner, { key, direction }: CursorPosition): string {
  return signer.sign(`${direction?.[0] ?? ' '}${key}`);
}

/** From what a face was asked for to the slice that it means. */
export function readPageRequest(signer: BoundCursorSigner, page: PageInput): PageRequest {
  const size = readPageSize(page.size);
  const position = page.cursor === undefined || page.cursor === null ? undefined : verify(page.cursor);
  if (page.direction && position?.direction && page.direction !== position.direction) {
    throw new CrossbookError('BAD_REQUEST', `The cursor leads ${position.direction}, not ${page.direction}.`);
  }
  return {
    size,
    direction: page.direction ?? position?.direction ?? 'forward',
    boundary: position?.key,
  };

  function verify(cursor: string): CursorPosition {
    const payload = cursor.length <= MAX_CURSOR_LENGTH ? signer.verify(cursor) : undefined;
    if (payload !== undefined) return { key: payload.slice(1), direction: DIRECTIONS[payload.charAt(0)] };
    throw new CrossbookError(
      'BAD_REQUEST',
      'The cursor is not one that this search has given: use it unchanged, with the same customer, provider and filter.',
    );
  }
}

export function readPageSize(size: number | null | undefined): number {
  if (size === undefined || size === null) return DEFAULT_PAGE_SIZE;
  if (Number.isInteger(size) && size >= 0 && size <= MAX_PAGE_SIZE) return size;
  throw new CrossbookError('BAD_REQUEST', `The page size must be from 0 to ${MAX_PAGE_SIZE}; it is ${size}.`);
}

const DIRECTIONS: Readonly<Record<string, Direction>> = { f: 'forward', b: 'backward' };

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

/**
 * A page of a list that only the provider has. The run starts ON the boundary: where that record still stands, it
 * proves by itself that the page has a neighbour on its side, and no call is spent on the question.
 */
export async function readDomainPage(
  port: ContactPort,
  domain: string,
  query: RunQuery,
): Promise<Page<Contact>> {
  const { request, selection } = query;
  const { direction, size, boundary } = request;
  const forward = direction === 'forward';
  const limit = size + (boundary === undefined ? 1 : 2);
  const run = await port.readByDomain(domain, { direction, from: boundary, limit }, selection);

  const edge = forward ? run[0] : run.at(-1);
  const boundaryStands = boundary !== undefined && edge?.remoteId === boundary;
  const beyond = boundaryStands ? (forward ? run.slice(1) : run.slice(0, -1)) : run;
  const items = forward ? beyond.slice(0, size) : beyond.slice(Math.max(0, beyond.length - size));
  const ahead = beyond.length > size;
  const behind =
    boundaryStands || (boundary !== undefined && query.needsPreviousPage && (await standsBehind(boundary)));
  return { items, hasNextPage: forward ? ahead : behind, hasPreviousPage: forward ? behind : ahead };

  async function standsBehind(from: string): Promise<boolean> {
    const back = forward ? 'backward' : 'forward';
    return (await port.readByDomain(domain, { direction: back, from, limit: 1 }, selection)).length > 0;
  }
}

/** Tells one filter from another. No address and no domain has a line break in it. */
export function filterCacheKey(filter: ContactFilter): string {
  return filter.by === 'emails' ? filter.emails.join('\n') : `@${filter.domain}`;
}

interface CursorPosition {
  /** The record id. */
  readonly key: string;
  /** Undefined where the cursor serves both ways, as an edge's does. */
  readonly direction?: Direction | undefined;
}

interface Order<Item> {
  keyOf(item: Item): string;
  compare(a: string, b: string): number;
}

interface RunQuery {
  readonly request: PageRequest;
  readonly selection: FieldSelection;
  /** Is it asked whether there is a page on the side that this one was reached from? */
  readonly needsPreviousPage: boolean;
}
