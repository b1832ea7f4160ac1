import { CrossbookError } from '../domain/errors.ts';
import type { ListPage, Signer } from '../domain/page.ts';
import type { WriteRecord, WrittenRecord } from '../domain/records/write.ts';
import type { StoredItem, StoredWrite, WriteStore } from '../domain/writing.ts';
import { quote } from '../lib/text.ts';
import { type CallerDeps, withApiKey } from './authorization.ts';
import { listByTime } from './list-by-time.ts';
import { UNKNOWN_RESULT } from './write-progress.ts';

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
  { customerId, size, cursor }: WriteList,
): Promise<ListPage<WriteRecord>> {
  return withApiKey(deps, 'listWrites', (application) =>
    listByTime(deps.cursors, {
      name: 'writes',
      applicationId: application.id,
      customerId,
      size,
      maxSize: MAX_LISTED,
      cursor,
      find: async (page) => (await deps.writes.list({ customerId, ...page })).map(toRecord),
    }),
  );
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
  return { index, fields, link: link ?? null, ...(result ?? UNKNOWN_RESULT) };
}

/** The most writes of a page: each has up to a hundred records. */
export const MAX_LISTED = 50;

interface WriteList {
  readonly customerId: string;
  readonly size?: number | null | undefined;
  readonly cursor?: string | null | undefined;
}

export interface FindWritesDeps extends CallerDeps {
  readonly cursors: Signer;
  readonly writes: WriteStore;
}
