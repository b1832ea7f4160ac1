import * as z from 'zod';
import type { CustomFieldValue } from '../../domain/custom-field.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import type { JsonResponse, RemoteRequest } from '../../domain/remote.ts';
import type {
  CrmProblem,
  CurrentRecord,
  FindQuestion,
  PlannedLink,
  PlannedWrite,
  RecordWriter,
  SendOptions,
  SentWrite,
} from '../../domain/writing.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import {
  attemptCall,
  type BatchReply,
  isRefusedForNow,
  isUnsettled,
  sendBatches,
  toSent,
} from '../write-batches.ts';
import { API, createCall, readFailure, toRemoteFailure } from './call.ts';
import { type SalesforceObject, toTime } from './object.ts';
import { isInList, type Row, readRows, toPath } from './query.ts';
import { fieldName, isFieldName, select } from './soql.ts';

/** Writes records of a type by collections, whose records fail one by one. */
export function createWriter<Item extends CrmRecord>(
  account: CustomerAccount,
  object: SalesforceObject<Item>,
  declared: DeclaredWrites,
): RecordWriter {
  return {
    ...declared,
    find: (question) => findRecords(account, object, declared.keyField, question),
    send: (writes, options) => sendWrites(account, object, writes, options),
  };
}

export type DeclaredWrites = Pick<RecordWriter, 'fields' | 'keyField' | 'prepare' | 'findSimilar'>;

/** Sends writes of the records of an object. */
export async function sendWrites(
  account: CustomerAccount,
  object: Pick<SalesforceObject<CrmRecord>, 'name'>,
  writes: readonly PlannedWrite[],
  options: SendOptions,
): Promise<void> {
  const locked: PlannedWrite[] = [];
  const run = (mayWait: boolean) => {
    const after = (results: readonly SentWrite[]) => {
      const kept = results.filter((one) => !mayWait || !isLocked(one));
      const again = results.filter((one) => mayWait && isLocked(one));
      for (const { index } of again) locked.push(...writes.filter((one) => one.index === index));
      return options.after(kept);
    };
    return (some: readonly PlannedWrite[]) => sendAll(account, object, some, { ...options, after });
  };
  await run(true)(writes);
  // Nothing of a locked record was saved: it is sent once more, without the others.
  await run(false)(locked);
}

/** Deletes the rows that stand for links. A link may have several. */
export function deleteRows<Link extends Pick<PlannedLink, 'index' | 'verb'>>(
  account: CustomerAccount,
  links: readonly Link[],
  rowsOf: (link: Link) => readonly string[],
  options: SendOptions,
): Promise<void> {
  return sendBatches(links, {
    size: MAX_DELETED,
    options,
    async post(batch) {
      const ids = batch.flatMap(rowsOf);
      const query = new URLSearchParams({ ids: ids.join(','), allOrNone: 'false' });
      const answer = await post(account, {
        method: 'DELETE',
        path: `${API}/composite/sobjects?${query}`,
        headers: {},
      });
      if (isUnsettled(answer)) return { kind: 'unknown' };
      if (!isFine(answer)) return readRefusal(answer);
      const json = answer.readJson();
      if (!Array.isArray(json) || json.length !== ids.length) return { kind: 'unknown' };
      const results = batch.map((one) => {
        const deletions = rowsOf(one).map((id) => toResult(one, json[ids.indexOf(id)]));
        return deletions.find(({ outcome }) => outcome === 'REFUSED') ?? toSent(one, 'UPDATED');
      });
      return { kind: 'results', results };
    },
  });
}

function isLocked({ outcome, problems }: SentWrite): boolean {
  return outcome === 'REFUSED' && problems.some(({ remoteCode }) => remoteCode === LOCKED);
}

