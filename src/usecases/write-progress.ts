import type { CustomFieldValue } from '../domain/custom-field.ts';
import type { ProviderFieldType } from '../domain/custom-fields.ts';
import { CrossbookError } from '../domain/errors.ts';
import { toProblem } from '../domain/records/field-writes.ts';
import type { WriteProblem, WriteResult } from '../domain/records/write.ts';
import type {
  LeasedWrite,
  PlannedWrite,
  SentItem,
  SentWrite,
  StoredItem,
  StoredWrite,
  WriteStore,
  WriteTimes,
} from '../domain/writing.ts';

/**
 * What is known of each record of a write, in memory and in the database. The database learns that a record is being
 * sent before it is, so that after a crash "not sent" and "not known" differ.
 */
export class WriteProgress {
  items: StoredItem[];
  /** Whether this call has begun to send. */
  hasSent = false;
  /** Whether anything that it has sent was carried out, or may have been. */
  hasWritten = false;
  readonly #deps: ProgressDeps;
  readonly #write: StoredWrite & LeasedWrite;
  readonly #plans = new Map<number, WritePlan>();

  constructor(deps: ProgressDeps, write: StoredWrite & LeasedWrite) {
    this.#deps = deps;
    this.#write = write;
    this.items = [...(write.items?.items ?? [])];
  }

  /** Takes a decision that needs no call, or remembers what is to be sent. */
  plan(plan: WritePlan): void {
    this.#plans.set(plan.index, plan);
    if (plan.write) this.#change(plan.index, { result: toNotSent(plan) });
    else this.#change(plan.index, { state: 'done', result: withoutIndex(plan.result) });
  }

  /** Rejects if another process has taken the write over: nothing is sent then. */
  async begin(writes: readonly Pick<PlannedWrite, 'index'>[]): Promise<void> {
    for (const one of writes) {
      const plan = this.#plans.get(one.index);
      if (plan) this.#change(one.index, { state: 'sent', sent: this.#toSent(plan) });
    }
    if (!(await this.#deps.writes.progress(this.#write, this.#toStored())))
      throw new CrossbookError('CONFLICT', 'Another call goes on with this write.');
    this.hasSent = true;
  }

  end(results: readonly SentWrite[]): void {
    for (const result of results) {
      const plan = this.#plans.get(result.index);
      if (!plan) continue;
      if (result.outcome !== 'NOT_SENT' && result.outcome !== 'REFUSED') this.hasWritten = true;
      if (result.outcome === 'NOT_SENT') {
        this.#change(result.index, { state: 'waiting', sent: null, result: toNotSent(plan) });
      } else if (result.outcome === 'UNKNOWN') {
        this.#change(result.index, { result: toUnknown(plan) });
      } else {
        this.#change(result.index, { state: 'done', sent: null, result: plan.toResult(result) });
      }
    }
  }

  /** What was marked and has no result was not carried out: the call rejected. */
  release(): void {
    for (const [index, plan] of this.#plans) {
      const item = this.items[index];
      if (item?.state === 'sent' && item.result?.outcome !== 'UNKNOWN')
        this.#change(index, { state: 'waiting', sent: null, result: toNotSent(plan) });
    }
  }

  async finish(): Promise<void> {
    const isComplete = this.items.every(({ state }) => state !== 'sent');
    const wasIncomplete = this.#write.attempts > 0 && this.#write.completedAt === null;
    const lookAgainAt = new Date(this.#deps.wall() + this.#deps.writeTimes.leaseMs);
    await this.#deps.writes.finish(this.#write, this.#toStored(), {
      isComplete,
      isOpen: this.items.some(({ state }) => state !== 'done'),
      lookAgainAt: isComplete ? null : lookAgainAt,
      hasSent: this.hasSent,
      isSettled: isComplete && wasIncomplete,
    });
  }

  #change(index: number, change: Partial<StoredItem>): void {
    const item = this.items[index];
    if (item) this.items[index] = { ...item, ...change };
  }

  #toStored() {
    return { version: 1, items: this.items } as const;
  }

  #toSent(plan: WritePlan): SentItem {
    const { writes } = this.#deps;
    const { verb = 'update', remoteId = null } = plan.write ?? {};
    const hashes = plan.values.map(
      ({ crmField, type, value }) =>
        [crmField, [type, writes.hash(JSON.stringify(value))]] as const,
    );
    return {
      verb,
      remoteId,
      key: remoteId === null ? plan.key : null,
      keyField: plan.keyField,
      at: this.#deps.wall(),
      hashes: Object.fromEntries(hashes),
      changedFields: plan.changedFields,
    };
  }
}

function toNotSent({ write }: WritePlan): StoredItem['result'] {
  return { ...NOT_SENT, remoteId: write?.remoteId ?? null };
}

function toUnknown({ changedFields, warnings, write }: WritePlan): StoredItem['result'] {
  const remoteId = write?.remoteId ?? null;
  return { ...UNKNOWN_RESULT, remoteId, changedFields, warnings };
}

function withoutIndex({ index: _, ...result }: WriteResult) {
  return result;
}

/** The parts of a result of which there is nothing to say. */
export const EMPTY_RESULT = {
  remoteId: null,
  changedFields: [],
  problems: [],
  warnings: [],
} as const;

export const UNKNOWN_RESULT = { ...EMPTY_RESULT, outcome: 'UNKNOWN' } as const;

/** The result of what was not sent. */
export const NOT_SENT = {
  ...EMPTY_RESULT,
  outcome: 'REFUSED',
  problems: [
    toProblem(
      'BUSY',
      'The record was not written, because the CRM or Crossbook stopped before. Repeat the call, with the same idempotency key if it has one.',
      null,
      { isRetryable: true },
    ),
  ],
} as const;

/** What is to be sent of one record or link, or what is known of it without. */
export interface WritePlan {
  readonly index: number;
  /** Null: nothing is sent, and the result is known. */
  readonly write: Pick<PlannedWrite, 'verb' | 'remoteId'> | null;
  /** The key by which a new record can be found. */
  readonly key: string | null;
  /** The field that has it, unless it is the writer's. */
  readonly keyField: string | null;
  readonly values: readonly {
    readonly crmField: string;
    readonly type: ProviderFieldType;
    readonly value: CustomFieldValue;
  }[];
  readonly changedFields: readonly string[];
  readonly warnings: readonly WriteProblem[];
  readonly result: WriteResult;
  toResult(sent: SentWrite): StoredItem['result'];
}

/** The result of a dry run. */
export function toPreview({
  index,
  write,
  result,
  changedFields,
  warnings,
}: WritePlan): WriteResult {
  if (!write) return result;
  const outcome = write.verb === 'create' ? 'CREATED' : 'UPDATED';
  return { ...EMPTY_RESULT, index, outcome, remoteId: write.remoteId, changedFields, warnings };
}

interface ProgressDeps {
  readonly writes: WriteStore;
  readonly writeTimes: WriteTimes;
  wall(): number;
}
