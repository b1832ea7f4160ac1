import { randomUUID } from 'node:crypto';
import type { CrmPort } from '../domain/provider.ts';
import { WRITABLE_RECORDS } from '../domain/records/catalogue.ts';
import { toLinkVerb } from '../domain/records/link-changes.ts';
import type { WritableKind } from '../domain/records/writable.ts';
import type {
  LeasedWrite,
  StoredItem,
  StoredWrite,
  WriteQueue,
  WriteStore,
  WriteTimes,
} from '../domain/writing.ts';
import { settleItems } from './settle-items.ts';
import { settleLinks } from './settle-links.ts';
import { NOT_SENT } from './write-progress.ts';

/**
 * The job that finds out what became of writes: of records whose outcome is not known, and of writes whose process has
 * ended. It reads, and never sends. What a read cannot decide stays UNKNOWN.
 */
export async function settleWrites(deps: SettleWritesDeps): Promise<void> {
  for (let count = 0; count < MAX_AT_ONCE && !deps.isStopping(); count += 1) {
    const claimed = await deps.queue.claim(randomUUID(), deps.writeTimes.leaseMs);
    if (!claimed) return;
    try {
      await settle(deps, claimed);
    } catch (error) {
      deps.onError(error);
      await finish(deps, claimed, claimed.items?.items ?? []);
    }
  }
}

async function settle(deps: SettleWritesDeps, write: Claimed): Promise<void> {
  const items = write.items?.items ?? [];
  const port = await deps.openPort(write);
  const settled = port ? await settleBy(deps, port, write) : items;
  await finish(deps, write, settled.map(toNotSent));
}

async function settleBy(
  deps: SettleWritesDeps,
  port: CrmPort,
  write: Claimed,
): Promise<readonly StoredItem[]> {
  const items = write.items?.items ?? [];
  const verb = toLinkVerb(write.operation);
  if (verb) return port.writeLinks((links) => settleLinks(deps, { links, verb, items }));
  const kind = kindOf(write.operation);
  if (!kind) return items;
  return port.write(kind.record, (writer) =>
    settleItems({ ...deps, writes: deps.storeOf(write) }, { writer, items, mayRepeat: false }),
  );
}

/** A process has ended before it sent these. A call with the same idempotency key goes on with them. */
function toNotSent(item: StoredItem): StoredItem {
  return item.state !== 'waiting' || item.result ? item : { ...item, result: NOT_SENT };
}

async function finish(
  deps: SettleWritesDeps,
  write: Claimed,
  items: readonly StoredItem[],
): Promise<void> {
  const isKnown = items.every(({ state }) => state !== 'sent');
  const isOver = write.attempts >= MAX_ATTEMPTS;
  const next = deps.wall() + Math.min(FIRST_PAUSE_MS * 2 ** write.attempts, LONGEST_PAUSE_MS);
  await deps.storeOf(write).finish(
    write,
    { version: 1, items },
    {
      isComplete: isKnown || isOver,
      isOpen: items.some(({ state }) => state !== 'done'),
      lookAgainAt: isKnown || isOver ? null : new Date(next),
      hasSent: true,
      isSettled: isKnown || isOver,
    },
  );
}

function kindOf(operation: string): WritableKind | undefined {
  return WRITABLE_RECORDS.find(({ record }) => operation.toLowerCase().endsWith(record.nouns));
}

const MAX_AT_ONCE = 20;
/** After about a day nothing else will be known. */
const MAX_ATTEMPTS = 12;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 4 * 60 * 60_000;

type Claimed = StoredWrite & LeasedWrite;

export interface SettleWritesDeps {
  readonly queue: WriteQueue;
  readonly writeTimes: WriteTimes;
  storeOf(write: Pick<StoredWrite, 'applicationId'>): WriteStore;
  /** Undefined: the connection was removed. */
  openPort(write: StoredWrite): Promise<CrmPort | undefined>;
  wall(): number;
  isStopping(): boolean;
  onError(error: unknown): void;
}