async function sendAll(
  account: CustomerAccount,
  object: Pick<SalesforceObject<CrmRecord>, 'name'>,
  writes: readonly PlannedWrite[],
  options: SendOptions,
): Promise<void> {
  const conditional = writes.filter(({ ifUnmodifiedSince }) => ifUnmodifiedSince !== null);
  const plain = writes.filter(({ ifUnmodifiedSince }) => ifUnmodifiedSince === null);
  const send = (method: 'POST' | 'PATCH', some: readonly PlannedWrite[]) =>
    sendBatches(some, {
      size: MAX_COLLECTION,
      options,
      post: (batch) => postCollection(account, { object, method, batch, options }),
    });
  await send(
    'PATCH',
    plain.filter(({ verb }) => verb === 'update'),
  );
  await send(
    'POST',
    plain.filter(({ verb }) => verb === 'create'),
  );
  await sendBatches(conditional, {
    size: MAX_PARTS,
    options,
    post: (batch) => postParts(account, { object, method: 'PATCH', batch, options }),
  });
}

async function findRecords<Item extends CrmRecord>(
  { send }: CustomerAccount,
  { name: from, idPrefix }: SalesforceObject<Item>,
  keyField: string | null,
  { by, texts, names }: FindQuestion,
): Promise<ReadonlyMap<string, readonly CurrentRecord[]>> {
  const column = by === 'id' ? 'Id' : by === 'key' ? (keyField ?? 'Id') : by.field;
  const isPossible = (id: string) =>
    id.startsWith(idPrefix) && /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/.test(id);
  const values = by === 'id' ? texts.filter(isPossible).map((id) => id.slice(0, 15)) : texts;
  const fields = [...new Set(['Id', 'CreatedDate', 'SystemModstamp', column, ...names])].filter(
    isFieldName,
  );
  const paths = isInList(fieldName(column), new Set(values)).map((where) =>
    toPath(select({ fields, from, where }), 'query'),
  );
  const rows = paths.length === 0 ? [] : (await readRows(createCall(send), paths)).flat();
  const found = new Map<string, CurrentRecord[]>();
  const textsByKey = new Map(texts.map((text) => [toKey(by, text), text]));
  for (const row of rows) {
    const remoteId = toText(row['Id']) ?? '';
    // Salesforce compares in the user's locale, so its matches are verified.
    const text = textsByKey.get(toKey(by, by === 'id' ? remoteId : (toText(row[column]) ?? '')));
    if (text === undefined) continue;
    found.set(text, [...(found.get(text) ?? []), toCurrent(remoteId, row)]);
  }
  return found;
}

function toKey(by: FindQuestion['by'], text: string): string {
  return by === 'id' ? text.slice(0, 15) : text.trim().toLowerCase();
}

function toCurrent(remoteId: string, row: Row): CurrentRecord {
  return {
    remoteId,
    createdAt: toTime(row['CreatedDate']),
    lastModifiedAt: toTime(row['SystemModstamp']),
    values: row,
  };
}

async function postCollection(account: CustomerAccount, sending: Sending): Promise<BatchReply> {
  const { object, method, batch, options } = sending;
  const records = batch.map(({ remoteId, values }) => ({
    attributes: { type: object.name },
    ...(method === 'PATCH' && { id: remoteId }),
    ...toFields(values),
  }));
  const answer = await post(account, {
    method,
    path: `${API}/composite/sobjects`,
    headers: toHeaders(options),
    body: JSON.stringify({ allOrNone: false, records }),
  });
  if (isUnsettled(answer)) return { kind: 'unknown' };
  if (!isFine(answer)) return readRefusal(answer);
  const json = answer.readJson();
  if (!Array.isArray(json) || json.length !== batch.length) return { kind: 'unknown' };
  return {
    kind: 'results',
    results: batch.map((one, place) => toResult(one, json[place])),
  };
}

