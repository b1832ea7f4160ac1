import type { ContactOrigin } from '../domain/contact.ts';
import type { ContactFilter, Direction, PageInput } from '../domain/contact-search.ts';
import type { BoundCursorSigner, CursorSigner } from '../domain/cursor-signer.ts';
import { CrossbookError } from '../domain/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest } from '../domain/page.ts';
import { filterCacheKey } from './read-contact-filter.ts';

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

interface CursorPosition {
  /** The record id. */
  readonly key: string;
  /** Undefined where the cursor serves both ways, as an edge's does. */
  readonly direction?: Direction | undefined;
}
