import { MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { BoundSigner, ListPage, Signer } from '../domain/page.ts';
import type { WriteRecord, WrittenRecord } from '../domain/records/write.ts';
import type { StoredItem, StoredWrite, WriteStore } from '../domain/writing.ts';
import { quote } from '../lib/text.ts';
import { type CallerDeps, withApiKey } from './authorization.ts';
import { readPageSize, verifySigned } from './page.ts';

/** A write by its id. A customer token sees the writes of its customer. */
export function findWrite(deps: FindWritesDeps, id: string): Promise<WriteRecord> {
  return deps.withSpan('findWrite', async () => {
    const { customer } = deps.requireCaller();
    const found = await deps.writes.find(id);
    const isOwn = !customer || customer.customerId === found?.customerId;
    if (found && isOwn) return toRecord(found);
    throw new CrossbookError('NOT_FOUND', `There is no write ${quote(id)}.`);
  });
}

/** The writes of a customer of the last 90 days, the newest first. */
export function listWrites(
  deps: FindWritesDeps,
  { customerId, size: requestedSize, cursor }: WriteList,
): Promise<ListPage<WriteRecord>> {
  return withApiKey(deps, 'listWrites', async (application) => {
    if (customerId.length > MAX_CUSTOMER_ID_LENGTH) {
      throw new CrossbookError(
        'BAD_REQUEST',
        `The customer id is too long: at most ${MAX_CUSTOMER_ID_LENGTH} characters are allowed.`,
      );
    }
    const cursors = deps.cursors.bind(() => JSON.stringify(['writes', application.id, customerId]));
    const size = readPageSize(requestedSize, MAX_LISTED);
    const after = readCursor(cursor ?? undefined, cursors);
    const found = await deps.writes.list({ customerId, after, limit: size + 1 });
    return {
      items: found.slice(0, size).map(toRecord),
      hasNextPage: found.length > size,
      hasPreviousPage: after !== undefined,
      cursorOf: (item) => signPlace(cursors, item ?? after),
    };
  });
}

function toRecord({ items, ...write }: StoredWrite): WriteRecord {
  const { id, customerId, provider, operation, credentialId, createdAt, completedAt } = write;
  return {
    id,
    customerId,
    provider,
    operation,
    credentialId,
    createdAt,
    completedAt,
    isComplete: completedAt !== null,
    results: (items?.items ?? []).map(toWritten),
  };
}

function toWritten({ result, fields, link }: StoredItem, index: number): WrittenRecord {
  const known = result ?? {
    outcome: 'UNKNOWN',
    remoteId: null,
    changedFields: [],
    problems: [],
    warnings: [],
  };
  return { index, fields, link: link ?? null, ...known };
}

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

/** The most writes of a page: each has up to a hundred records. */
export const MAX_LISTED = 50;
/** The payload of the cursor from an empty first page. */
const START = 'start';

type Place = Pick<WriteRecord, 'createdAt' | 'id'>;

interface WriteList {
  readonly customerId: string;
  readonly size?: number | null | undefined;
  readonly cursor?: string | null | undefined;
}

export interface FindWritesDeps extends CallerDeps {
  readonly cursors: Signer;
  readonly writes: WriteStore;
}
