import type { ProviderFieldType } from '../domain/custom-fields.ts';
import { readCurrent } from '../domain/records/crm-value.ts';
import type {
  CurrentRecord,
  FindQuestion,
  RecordWriter,
  SentItem,
  StoredItem,
  WriteStore,
  WriteTimes,
} from '../domain/writing.ts';
import { NOT_SENT, UNKNOWN_RESULT } from './write-progress.ts';

/**
 * Finds out what became of records whose outcome is not known, by reading them. What was not carried out is `waiting`
 * again; what a read cannot decide stays as it is.
 */
export async function settleItems(
  deps: SettleDeps,
  { writer, items, mayRepeat }: Settling,
): Promise<StoredItem[]> {
  const inDoubt = items.flatMap(({ state, sent }) => (state === 'sent' && sent ? [sent] : []));
  if (inDoubt.length === 0) return [...items];
  const names = [...new Set(inDoubt.flatMap(({ hashes }) => Object.keys(hashes)))];
  const found = new Map<SentItem, readonly CurrentRecord[]>();
  const read = async (by: FindQuestion['by'], group: readonly SentItem[], textOf: TextOf) => {
    const texts = [...new Set(group.flatMap((item) => textOf(item) ?? []))];
    if (texts.length === 0) return;
    const records = await writer.find({ by, texts, names });
    for (const item of group) found.set(item, records.get(textOf(item) ?? '') ?? []);
  };
  await read(
    'id',
    inDoubt.filter(({ remoteId }) => remoteId !== null),
    ({ remoteId }) => remoteId,
  );
  const created = inDoubt.filter(({ remoteId }) => remoteId === null);
  for (const field of new Set(created.map(({ keyField }) => keyField ?? null))) {
    const group = created.filter(({ keyField }) => (keyField ?? null) === field);
    await read(field === null ? 'key' : { field }, group, ({ key }) => key);
  }
  return items.map((item) => {
    const { state, sent } = item;
    if (state !== 'sent' || !sent) return item;
    const verdict = decide(deps, sent, found.get(sent) ?? [], { writer, mayRepeat });
    if (verdict === 'unknown') return { ...item, result: toUnknown(item, sent) };
    if (verdict === 'not carried out')
      return {
        ...item,
        state: 'waiting',
        sent: null,
        result: { ...NOT_SENT, remoteId: sent.remoteId },
      };
    const outcome = sent.verb === 'create' ? 'CREATED' : 'UPDATED';
    return {
      ...item,
      state: 'done',
      sent: null,
      result: { ...toUnknown(item, sent), outcome, remoteId: verdict.remoteId },
    };
  });
}

function decide(
  deps: SettleDeps,
  sent: SentItem,
  found: readonly CurrentRecord[],
  { writer, mayRepeat }: Pick<Settling, 'writer' | 'mayRepeat'>,
): CurrentRecord | 'not carried out' | 'unknown' {
  const isOver = deps.wall() - sent.at > deps.writeTimes.settledMs;
  const equal = found.filter((record) => hasValues(deps, sent, record));
  if (sent.verb === 'update') {
    const [record] = equal;
    if (record) return record;
    // To send it again has the same end.
    return mayRepeat || (isOver && found.length > 0) ? 'not carried out' : 'unknown';
  }
  // Nothing finds a record without a key.
  if (sent.key === null) return 'unknown';
  if (found.length === 0) {
    const isAbsent = isOver && !writer.findsByIndex;
    return isAbsent || (mayRepeat && writer.isUpsertAtomic) ? 'not carried out' : 'unknown';
  }
  const [record] = equal;
  const isOurs = record && Date.parse(record.createdAt ?? '') >= sent.at - CLOCKS_MS;
  return found.length === 1 && isOurs ? record : 'unknown';
}

function hasValues(
  { writes }: SettleDeps,
  { hashes }: SentItem,
  { values }: CurrentRecord,
): boolean {
  return Object.entries(hashes).every(([crmField, [type, hash]]) => {
    const value = readCurrent(type as ProviderFieldType, values[crmField]);
    return writes.isHashOf(hash, JSON.stringify(value));
  });
}

function toUnknown(
  { result }: StoredItem,
  { remoteId, changedFields }: SentItem,
): NonNullable<StoredItem['result']> {
  const warnings = result?.warnings ?? [];
  return { ...UNKNOWN_RESULT, remoteId, changedFields, warnings };
}

/** The CRM's clock may be behind ours. */
const CLOCKS_MS = 60_000;

export interface SettleDeps {
  readonly writes: Pick<WriteStore, 'isHashOf'>;
  readonly writeTimes: WriteTimes;
  wall(): number;
}

type TextOf = (sent: SentItem) => string | null;

interface Settling {
  readonly writer: RecordWriter;
  readonly items: readonly StoredItem[];
  /** Whether what was not carried out is sent again. */
  readonly mayRepeat: boolean;
}
