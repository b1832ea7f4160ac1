import type { CustomFieldValue } from '../../domain/custom-field.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import type { JsonResponse } from '../../domain/remote.ts';
import type {
  CrmProblem,
  CurrentRecord,
  FindQuestion,
  PlannedWrite,
  RecordWriter,
  SentWrite,
} from '../../domain/writing.ts';
import { chunk } from '../../lib/batcher.ts';
import { isRecord } from '../../lib/json.ts';
import { toText, toTimestamp } from '../../lib/text.ts';
import { attemptCall, isRefusedForNow, isUnsettled, toSent } from '../write-batches.ts';
import { readProblem, toFailure, V2 } from './call.ts';
import { toLookupEmails } from './contacts.ts';
import { readByIds, searchByEmail } from './lookups.ts';
import {
  isFieldKey,
  isRecordId,
  type PipedriveObject,
  readCustomValues,
  toPlainValue,
  type Wire,
} from './object.ts';

/** Writes records of a type. Each is a call: Pipedrive has none for several. */
export function createWriter<Item extends CrmRecord>(
  account: CustomerAccount,
  object: PipedriveObject<Item>,
  { isPart = () => false, readParts = () => NOTHING, toWhole, ...declared }: DeclaredWrites,
): RecordWriter {
  /** Lists are written as a whole, so that the entries that stay are needed. */
  const known = new Map<string, Wire>();
  const toValues = (record: Wire) => ({ ...readValues(record), ...readParts(record) });
  const toBody = ({ values, wireTypes, ...write }: PlannedWrite): Wire => {
    const record = known.get(write.remoteId ?? '');
    const current = readCustomValues(record);
    const custom: Record<string, unknown> = {};
    const body: Record<string, unknown> = {};
    for (const [name, value] of values) {
      const plain = toWireValue(wireTypes.get(name), value, current[name]);
      if (isFieldKey(name)) custom[name] = plain;
      else if (!isPart(name)) body[name] = plain;
    }
    const whole = toWhole?.({ values, key: write.key }, record);
    return {
      ...body,
      ...whole,
      ...(Object.keys(custom).length > 0 && { custom_fields: custom }),
    };
  };
  return {
    ...declared,

    async find(question) {
      const found = new Map<string, CurrentRecord[]>();
      for (const record of await findRecords(account, object, question)) {
        const remoteId = toText(record['id']) ?? '';
        known.set(remoteId, record);
        const current: CurrentRecord = {
          remoteId,
          createdAt: toTimestamp(record['add_time']),
          lastModifiedAt: toTimestamp(record['update_time']) ?? toTimestamp(record['add_time']),
          values: toValues(record),
        };
        const texts = question.by === 'id' ? [remoteId] : toLookupEmails(record);
        for (const text of texts) found.set(text, [...(found.get(text) ?? []), current]);
      }
      return found;
    },

    /** Several at once, of which each has its own outcome. */
    async send(writes, { before, after }) {
      const waiting = [...chunk(writes, AT_ONCE)];
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
        await before(batch);
        const replies = await Promise.all(
          batch.map((one) => sendOne(account, object, { one, body: toBody(one), toValues })),
        );
        await after(replies.map(({ sent }) => sent));
        const stopped = replies.find(({ stop }) => stop !== undefined);
        if (stopped) throw stopped.stop;
        // The company is closed, or the app may not write: the others would be refused as well.
        const [first] = replies;
        if (first && replies.every(({ isAboutAll }) => isAboutAll)) {
          const { problems } = first.sent;
          await after(waiting.flat().map((one) => toSent(one, 'REFUSED', problems)));
          return;
        }
      }
    },
  };
}

export const BY_INDEX = { findsByIndex: true } as const;

export interface DeclaredWrites
  extends Pick<
    RecordWriter,
    'fields' | 'keyField' | 'parts' | 'requiresOneOf' | 'findsByIndex' | 'prepare'
  > {
  /** Whether a field is a part of one that is written as a whole. */
  isPart?(name: string): boolean;
  /** What a record has of each of the parts. */
  readParts?(record: Wire): Wire;
  /** The fields that are made of parts: of those to be written, and of those that the record has. */
  toWhole?(write: Pick<PlannedWrite, 'values' | 'key'>, record: Wire | undefined): Wire;
}

