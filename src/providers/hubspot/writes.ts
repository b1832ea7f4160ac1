import * as z from 'zod';
import type { CustomFieldValue } from '../../domain/custom-field.ts';
import { normalizeEmail } from '../../domain/email.ts';
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
import { isRecord, parseJson } from '../../lib/json.ts';
import { toText, toTimestamp } from '../../lib/text.ts';
import {
  attemptCall,
  type BatchReply,
  isRefusedForNow,
  isUnsettled,
  sendBatches,
  toSent,
} from '../write-batches.ts';
import { askForKnown, OBJECTS, optionalText, parseResponse, toFailure, toResults } from './call.ts';
import { toLookupEmails } from './contacts.ts';
import { type HubSpotObject, isRecordId, propertiesOf, toMergedIds } from './object.ts';

/** Writes records of a type. HubSpot takes a hundred in a call, and every value as a string. */
export function createWriter<Item extends CrmRecord>(
  account: CustomerAccount,
  object: HubSpotObject<Item>,
  declared: DeclaredWrites,
): RecordWriter {
  return {
    ...declared,
    find: (question) => findRecords(account, object, declared.keyField, question),

    async send(writes, options) {
      const send = (verb: BatchVerb, some: readonly PlannedWrite[]) =>
        sendBatches(some, {
          size: BATCH,
          options,
          post: (batch) => postBatch(account, object, verb, batch),
        });
      const created = writes.filter(({ verb }) => verb === 'create');
      await send(
        'update',
        writes.filter(({ verb }) => verb === 'update'),
      );
      await send(
        'upsert',
        created.filter(({ key }) => key !== null),
      );
      await send(
        'create',
        created.filter(({ key }) => key === null),
      );
    },
  };
}

export type DeclaredWrites = Pick<
  RecordWriter,
  'fields' | 'keyField' | 'requiresOneOf' | 'isUpsertAtomic' | 'prepare' | 'findSimilar'
>;

async function findRecords<Item extends CrmRecord>(
  account: CustomerAccount,
  object: HubSpotObject<Item>,
  keyField: string | null,
  { by, texts, names }: FindQuestion,
): Promise<ReadonlyMap<string, readonly CurrentRecord[]>> {
  const idProperty = by === 'id' ? undefined : by === 'key' ? (keyField ?? undefined) : by.field;
  const validTexts = by === 'id' ? texts.filter(isRecordId) : texts;
  const textsByKey = new Map(validTexts.map((text) => [toComparedKey(text), text]));
  const extra = by === 'id' ? object.mergedIds : idProperty ? [idProperty] : [];
  const properties = [...new Set([...object.keys, object.modified, ...extra, ...names])];
  const found = new Map<string, CurrentRecord[]>();
  for (const inputs of chunk(validTexts, BATCH)) {
    const answer = await askForKnown(account, `${OBJECTS.list}/${object.name}/batch/read`, {
      idProperty,
      properties,
      inputs: inputs.map((id) => ({ id })),
    });
    for (const record of answer ? parseResponse(toResults, answer) : []) {
      const current = toCurrent(object, record);
      if (!current) continue;
      const keys = idProperty
        ? keysOf(record, idProperty).flatMap((key) => textsByKey.get(toComparedKey(key)) ?? [])
        : [current.remoteId, ...toMergedIds(object, record)];
      for (const key of keys) {
        const known = found.get(key) ?? [];
        if (known.some(({ remoteId }) => remoteId === current.remoteId)) continue;
        found.set(key, [...known, current]);
      }
    }
  }
  return found;
}

/** The values by which a record is found: of contacts also their additional addresses. */
function keysOf(record: unknown, idProperty: string): readonly string[] {
  return idProperty === 'email'
    ? [...toLookupEmails(record)]
    : [toText(propertiesOf(record)[idProperty]) ?? ''];
}

function toComparedKey(key: string): string {
  return key.trim().toLowerCase();
}

function isSameKey(one: string, other: string): boolean {
  return toComparedKey(one) === toComparedKey(other);
}

function toCurrent(
  { modified }: Pick<HubSpotObject<CrmRecord>, 'modified'>,
  record: unknown,
): CurrentRecord | undefined {
  const remoteId = isRecord(record) ? toText(record['id']) : null;
  if (!isRecord(record) || remoteId === null) return undefined;
  const values = propertiesOf(record);
  return {
    remoteId,
    createdAt: toTimestamp(record['createdAt']) ?? toTimestamp(values['createdate']),
    lastModifiedAt: toTimestamp(values[modified]) ?? toTimestamp(record['updatedAt']),
    values,
  };
}