/** Records with a condition, which only requests for single records have: several in one call. */
async function postParts(account: CustomerAccount, sending: Sending): Promise<BatchReply> {
  const { object, batch, options } = sending;
  const compositeRequest = batch.map(({ index, remoteId, values, ifUnmodifiedSince }) => ({
    method: 'PATCH',
    url: `${API}/sobjects/${object.name}/${remoteId}`,
    referenceId: `record${index}`,
    httpHeaders: {
      ...toHeaders(options),
      'If-Unmodified-Since': new Date(ifUnmodifiedSince ?? 0).toUTCString(),
    },
    body: toFields(values),
  }));
  const answer = await post(account, {
    method: 'POST',
    path: `${API}/composite`,
    headers: toHeaders(options),
    body: JSON.stringify({ allOrNone: false, compositeRequest }),
  });
  if (isUnsettled(answer)) return { kind: 'unknown' };
  if (!isFine(answer)) return readRefusal(answer);
  const json = answer.readJson();
  const parts = isRecord(json) ? json['compositeResponse'] : undefined;
  if (!Array.isArray(parts) || parts.length !== batch.length) return { kind: 'unknown' };
  return {
    kind: 'results',
    results: batch.map((one, place) => {
      const part: unknown = parts[place];
      const status = isRecord(part) ? Number(part['httpStatusCode']) : 0;
      if (status >= 200 && status < 300) return toSent(one, 'UPDATED');
      if (status === 412)
        return toSent(one, 'REFUSED', [
          {
            code: 'CONFLICT',
            remoteCode: 'PRECONDITION_FAILED',
            remoteMessage: null,
            isRetryable: false,
          },
        ]);
      return toResult(one, { success: false, errors: isRecord(part) ? part['body'] : [] });
    }),
  };
}

function post(
  { send }: CustomerAccount,
  request: Pick<RemoteRequest, 'method' | 'path' | 'headers' | 'body'>,
): Promise<JsonResponse | undefined> {
  return attemptCall(() => send({ ...request, budget: 'api', retry: 'throttled' }));
}

/** Salesforce assigns records of some objects to others by default, and refuses possible duplicates. */
function toHeaders({ allowDuplicates }: Pick<SendOptions, 'allowDuplicates'>) {
  return {
    'Sforce-Auto-Assign': 'FALSE',
    'Sforce-Duplicate-Rule-Header': `allowSave=${allowDuplicates}; includeRecordDetails=false; runAsCurrentUser=true`,
  };
}

function toFields(values: PlannedWrite['values']): Record<string, unknown> {
  return Object.fromEntries([...values].map(([name, value]) => [name, toWireValue(value)]));
}

function toWireValue(value: CustomFieldValue): string | number | boolean | null {
  return typeof value === 'object' && value !== null ? value.join(';') : value;
}

function isFine({ status }: JsonResponse): boolean {
  return status >= 200 && status < 300;
}

/** A whole call that was refused: nothing of it was carried out. */
function readRefusal(answer: JsonResponse): BatchReply {
  const failure = toRemoteFailure(answer);
  if (isRefusedForNow(answer, failure)) throw failure;
  const parsed = parseJson(answer.body);
  const error = wireError.safeParse(Array.isArray(parsed) ? parsed[0] : parsed).data;
  const { errorCode, message } = readFailure(answer.body);
  const problem = toCrmProblem({ ...error, statusCode: errorCode, message });
  const fields = problem.crmField === undefined ? [] : [problem.crmField];
  return {
    kind: 'refused',
    problem,
    fields,
    isAboutFields: problem.code === 'UNKNOWN_FIELD',
    isAboutAll: problem.code === 'MISSING_SCOPE',
  };
}

function toResult(one: Sent, given: unknown): SentWrite {
  const result = isRecord(given) ? given : {};
  if (result['success'] === true) {
    const isNew = one.verb === 'create' && result['created'] !== false;
    return {
      ...toSent(one, isNew ? 'CREATED' : 'UPDATED'),
      remoteId: toText(result['id']) ?? one.remoteId ?? null,
    };
  }
  const errors = Array.isArray(result['errors']) ? result['errors'].slice(0, 10) : [];
  const problems = errors.flatMap((error) => {
    const known = wireError.safeParse(error).data;
    return known ? [toCrmProblem(known)] : [];
  });
  return toSent(one, 'REFUSED', problems.length > 0 ? problems : [toCrmProblem({})]);
}