/** Records that were deleted or merged into others are not found. */
async function findRecords(
  account: CustomerAccount,
  object: PipedriveObject<CrmRecord>,
  { by, texts }: FindQuestion,
): Promise<readonly Wire[]> {
  const ids =
    by === 'id'
      ? texts
      : (await Promise.all(texts.map((email) => searchByEmail(account, email)))).flat();
  const records = await readByIds(account, object, [...new Set(ids.filter(isRecordId))]);
  return records.filter(isRecord).filter((record) => record['is_deleted'] !== true);
}

async function sendOne(
  { send }: CustomerAccount,
  { name }: Pick<PipedriveObject<CrmRecord>, 'name'>,
  { one, body, toValues }: Sending,
): Promise<Reply> {
  const { verb, remoteId } = one;
  let answer: JsonResponse | undefined;
  try {
    answer = await attemptCall(() =>
      send({
        method: verb === 'create' ? 'POST' : 'PATCH',
        path: verb === 'create' ? `${V2}/${name}` : `${V2}/${name}/${remoteId}`,
        budget: 'general',
        retry: 'throttled',
        body: JSON.stringify(body),
      }),
    );
  } catch (reason) {
    return { sent: toSent(one, 'NOT_SENT'), stop: reason };
  }
  if (isUnsettled(answer)) return { sent: toSent(one, 'UNKNOWN') };
  const json = answer.status < 300 ? answer.readJson() : undefined;
  const data = isRecord(json) ? json['data'] : undefined;
  if (isRecord(json) && json['success'] !== false) {
    const id = isRecord(data) ? toText(data['id']) : null;
    if (!isRecord(data) || id === null) return { sent: toSent(one, 'UNKNOWN') };
    const outcome = verb === 'create' ? 'CREATED' : 'UPDATED';
    return { sent: { ...toSent(one, outcome), remoteId: id, values: toValues(data) } };
  }
  if (answer.status < 300 && json === undefined) return { sent: toSent(one, 'UNKNOWN') };
  const failure = toFailure(answer);
  if (isRefusedForNow(answer, failure)) return { sent: toSent(one, 'NOT_SENT'), stop: failure };
  return {
    sent: toSent(one, 'REFUSED', [toProblem(answer, one)]),
    isAboutAll: answer.status === 402 || answer.status === 403,
  };
}

function toProblem(answer: JsonResponse, { values }: PlannedWrite): CrmProblem {
  const { error, message, code } = readProblem(answer.body);
  const text = error ?? message ?? '';
  const [key] = /\b[0-9a-f]{40}\b/.exec(text) ?? [];
  const crmField = key ?? [...values.keys()].find((name) => hasWord(text, name));
  const isGone = answer.status === 404 || answer.status === 410;
  const isUnknown =
    key !== undefined && /unrecogni|unknown|not (?:allowed|found|exist)/i.test(text);
  return {
    code: isGone
      ? 'NOT_FOUND'
      : answer.status === 403
        ? 'MISSING_SCOPE'
        : answer.status !== 400
          ? 'OTHER'
          : isUnknown
            ? 'UNKNOWN_FIELD'
            : 'INVALID_VALUE',
    remoteCode: code ?? String(answer.status),
    remoteMessage: text || null,
    crmField,
    isRetryable: false,
  };
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?:^|[^\\w.])${word.replaceAll('.', '\\.')}(?:$|[^\\w])`).test(text);
}

/** What a record has, by the codes of its fields, as custom fields are read. */
function readValues(record: Wire): Record<string, unknown> {
  const all = { ...record, ...readCustomValues(record) };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, toPlainValue(value)]),
  );
}

/** Ids are numbers, and amounts and addresses are objects. An empty list is refused where null clears. */
function toWireValue(type: string | undefined, value: CustomFieldValue, current: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(toNumber);
  switch (type) {
    case 'enum':
    case 'user':
    case 'org':
    case 'people':
    case 'deal':
    case 'stage':
      return toNumber(value);
    case 'monetary': {
      const currency = isRecord(current) ? current['currency'] : undefined;
      return { value, ...(typeof currency === 'string' && { currency }) };
    }
    case 'address':
    case 'time':
      return { value };
    default:
      return value;
  }
}

/** Text that is no number is for Pipedrive to refuse. */
function toNumber(value: CustomFieldValue): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

const AT_ONCE = 10;
const NOTHING: Wire = {};

interface Sending {
  readonly one: PlannedWrite;
  readonly body: Wire;
  toValues(record: Wire): Record<string, unknown>;
}

interface Reply {
  readonly sent: SentWrite;
  /** Why it was not carried out, and further ones would not be. */
  readonly stop?: unknown;
  /** Further ones would be refused as well. */
  readonly isAboutAll?: boolean;
}