async function postBatch(
  account: CustomerAccount,
  object: HubSpotObject<CrmRecord>,
  verb: BatchVerb,
  batch: readonly PlannedWrite[],
): Promise<BatchReply> {
  const body = JSON.stringify({ inputs: batch.map((one) => toInput(verb, one)) });
  const post = () =>
    attemptCall(() =>
      account.send({
        method: 'POST',
        path: `${OBJECTS.list}/${object.name}/batch/${verb}`,
        budget: 'general',
        retry: 'throttled',
        body,
      }),
    );
  let answer = await post();
  const isRepeated = verb === 'upsert' && isUnsettled(answer);
  // However often it is sent, it makes one record. Whatever refuses the second call says nothing about the first.
  if (isRepeated) answer = await post().catch(() => undefined);
  if (isUnsettled(answer)) return { kind: 'unknown' };
  if (answer.status < 200 || answer.status > 299)
    return isRepeated ? { kind: 'unknown' } : readRefusal(answer);
  const results = readResults(answer, { verb, batch, isRepeated });
  return results ? { kind: 'results', results } : { kind: 'unknown' };
}

function toInput(
  verb: BatchVerb,
  { index, key, keyField: idProperty, remoteId, values }: PlannedWrite,
): object {
  const properties = Object.fromEntries(
    [...values]
      // It would change the primary address of a contact that has the key as an additional one.
      .filter(([name]) => verb !== 'upsert' || name !== idProperty)
      .map(([name, value]) => [name, toWireValue(value)]),
  );
  // Without unique ids a creation is not partial: one bad record fails all.
  const objectWriteTraceId = String(index);
  if (verb === 'create') return { properties, objectWriteTraceId };
  if (verb === 'update') return { id: remoteId, properties, objectWriteTraceId };
  return { id: key, idProperty, properties, objectWriteTraceId };
}

/** An empty string clears. */
function toWireValue(value: CustomFieldValue): string {
  if (value === null) return '';
  return Array.isArray(value) ? value.join(';') : String(value);
}

/** A whole batch that was refused: nothing of it was carried out. */
export function readRefusal(answer: JsonResponse): BatchReply {
  const failure = toFailure(answer);
  if (isRefusedForNow(answer, failure)) throw failure;
  const body = wireError.parse(parseJson(answer.body));
  if (answer.status === 403)
    return {
      kind: 'refused',
      problem: toProblem(body),
      fields: [],
      isAboutFields: false,
      isAboutAll: true,
    };
  const listed = readListed(body);
  const [first] = listed;
  return {
    kind: 'refused',
    problem: first ? toPropertyProblem(first) : toProblem(body),
    fields: [...new Set(listed.flatMap(({ name }) => name ?? []))],
    isAboutFields: listed.length > 0 && listed.every(({ code }) => ABOUT_FIELDS.has(code)),
  };
}

/** Returns undefined if the batch was carried out, but the body cannot be read. */
function readResults(
  answer: JsonResponse,
  { verb, batch, isRepeated }: SentBatch,
): readonly SentWrite[] | undefined {
  const json = answer.readJson();
  const results = toResults(json);
  if (!isRecord(json) || !results) return undefined;
  const waiting = new Map(batch.map((one) => [one.index, one]));
  const sent: SentWrite[] = [];
  const settle = (one: PlannedWrite, result: SentWrite) => {
    waiting.delete(one.index);
    sent.push(result);
  };
  const listedErrors = Array.isArray(json['errors']) ? json['errors'].slice(0, BATCH * 2) : [];
  const errors = listedErrors.map((error) => wireError.parse(error));
  for (const error of errors) {
    const listed = readListed(error);
    const problems = listed.length > 0 ? listed.map(toPropertyProblem) : [toProblem(error)];
    const { objectWriteTraceId: traces = [], ids = [] } = error.context ?? {};
    for (const one of [...waiting.values()]) {
      const isMeant =
        traces.map(String).includes(String(one.index)) ||
        ids.map(String).includes(one.remoteId ?? one.key ?? '');
      if (isMeant) settle(one, toSent(one, 'REFUSED', problems));
    }
  }
  for (const record of results) {
    const one = findWrite(record, [...waiting.values()]);
    if (!one || !isRecord(record)) continue;
    // A repeated call finds what the first has created.
    const isNew =
      verb === 'create' || (verb === 'upsert' && (isRepeated || record['new'] !== false));
    settle(one, {
      ...toSent(one, isNew ? 'CREATED' : 'UPDATED'),
      remoteId: toText(record['id']),
      values: propertiesOf(record),
    });
  }
  // Errors that name no record stand for those that are in no list.
  const unnamed = errors.find(({ context }) => !namesInput(context));
  for (const one of waiting.values())
    sent.push(unnamed ? toSent(one, 'REFUSED', [toProblem(unnamed)]) : toSent(one, 'UNKNOWN'));
  return sent;
}

function namesInput(context: WireError['context']): boolean {
  return Boolean(context?.['objectWriteTraceId'] ?? context?.['ids']);
}

/** The order of results is arbitrary, and not every version repeats the trace id. */
function findWrite(record: unknown, waiting: readonly PlannedWrite[]): PlannedWrite | undefined {
  if (!isRecord(record)) return undefined;
  const trace = toText(record['objectWriteTraceId']);
  const id = toText(record['id']);
  const properties = propertiesOf(record);
  return (
    waiting.find(({ index }) => trace === String(index)) ??
    waiting.find(({ verb, remoteId }) => verb === 'update' && remoteId === id) ??
    waiting.find(
      ({ key, keyField }) =>
        key !== null && keysOf(record, keyField ?? '').some((one) => isSameKey(one, key)),
    ) ??
    waiting.find(
      ({ verb, key, values }) =>
        verb === 'create' &&
        key === null &&
        [...values].every(([name, value]) => isWritten(properties[name], value)),
    )
  );
}