function toCrmProblem(error: WireError): CrmProblem {
  const code = error.statusCode ?? error.errorCode ?? null;
  const { message = null, fields } = error;
  const matches = readMatches(error.duplicateResult ?? error.duplicateResut);
  const [, column] = /No such column '(\w+)'/.exec(message ?? '') ?? [];
  const named =
    code === 'DUPLICATE_VALUE'
      ? /\b(?:id: ?)?([A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?)\b/.exec(
          (message ?? '').split(':').at(-1) ?? '',
        )?.[1]
      : undefined;
  return {
    code: CODES[code ?? ''] ?? 'OTHER',
    remoteCode: code,
    remoteMessage: message,
    crmField: column ?? fields?.[0],
    existingRemoteIds: matches.length > 0 ? matches : named ? [named] : [],
    isRetryable: code === LOCKED,
    ...(code === 'DUPLICATES_DETECTED' && {
      message: mayBeAllowed(error)
        ? 'A duplicate rule of Salesforce warns of similar records. Repeat the write with allowDuplicates to write it all the same.'
        : 'A duplicate rule of Salesforce blocks the record, because similar ones exist.',
    }),
  };
}

function mayBeAllowed({ duplicateResult, duplicateResut }: WireError): boolean {
  const found = duplicateResult ?? duplicateResut;
  return isRecord(found) && found['allowSave'] === true;
}

function readMatches(found: unknown): readonly string[] {
  const results =
    isRecord(found) && Array.isArray(found['matchResults']) ? found['matchResults'] : [];
  return results
    .flatMap((one: unknown) =>
      isRecord(one) && Array.isArray(one['matchRecords']) ? one['matchRecords'] : [],
    )
    .flatMap((one: unknown) => {
      const record = isRecord(one) ? one['record'] : undefined;
      const id = isRecord(record) ? toText(record['Id']) : null;
      return id === null ? [] : [id];
    })
    .slice(0, 10);
}

const LOCKED = 'UNABLE_TO_LOCK_ROW';
const MAX_COLLECTION = 200;
const MAX_PARTS = 25;
/** Of links, each of which is some rows: a call deletes up to 200. */
const MAX_DELETED = 50;

const CODES: Readonly<Record<string, CrmProblem['code']>> = {
  DUPLICATES_DETECTED: 'DUPLICATE_RULE',
  REQUIRED_FIELD_MISSING: 'REQUIRED',
  INVALID_FIELD_FOR_INSERT_UPDATE: 'READ_ONLY',
  INVALID_FIELD: 'UNKNOWN_FIELD',
  STRING_TOO_LONG: 'TOO_LONG',
  INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST: 'NOT_AN_OPTION',
  FIELD_CUSTOM_VALIDATION_EXCEPTION: 'CUSTOMER_RULE',
  CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY: 'CUSTOMER_RULE',
  DUPLICATE_VALUE: 'ALREADY_EXISTS',
  [LOCKED]: 'BUSY',
  ENTITY_IS_DELETED: 'NOT_FOUND',
  NOT_FOUND: 'NOT_FOUND',
  INVALID_EMAIL_ADDRESS: 'INVALID_VALUE',
  MALFORMED_ID: 'INVALID_VALUE',
  INVALID_CROSS_REFERENCE_KEY: 'INVALID_VALUE',
  FIELD_INTEGRITY_EXCEPTION: 'INVALID_VALUE',
  INACTIVE_OWNER_OR_USER: 'INVALID_VALUE',
  JSON_PARSER_ERROR: 'INVALID_VALUE',
  INSUFFICIENT_ACCESS: 'MISSING_SCOPE',
  INSUFFICIENT_ACCESS_OR_READONLY: 'MISSING_SCOPE',
  INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY: 'MISSING_SCOPE',
};

const optionalText = z.string().nullish().catch(null);
const wireError = z.object({
  statusCode: optionalText,
  errorCode: optionalText,
  message: optionalText,
  fields: z.array(z.string()).nullish().catch(null),
  duplicateResult: z.unknown().optional(),
  /** As some versions of Salesforce spell it. */
  duplicateResut: z.unknown().optional(),
});
type WireError = Partial<z.infer<typeof wireError>>;

/** A record, or a link by the row that stands for it. */
type Sent = Pick<PlannedWrite, 'index'> &
  Partial<Pick<PlannedWrite, 'remoteId'>> & {
    readonly verb: PlannedWrite['verb'] | PlannedLink['verb'];
  };

interface Sending {
  readonly object: Pick<SalesforceObject<CrmRecord>, 'name'>;
  readonly method: 'POST' | 'PATCH';
  readonly batch: readonly PlannedWrite[];
  readonly options: SendOptions;
}
