import type { CursorSigner } from '../domain/cursor-signer.ts';
import { MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Event } from '../domain/event.ts';
import type { Timing } from '../domain/journal.ts';
import { DEFAULT_PAGE_SIZE } from '../domain/page.ts';
import type { EventStore } from '../domain/webhook.ts';
import { type ApiKeyDeps, requireApiKey } from './require-api-key.ts';

/** The events of the last thirty days, the newest first. */
export function listEvents(deps: ListEventsDeps, wanted: EventList): Promise<EventPage> {
  return deps.timed('listEvents', async () => {
    const { application } = requireApiKey(deps);
    const customerId = wanted.customerId ?? undefined;
    if (customerId !== undefined && customerId.length > MAX_CUSTOMER_ID_LENGTH) {
      throw new CrossbookError('BAD_REQUEST', 'No customer has so long an id.');
    }
    const cursors = deps.cursors.bind(() => JSON.stringify(['events', application.id, customerId ?? null]));
    const size = readSize(wanted.size);
    const after = readCursor(wanted.cursor, (cursor) => cursors.verify(cursor));
    const found = await deps.events.list({ customerId, after, limit: size + 1 });
    return {
      events: found.slice(0, size),
      hasNextPage: found.length > size,
      // The event that the cursor names is newer than all that follow.
      hasPreviousPage: after !== undefined,
      cursorOf: ({ createdAt, id }) => cursors.sign(`${createdAt.toISOString()} ${id}`),
    };
  });
}

function readSize(size: number | null | undefined): number {
  const wanted = size ?? DEFAULT_PAGE_SIZE;
  if (Number.isInteger(wanted) && wanted >= 0 && wanted <= MAX_EVENTS) return wanted;
  throw new CrossbookError('BAD_REQUEST', `The page size must be from 0 to ${MAX_EVENTS}; it is ${wanted}.`);
}

function readCursor(cursor: string | null | undefined, verify: (cursor: string) => string | undefined) {
  if (cursor === null || cursor === undefined) return undefined;
  const [createdAt, id] = (cursor.length <= MAX_CURSOR_LENGTH ? verify(cursor) : undefined)?.split(' ') ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: new Date(createdAt), id };
  throw new CrossbookError(
    'BAD_REQUEST',
    'The cursor is not one that this list has given: use it unchanged, with the same customer.',
  );
}

const MAX_CURSOR_LENGTH = 1_024;
/** On one page. */
export const MAX_EVENTS = 200;

export interface EventList {
  readonly customerId?: string | null | undefined;
  readonly size?: number | null | undefined;
  readonly cursor?: string | null | undefined;
}

export interface EventPage {
  readonly events: readonly Event[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursorOf(event: Event): string;
}

interface ListEventsDeps extends ApiKeyDeps, Timing {
  readonly cursors: CursorSigner;
  readonly events: EventStore;
}