function isWritten(stored: unknown, value: CustomFieldValue): boolean {
  return normalizeEmail(toText(stored) ?? '') === normalizeEmail(toWireValue(value));
}

/** What HubSpot says about single properties: in a list inside of the message, and in one that may be shorter. */
function readListed({ message, errors }: WireError): readonly PropertyError[] {
  const start = message?.indexOf('[') ?? -1;
  const inside = message?.startsWith('Property values were not valid')
    ? parseJson(message.slice(start))
    : undefined;
  const listed = (Array.isArray(inside) ? inside : []).slice(0, MAX_LISTED).flatMap((one) => {
    const known = wirePropertyError.safeParse(one).data;
    return known
      ? [{ code: known.error ?? '', name: known.name ?? undefined, message: known.message ?? null }]
      : [];
  });
  const others = (errors ?? []).slice(0, MAX_LISTED).flatMap((one) => {
    const known = wireListedError.safeParse(one).data;
    const names = known?.context?.['propertyName'] ?? [];
    return known && names.length > 0
      ? [{ code: known.code ?? '', name: String(names[0]), message: known.message ?? null }]
      : [];
  });
  const names = new Set(listed.map(({ name }) => name));
  return [...listed, ...others.filter(({ name }) => !names.has(name))];
}

function toPropertyProblem({ code, name, message }: PropertyError): CrmProblem {
  const [, owner] =
    (code === TAKEN && /object (?:\d+-\d+[/ ])?(\d{1,19})\b/.exec(message ?? '')) || [];
  return {
    code: PROBLEMS[code] ?? (/required/i.test(code) ? 'REQUIRED' : 'INVALID_VALUE'),
    remoteCode: code || null,
    remoteMessage: message,
    crmField: name,
    existingRemoteIds: owner === undefined ? [] : [owner],
    isRetryable: false,
  };
}

export function toProblem({ category, message, context }: WireError): CrmProblem {
  const code = category ?? '';
  const existing = (context?.['existingId'] ?? []).map(String);
  const [, named] = /Existing ID: (\d{1,19})/i.exec(message ?? '') ?? [];
  return {
    code: CATEGORIES[code] ?? (code === 'VALIDATION_ERROR' ? 'INVALID_VALUE' : 'OTHER'),
    remoteCode: category ?? null,
    remoteMessage: message ?? null,
    existingRemoteIds: existing.length > 0 ? existing : named ? [named] : [],
    isRetryable: code === 'RATE_LIMITS',
  };
}

const BATCH = 100;
const MAX_LISTED = 200;

/** Whatever the value: no record of the portal takes the property. */
const ABOUT_FIELDS: ReadonlySet<string> = new Set(['PROPERTY_DOESNT_EXIST', 'READ_ONLY_VALUE']);

/** Another record has the value of a unique property. */
const TAKEN = 'CONFLICTING_UNIQUE_VALUE';

const PROBLEMS: Readonly<Record<string, CrmProblem['code']>> = {
  [TAKEN]: 'ALREADY_EXISTS',
  PROPERTY_DOESNT_EXIST: 'UNKNOWN_FIELD',
  INVALID_OPTION: 'NOT_AN_OPTION',
  READ_ONLY_VALUE: 'READ_ONLY',
  INVALID_LENGTH: 'TOO_LONG',
  // Rules that an administrator has set for a property.
  INVALID_ALPHA: 'CUSTOMER_RULE',
  INVALID_ALPHANUMERIC: 'CUSTOMER_RULE',
  INVALID_REGEX: 'CUSTOMER_RULE',
};

const CATEGORIES: Readonly<Record<string, CrmProblem['code']>> = {
  CONFLICT: 'ALREADY_EXISTS',
  OBJECT_NOT_FOUND: 'NOT_FOUND',
  MISSING_SCOPES: 'MISSING_SCOPE',
  RATE_LIMITS: 'BUSY',
};

const wirePropertyError = z.object({
  message: optionalText,
  error: optionalText,
  name: optionalText,
});
const wireContext = z.record(z.string(), z.array(z.unknown())).nullish().catch(null);
const wireListedError = z.object({
  message: optionalText,
  code: optionalText,
  context: wireContext,
});
export const wireError = z
  .object({
    message: optionalText,
    category: optionalText,
    context: wireContext,
    errors: z.array(z.unknown()).nullish().catch(null),
  })
  .catch({ message: null, category: null, context: null, errors: null });
type WireError = z.infer<typeof wireError>;

interface PropertyError {
  readonly code: string;
  readonly name: string | undefined;
  readonly message: string | null;
}

type BatchVerb = 'create' | 'update' | 'upsert';

interface SentBatch {
  readonly verb: BatchVerb;
  readonly batch: readonly PlannedWrite[];
  readonly isRepeated: boolean;
}
