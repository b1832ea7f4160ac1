import { randomUUID } from 'node:crypto';
import { CrossbookError, refuseMistakes } from '../domain/errors.ts';
import type { RecordOrigin } from '../domain/records/record.ts';
import {
  MAX_IDEMPOTENCY_KEY,
  MAX_WRITES,
  type Write,
  type WriteResult,
} from '../domain/records/write.ts';
import type {
  LeasedWrite,
  StoredItem,
  StoredWrite,
  WriteStore,
  WriteTimes,
} from '../domain/writing.ts';
import { type CallerDeps, customerNotFound } from './authorization.ts';
import type { CrmClient } from './open-crm-client.ts';
import { UNKNOWN_RESULT, WriteProgress } from './write-progress.ts';

/**
 * Carries out a write once for each idempotency key: its progress is stored before each call to the CRM, so that another
 * call or process can go on with it.
 */
export function carryOut(deps: CarryOutDeps, job: WriteJob): Promise<WritePayload> {
  const started = begin(deps, job);
  // A client that disconnects does not stop a write that has begun.
  deps.runInBackground(started.catch(() => undefined));
  return started;
}

async function begin(deps: CarryOutDeps, job: WriteJob): Promise<WritePayload> {
  const { connection, source } = job.client;
  const begun = await deps.writes.begin({
    id: randomUUID(),
    lease: randomUUID(),
    leaseMs: deps.writeTimes.leaseMs,
    customerId: connection.customerId,
    connectionId: connection.id,
    provider: connection.providerName,
    operation: job.operation,
    credentialId: deps.requireCaller().credentialId,
    idempotencyKey: job.idempotencyKey ?? null,
    input: job.input,
    items: { version: 1, items: job.items },
  });
  switch (begun.kind) {
    case 'gone':
      throw customerNotFound(connection.customerId, connection.providerName);
    case 'running':
      throw new CrossbookError(
        'CONFLICT',
        'A write with this idempotency key is under way: repeat the call for its results.',
        { retryAfterMs: RUNNING_RETRY_MS },
      );
    case 'other input':
      throw new CrossbookError(
        'UNPROCESSABLE_ENTITY',
        'This idempotency key was used for another input within the last 7 days: use a new key.',
      );
    case 'complete':
      return { write: toWrite(begun.write, true), results: toResults(begun.write), source };
    case 'claimed':
      return runClaimed(deps, job, begun);
  }
}

/** Sends what certainly was not sent. Of a write that another call or process has begun, it first finds out what was. */
async function runClaimed(
  deps: CarryOutDeps,
  { client, run }: WriteJob,
  { write, isNew }: Claimed,
): Promise<WritePayload> {
  const progress = new WriteProgress(deps, write);
  try {
    await run(async ({ settle, send }) => {
      if (!isNew) progress.items = await settle(progress.items);
      const indexes = progress.items.flatMap(({ state }, index) =>
        state === 'waiting' ? [index] : [],
      );
      await send({ indexes, progress });
    });
  } catch (error) {
    progress.release();
    if (!progress.hasWritten) {
      await (isNew ? deps.writes.forget(write) : progress.finish());
      throw error;
    }
    // The results say of the others that they were not written.
  }
  await progress.finish();
  const isComplete = progress.items.every(({ state }) => state !== 'sent');
  const { id, createdAt } = write;
  const results = progress.items.map(toResult);
  return {
    write: { id, createdAt, isReplayed: !isNew, isComplete },
    results,
    source: client.source,
  };
}

/** Refuses a call with no items, with too many, or with an invalid idempotency key. */
export function checkCall(
  nouns: string,
  { length }: readonly unknown[],
  key: string | null | undefined,
): void {
  const hasInvalidKey =
    typeof key === 'string' &&
    !(key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY && /^[\x20-\x7e]+$/.test(key));
  refuseMistakes([
    length === 0 && `There are no ${nouns}: give at least one`,
    length > MAX_WRITES && `There are ${length} ${nouns}: a call takes at most ${MAX_WRITES}`,
    hasInvalidKey &&
      `The idempotency key must have 1 to ${MAX_IDEMPOTENCY_KEY} printable ASCII characters`,
  ]);
}

/** A text that is the same for the same input, whatever the order of its fields. */
export function toComparedText(input: readonly unknown[]): string {
  return JSON.stringify(sorted(input));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, one]) => [name, sorted(one)]);
}

function toWrite({ id, createdAt, completedAt }: StoredWrite, isReplayed: boolean): Write {
  return { id, isReplayed, isComplete: completedAt !== null, createdAt };
}

function toResults({ items }: StoredWrite): readonly WriteResult[] {
  return (items?.items ?? []).map(toResult);
}

function toResult({ result }: StoredItem, index: number): WriteResult {
  return { index, ...(result ?? UNKNOWN_RESULT) };
}

const RUNNING_RETRY_MS = 1_000;

export interface WritePayload {
  /** Null for a dry run. */
  readonly write: Write | null;
  readonly results: readonly WriteResult[];
  readonly source: RecordOrigin;
}

/** A write of records, or of links. */
export interface WriteJob {
  readonly client: CrmClient;
  readonly operation: string;
  readonly idempotencyKey: string | null | undefined;
  /** Whatever decides about the results. */
  readonly input: string;
  /** As they are stored before anything is sent. */
  readonly items: readonly StoredItem[];
  /** Opens the CRM for these steps. */
  run(steps: (sender: WriteSender) => Promise<void>): Promise<void>;
}

export interface WriteSender {
  /** Finds out what became of items whose outcome is not known. */
  settle(items: readonly StoredItem[]): Promise<StoredItem[]>;
  send(waiting: Waiting): Promise<void>;
}

/** What certainly was not sent. */
export interface Waiting {
  readonly indexes: readonly number[];
  readonly progress: WriteProgress;
}

interface Claimed {
  readonly write: StoredWrite & LeasedWrite;
  readonly isNew: boolean;
}

export interface CarryOutDeps extends CallerDeps {
  readonly writes: WriteStore;
  readonly writeTimes: WriteTimes;
  wall(): number;
  runInBackground(work: Promise<unknown>): void;
}
