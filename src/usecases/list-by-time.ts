import { MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { BoundSigner, ListPage, Signer } from '../domain/page.ts';
import { readPageSize, verifySigned } from './page.ts';

/** A page of a list of what happened, the newest first, of one customer or of all of the application. */
export async function listByTime<Item extends Place>(
  signer: Signer,
  { name, applicationId, customerId, size: requestedSize, maxSize, cursor, find }: TimedList<Item>,
): Promise<ListPage<Item>> {
  if (customerId !== undefined && customerId.length > MAX_CUSTOMER_ID_LENGTH) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `The customer id is too long: at most ${MAX_CUSTOMER_ID_LENGTH} characters are allowed.`,
    );
  }
  const cursors = signer.bind(() => JSON.stringify([name, applicationId, customerId ?? null]));
  const size = readPageSize(requestedSize, maxSize);
  const after = readCursor(cursor ?? undefined, cursors);
  // One more than the page has, to know whether there is a next one.
  const items = await find({ after, limit: size + 1 });
  return {
    items: items.slice(0, size),
    hasNextPage: items.length > size,
    // The item of the cursor is newer than all that follow.
    hasPreviousPage: after !== undefined,
    cursorOf: (item) => signPlace(cursors, item ?? after),
  };
}

/** The cursor after an item; without one, of the start of the list. */
function signPlace(cursors: BoundSigner, place: Place | undefined): string {
  return cursors.sign(place ? `${place.createdAt.toISOString()} ${place.id}` : START);
}

function readCursor(cursor: string | undefined, cursors: BoundSigner): Place | undefined {
  if (cursor === undefined) return undefined;
  const signed = verifySigned(cursors, cursor);
  if (signed === START) return undefined;
  const [createdAt, id] = signed?.split(' ') ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: new Date(createdAt), id };
  throw new CrossbookError(
    'BAD_REQUEST',
    'Invalid cursor: it was not issued by this list. Send it unchanged, with the same customer.',
  );
}

/** The payload of the cursor from an empty first page. */
const START = 'start';

interface Place {
  readonly createdAt: Date;
  readonly id: string;
}

interface TimedList<Item> {
  /** Part of what cursors are bound to. */
  readonly name: string;
  readonly applicationId: string;
  readonly customerId: string | undefined;
  readonly size: number | null | undefined;
  readonly maxSize: number;
  readonly cursor: string | null | undefined;
  find(page: {
    readonly after: Place | undefined;
    readonly limit: number;
  }): Promise<readonly Item[]>;
}
