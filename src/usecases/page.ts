import type { Contact, ContactOrigin } from '../domain/contact.ts';
import type { ContactFilter, SearchSelection } from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import {
  type BoundSigner,
  DEFAULT_PAGE_SIZE,
  type Direction,
  MAX_PAGE_SIZE,
  type Page,
  type PageInput,
  type PageRequest,
  type Signer,
} from '../domain/page.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';

/** Binds cursors to their list: same application, customer, provider and filter. */
export function bindCursors(
  signer: Signer,
  source: ContactOrigin,
  filter: ContactFilter,
): BoundSigner {
  const { applicationId, customerId, provider } = source;
  return signer.bind(
    () => `${JSON.stringify([applicationId, customerId, provider])}${filterCacheKey(filter)}`,
  );
}

/** A unique key of a filter. Emails and domains contain no line breaks. */
export function filterCacheKey(filter: ContactFilter): string {
  return filter.by === 'emails' ? filter.emails.join('\n') : `@${filter.domain}`;
}

export function signCursor(signer: BoundSigner, { key, direction }: CursorPosition): string {
  return signer.sign(`${direction?.[0] ?? ' '}${key}`);
}

/** The signed payload; undefined where the cursor is not of this list. */
export function verifySigned(signer: BoundSigner, cursor: string): string | undefined {
  return cursor.length <= MAX_CURSOR_LENGTH ? signer.verify(cursor) : undefined;
}

const MAX_CURSOR_LENGTH = 1_024;

/** Converts unchecked page input to a page request. */
export function readPageRequest(signer: BoundSigner, page: PageInput): PageRequest {
  const size = readPageSize(page.size);
  const { key, direction } = readPosition(signer, page.cursor ?? undefined);
  if (page.direction && direction && page.direction !== direction) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `The cursor leads ${direction}, not ${page.direction}.`,
    );
  }
  return { size, direction: page.direction ?? direction ?? 'forward', boundary: key };
}

function readPosition(signer: BoundSigner, cursor: string | undefined): Partial<CursorPosition> {
  if (cursor === undefined) return NO_POSITION;
  const signed = verifySigned(signer, cursor);
  if (signed !== undefined)
    return { key: signed.slice(1), direction: DIRECTIONS[signed.charAt(0)] };
  throw new CrossbookError(
    'BAD_REQUEST',
    'The cursor is not one that this search has given: use it unchanged, with the same customer, provider and filter.',
  );
}

const NO_POSITION = {};
const DIRECTIONS: Readonly<Record<string, Direction>> = { f: 'forward', b: 'backward' };

export function readPageSize(size: number | null | undefined, max = MAX_PAGE_SIZE): number {
  const wanted = size ?? DEFAULT_PAGE_SIZE;
  if (Number.isInteger(wanted) && wanted >= 0 && wanted <= max) return wanted;
  throw new CrossbookError(
    'BAD_REQUEST',
    `The page size must be from 0 to ${max}; it is ${wanted}.`,
  );
}

/** Slices a page of a complete list. The boundary record may have been deleted meanwhile. */
export function slicePage<Item extends Pick<Contact, 'remoteId'>>(
  list: readonly Item[],
  { direction, size, boundary }: PageRequest,
  compareIds: ContactAccess['compareIds'],
): Page<Item> {
  const forward = direction === 'forward';
  const edge = boundary === undefined ? (forward ? 0 : list.length) : findEdge(boundary);
  const start = forward ? edge : Math.max(0, edge - size);
  const end = forward ? Math.min(list.length, edge + size) : edge;
  return {
    items: list.slice(start, end),
    hasNextPage: end < list.length,
    hasPreviousPage: start > 0,
  };

  /** The index after the boundary (forward), or before it (backward). */
  function findEdge(id: string): number {
    const index = list.findIndex(({ remoteId }) => {
      const compared = compareIds(remoteId, id);
      return forward ? compared > 0 : compared >= 0;
    });
    return index < 0 ? list.length : index;
  }
}

/**
 * Reads a page from the provider with keyset pagination. The range starts AT the boundary record: if it still exists,
 * it proves that there is a page on its side without another call.
 */
export async function readDomainPage(
  port: ContactPort,
  domain: string,
  { direction, size, boundary }: PageRequest,
  selection: Omit<SearchSelection, 'totalCount'>,
): Promise<Page<Contact>> {
  const forward = direction === 'forward';
  const limit = size + (boundary === undefined ? 1 : 2);
  const run = await port.readByDomain(domain, { direction, from: boundary, limit }, selection);
  const beyond = run.filter(({ remoteId }) => remoteId !== boundary);
  const items = forward ? beyond.slice(0, size) : beyond.slice(Math.max(0, beyond.length - size));
  const ahead = beyond.length > size;
  const behind =
    beyond.length < run.length ||
    (boundary !== undefined && selection.needsPreviousPage && (await standsBehind(boundary)));
  return {
    items,
    hasNextPage: forward ? ahead : behind,
    hasPreviousPage: forward ? behind : ahead,
  };

  async function standsBehind(from: string): Promise<boolean> {
    const back = forward ? 'backward' : 'forward';
    return (
      (await port.readByDomain(domain, { direction: back, from, limit: 1 }, selection)).length > 0
    );
  }
}

interface CursorPosition {
  /** The record id. */
  readonly key: string;
  /** Undefined where the cursor works in both directions, as an edge's does. */
  readonly direction?: Direction | undefined;
}
