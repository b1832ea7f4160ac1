import type { CustomFieldValue } from '../domain/custom-field.ts';
import { type CustomFields, findSources, type ProviderFieldType } from '../domain/custom-fields.ts';
import { readEmail } from '../domain/email.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import { checkValue, isSameValue, readCurrent } from '../domain/records/crm-value.ts';
import { type FieldChange, toCrmChanges, toProblem } from '../domain/records/field-writes.ts';
import {
  type FieldWrite,
  MAX_RAW_CHANGES,
  type WritableKind,
  type WriteInput,
  type WriteItem,
  type WriteVerb,
} from '../domain/records/writable.ts';
import {
  MAX_EXISTING_IDS,
  MAX_REMOTE_MESSAGE,
  type WriteProblem,
  type WriteResult,
} from '../domain/records/write.ts';
import { RemoteFailure } from '../domain/remote.ts';
import type {
  CrmProblem,
  CurrentRecord,
  DescribedField,
  PlannedWrite,
  RecordWriter,
  SentWrite,
  StoredItem,
} from '../domain/writing.ts';
import { groupBy } from '../lib/group-by.ts';
import { isRecord } from '../lib/json.ts';
import { isDay, isRfc3339, quote, shorten, toDay } from '../lib/text.ts';
import type { CrmClient } from './open-crm-client.ts';
import { findProviderFields, type ProviderFieldDeps } from './provider-fields.ts';
import type { SelectionDeps } from './select-custom-fields.ts';
import { EMPTY_RESULT, type WritePlan } from './write-progress.ts';

/**
 * Decides for each record what is to be sent, without sending: its values are checked by the CRM's own description, and
 * the records that exist are read. The description of the last day will do, and is read again where the CRM contradicts
 * it.
 */
export async function planWrites(deps: PlanDeps, work: PlanWork): Promise<readonly RecordPlan[]> {
  if (work.indexes.length === 0) return [];
  const { client, kind } = work;
  const described = await findProviderFields(deps, kind.record, client, 'today');
  try {
    const plans = await planBy(deps, work, toNames(described.fields, work.writer));
    const isDoubtful = described.isCached && plans.some(({ result }) => isAboutFields(result));
    if (!isDoubtful) return plans;
  } catch (error) {
    // It may name a field that the connected user does not see any more.
    const isContradicted = error instanceof RemoteFailure && error.code === 'REMOTE_PROVIDER_ERROR';
    if (!described.isCached || !isContradicted) throw error;
  }
  const { fields } = await findProviderFields(deps, kind.record, client, 'again');
  return planBy(deps, work, toNames(fields, work.writer));
}

function isAboutFields({ problems }: WriteResult): boolean {
  return problems.some(({ code, field }) => ABOUT_FIELDS.has(code) || field?.[0] === 'customField');
}

/** What a description that has changed since can be wrong about. */
const ABOUT_FIELDS: ReadonlySet<WriteProblem['code']> = new Set([
  'UNKNOWN_FIELD',
  'NOT_AN_OPTION',
  'READ_ONLY',
  'TOO_LONG',
]);

async function planBy(
  deps: PlanDeps,
  work: PlanWork,
  described: Described,
): Promise<readonly RecordPlan[]> {
  const { kind, writer, verb, input, indexes } = work;
  const findSource = toSourceFinder(work, (await deps.loadCustomFields())[kind.record.type]);
  const known = { described, findSource };
  const drafts = await Promise.all(indexes.map((index) => toDraft(work, known, index)));
  refuseRepeated(drafts, verb);
  const names = [
    ...new Set(drafts.flatMap(({ changes }) => changes.map(({ field }) => field.name))),
  ];
  await matchDrafts(writer, { drafts, verb, names, isPreview: input.dryRun === true });
  if (verb === 'upsert') refuseSameMatch(drafts, kind.record.noun);
  const isUpdateOnly = verb === 'update' || input.updateOnly === true;
  const plans = drafts.map((draft) => toPlan(work, described, draft, isUpdateOnly));
  return withSimilar(writer, plans);
}

/** The record of the input with its fields of the CRM. */
async function toDraft(
  { writer, verb, input }: PlanWork,
  known: KnownFields,
  index: number,
): Promise<Draft> {
  const { described, findSource } = known;
  const item = input.records[index] ?? { changes: {} };
  const translated = toCrmChanges(writer.fields, item.changes);
  const common = (await writer.prepare?.(translated, item.changes)) ?? translated;
  const problems = [...common.problems];
  const all = [
    ...common.changes,
    ...toCustomFields(findSource, item, problems),
    ...toRawFields(item, problems),
  ];
  const changes: CrmFieldChange[] = [];
  const seen = new Map<string, FieldChange>();
  for (const one of all) {
    const field = described.get(one.crmField.toLowerCase());
    const other = seen.get(one.crmField.toLowerCase());
    if (!field) {
      problems.push(
        toProblem(
          'UNKNOWN_FIELD',
          `The CRM has no field ${quote(one.crmField)}, or does not show it to the connected user.`,
          one.path,
        ),
      );
    } else if (other) {
      problems.push(
        toProblem(
          'INVALID_VALUE',
          `${other.name} and ${one.name} are the same field of the CRM.`,
          one.path,
        ),
      );
    } else {
      seen.set(one.crmField.toLowerCase(), one);
      changes.push({ ...one, value: toGiven(one, field), field });
    }
  }
  const found =
    verb === 'upsert' && item.customField !== undefined
      ? findUniqueField(known, item)
      : readKey(item, verb);
  if (found.mistake) problems.push(found.mistake);
  const since = item.ifUnmodifiedSince ?? null;
  if (since !== null && !isRfc3339(since))
    problems.push(
      toProblem('INVALID_VALUE', 'ifUnmodifiedSince must be a time such as 2026-01-31T10:00:00Z.', [
        'ifUnmodifiedSince',
      ]),
    );
  const { key, keyField = writer.keyField } = found;
  return { index, item, key, keyField, changes, problems, matches: [] };
}

/** A day becomes a time where the field has one. */
function toGiven(change: FieldChange, { type }: DescribedField): unknown {
  const { value } = change;
  const isText = change.isDay && type === 'DATETIME' && typeof value === 'string';
  return isText && isDay(value) ? `${value}T12:00:00.000Z` : value;
}

function readKey({ email, remoteId }: WriteItem, verb: WriteVerb): FoundKey {
  if (verb === 'create') return { key: null };
  if (verb === 'update') {
    const isId = typeof remoteId === 'string' && remoteId !== '' && remoteId.length <= 255;
    return isId
      ? { key: remoteId }
      : refuseKey('NOT_FOUND', 'The CRM has no record with this id.', 'remoteId');
  }
  const key = readEmail(email ?? '');
  return key === undefined
    ? refuseKey('INVALID_VALUE', 'The email must be an address such as ada@example.com.', 'email')
    : { key };
}

/** The field of the CRM that finds the record of an upsert by a custom field, and the value. */
function findUniqueField(
  { described, findSource }: KnownFields,
  { customField = '', value = '' }: WriteItem,
): FoundKey {
  const source = findSource(customField);
  if ('why' in source)
    return refuseKey(
      source.code,
      `The custom field ${quote(customField)} ${source.why}.`,
      'customField',
    );
  const field = described.get(source.field.toLowerCase());
  const name = `The custom field ${quote(customField)} (${source.field})`;
  if (field?.type !== 'TEXT' || !field.writing.isUnique)
    return refuseKey(
      'INVALID_VALUE',
      `${name} is not a text whose values are unique in the CRM: no record can be found by it.`,
      'customField',
    );
  const key = value.trim();
  return key === ''
    ? refuseKey('INVALID_VALUE', `${name} has no value.`, 'value')
    : { key, keyField: field.name };
}

function refuseKey(code: WriteProblem['code'], message: string, place: string): FoundKey {
  return { key: null, mistake: toProblem(code, message, [place]) };
}

function toCustomFields(
  findSource: FindSource,
  { changes }: WriteItem,
  problems: WriteProblem[],
): readonly FieldChange[] {
  const { customFields } = changes;
  if (customFields === undefined || customFields === null) return [];
  const place = ['changes', 'customFields'];
  if (!isRecord(customFields)) {
    problems.push(toProblem('INVALID_VALUE', 'customFields must be an object.', place));
    return [];
  }
  const found: FieldChange[] = [];
  for (const [name, value] of Object.entries(customFields)) {
    const path = [...place, shorten(name)];
    const source = findSource(name);
    if ('why' in source)
      problems.push(toProblem(source.code, `The custom field ${quote(name)} ${source.why}.`, path));
    else found.push({ crmField: source.field, value, path, name: `customFields.${name}` });
  }
  return found;
}

/** Finds the field of the CRM that a custom field is written to, or why it cannot be written. */
function toSourceFinder({ client, kind }: PlanWork, declared: CustomFields): FindSource {
  const { objectName } = client.access.records[kind.record.type] ?? {};
  const { fields } = findSources(declared, client.connection, objectName);
  const sources = new Map(fields.map(({ name, source }) => [name, source]));
  const names = new Set(declared.definitions.map(({ name }) => name));
  return (name) => {
    const field = sources.get(name);
    if (field !== undefined && !field.includes('.')) return { field };
    if (field !== undefined) return { code: 'READ_ONLY', why: 'is a field of a related record' };
    return {
      code: 'UNKNOWN_FIELD',
      why: names.has(name) ? 'has no source in this CRM' : 'is not declared',
    };
  };
}

function toRawFields({ changes }: WriteItem, problems: WriteProblem[]): readonly FieldChange[] {
  const { rawFields } = changes;
  if (rawFields === undefined || rawFields === null) return [];
  const place = ['changes', 'rawFields'];
  const entries = isRecord(rawFields) ? Object.entries(rawFields) : undefined;
  if (!entries || entries.length > MAX_RAW_CHANGES) {
    const form = `rawFields must be an object of at most ${MAX_RAW_CHANGES} fields.`;
    problems.push(toProblem('INVALID_VALUE', form, place));
    return [];
  }
  return entries.map(([name, value]) => {
    const crmField = name.slice(0, 255);
    return { crmField, value, path: [...place, crmField], name: `rawFields.${crmField}` };
  });
}

/** Two records of one call that name the same one: which of them would win is not for us to say. */
function refuseRepeated(drafts: readonly Draft[], verb: WriteVerb): void {
  const keyOf = ({ key, item }: Draft) =>
    key === null
      ? null
      : `${item.customField ?? ''} ${verb === 'update' ? key : key.toLowerCase()}`;
  for (const group of groupBy(drafts, keyOf)) {
    if (group.length < 2) continue;
    for (const { problems, item } of group) {
      const { place, what } = toKeyPlace(item, verb);
      problems.push(
        toProblem('CONFLICT', `Another record of this call has the same ${what}.`, [place]),
      );
    }
  }
}

/** Where the input has what finds the record. */
function toKeyPlace({ customField }: WriteItem, verb: WriteVerb) {
  if (verb === 'update') return { place: 'remoteId', what: 'id' };
  if (customField === undefined) return { place: 'email', what: 'email address' };
  return { place: 'value', what: shorten(customField) };
}

function refuseSameMatch(drafts: readonly Draft[], noun: string): void {
  const matched = drafts.filter(({ matches }) => matches.length === 1);
  for (const group of groupBy(matched, ({ matches }) => matches[0]?.remoteId ?? null)) {
    if (group.length < 2) continue;
    for (const { problems, matches, item } of group) {
      const { place } = toKeyPlace(item, 'upsert');
      problems.push(
        toProblem('CONFLICT', `Another record of this call is the same ${noun}.`, [place], {
          existingRemoteIds: matches.map(({ remoteId }) => remoteId),
        }),
      );
    }
  }
}

/** Reads the records that the drafts are about. */
async function matchDrafts(
  writer: RecordWriter,
  { drafts, verb, names, isPreview }: Matching,
): Promise<void> {
  const sound = drafts.filter(({ problems }) => problems.length === 0);
  // A creation needs no read. In a dry run, one shows what the CRM would refuse.
  const isUnique = writer.isUpsertAtomic && isPreview;
  const keyOf = (draft: Draft) =>
    verb === 'create' ? (isUnique ? emailOf(writer, draft) : null) : draft.key;
  // Each record of an upsert may name a field of its own.
  for (const group of groupBy(sound, ({ keyField }) => keyField ?? '')) {
    const texts = [...new Set(group.flatMap((draft) => keyOf(draft) ?? []))];
    if (texts.length === 0) continue;
    const { keyField = null } = group[0] ?? {};
    const by =
      verb === 'update' ? 'id' : keyField === writer.keyField ? 'key' : { field: keyField ?? '' };
    const found = await writer.find({ by, texts, names });
    for (const draft of group) draft.matches = found.get(keyOf(draft) ?? '') ?? [];
  }
}

/** The address that a new record will have. */
function emailOf({ keyField }: RecordWriter, { changes }: Draft): string | null {
  const value = changes.find(({ field }) => field.name === keyField)?.value;
  return typeof value === 'string' ? (readEmail(value) ?? null) : null;
}

function toPlan(
  work: PlanWork,
  described: Described,
  draft: Draft,
  isUpdateOnly: boolean,
): RecordPlan {
  const { writer, verb } = work;
  const { index, item, key, keyField, changes, matches } = draft;
  const [current] = matches;
  const isNew = verb === 'create' || (verb === 'upsert' && matches.length === 0);
  const problems = [...draft.problems];
  if (problems.length === 0) problems.push(...checkMatch(work, draft, isUpdateOnly));
  const values: PlannedValue[] = [];
  for (const one of changes) {
    const checked = checkValue(one, one.field, isNew);
    if ('problem' in checked) problems.push(checked.problem);
    else if (verb !== 'upsert' || one.field.name !== keyField)
      values.push({
        crmField: one.field.name,
        type: one.field.type,
        value: checked.value,
        change: one,
      });
    else if (checked.value !== null && !isSameValue(checked.value, key))
      problems.push(
        toProblem(
          'INVALID_VALUE',
          'This is the field that finds the record of the upsert: leave it out.',
          one.path,
        ),
      );
  }
  if (isNew && !isUpdateOnly) {
    const field = verb === 'upsert' ? described.get(keyField?.toLowerCase() ?? '') : undefined;
    if (field && key !== null)
      values.push({ crmField: field.name, type: field.type, value: key, change: undefined });
    problems.push(...findMissing(writer, described, values));
  }
  const differing = values.filter((one) => !isCurrent(one, current?.values[one.crmField]));
  const changedFields = [...new Set(differing.flatMap((one) => one.change?.name ?? []))];
  const base = {
    index,
    key: isNew ? (key ?? emailOf(writer, draft)) : null,
    keyField: keyField === writer.keyField ? null : keyField,
    values: differing,
    changedFields,
  };
  const remoteId = isNew ? null : (current?.remoteId ?? null);
  if (problems.length > 0)
    return toDecided(base, { ...EMPTY_RESULT, index, outcome: 'REFUSED', remoteId, problems });
  if (!isNew && differing.length === 0)
    return toDecided(base, { ...EMPTY_RESULT, index, outcome: 'UNCHANGED', remoteId });
  const write: PlannedWrite = {
    index,
    verb: isNew ? 'create' : 'update',
    remoteId,
    key: verb === 'upsert' ? key : null,
    keyField,
    values: new Map(differing.map(({ crmField, value }) => [crmField, value])),
    wireTypes: new Map(
      differing.flatMap(({ crmField, change }) => {
        const type = change?.field.writing.wireType;
        return type === undefined ? [] : [[crmField, type]];
      }),
    ),
    ifUnmodifiedSince: isNew ? null : (item.ifUnmodifiedSince ?? null),
  };
  const plan: RecordPlan = {
    ...base,
    write,
    warnings: [],
    result: { ...EMPTY_RESULT, index, outcome: 'UNKNOWN', remoteId, changedFields },
    toResult: (sent) => toSentResult(work, plan, sent),
  };
  return verb === 'upsert' && isNew && writer.findsByIndex ? withWarning(plan, toLate(work)) : plan;
}

/** Whether a record has the value already. A new one has none. */
function isCurrent({ type, value, change }: PlannedValue, raw: unknown): boolean {
  const current = readCurrent(type, raw) ?? change?.fallback ?? null;
  const isText = typeof value === 'string' && typeof current === 'string';
  return change?.isDay && isText ? toDay(value) === toDay(current) : isSameValue(current, value);
}

function toLate({ client, kind: { record } }: PlanWork): WriteProblem {
  const title = PROVIDER_TITLES[client.connection.providerName];
  return toProblem(
    'OTHER',
    `${title} finds ${record.nouns} by an index that may be late: a ${record.noun} with this key that was written a moment ago is not seen, and exists twice then.`,
  );
}

function toDecided(base: PlanBase, result: WriteResult): RecordPlan {
  return { ...base, write: null, warnings: [], result, toResult: () => result };
}

function checkMatch(
  { kind, verb }: PlanWork,
  { item, matches }: Draft,
  isUpdateOnly: boolean,
): readonly WriteProblem[] {
  const { noun, nouns } = kind.record;
  const path = [toKeyPlace(item, verb).place];
  const existingRemoteIds = matches.slice(0, MAX_EXISTING_IDS).map(({ remoteId }) => remoteId);
  if (verb === 'create')
    return matches.length === 0
      ? []
      : [
          toProblem('ALREADY_EXISTS', `A ${noun} with this email address exists.`, null, {
            existingRemoteIds,
          }),
        ];
  if (matches.length > 1)
    return [
      toProblem(
        'AMBIGUOUS_MATCH',
        `${matches.length} ${nouns} match: update one of them by its id.`,
        path,
        {
          existingRemoteIds,
        },
      ),
    ];
  if (matches.length === 0)
    return isUpdateOnly ? [toProblem('NOT_FOUND', `The CRM has no such ${noun}.`, path)] : [];
  const [current] = matches;
  const since = item.ifUnmodifiedSince ?? null;
  const modified = current?.lastModifiedAt ?? null;
  const isLater = since !== null && (modified === null || Date.parse(modified) > Date.parse(since));
  return isLater
    ? [
        toProblem('CONFLICT', `The ${noun} was changed after ifUnmodifiedSince: read it again.`, [
          'ifUnmodifiedSince',
        ]),
      ]
    : [];
}

/** What a new record lacks. */
function findMissing(
  { fields, requiresOneOf = [] }: RecordWriter,
  described: Described,
  values: readonly PlannedValue[],
): readonly WriteProblem[] {
  const valued = new Set(
    values.filter(({ value }) => value !== null).map(({ crmField }) => crmField),
  );
  const pathOf = (crmField: string) => ['changes', ...toNameOf(fields, crmField)];
  const missing = [...described.values()].filter(
    ({ name, writing }) => writing.isRequired && writing.canCreate && !valued.has(name),
  );
  const problems = missing.map(({ name, label }) =>
    toProblem(
      'REQUIRED',
      `The CRM requires the field ${label} (${name}) of a new record.`,
      pathOf(name),
    ),
  );
  if (requiresOneOf.length > 0 && !requiresOneOf.some((name) => valued.has(name))) {
    const [only = '', ...others] = requiresOneOf;
    const [what, path] =
      others.length === 0
        ? [`the field ${only}`, pathOf(only)]
        : [`at least one of ${requiresOneOf.join(', ')}`, ['changes']];
    problems.push(toProblem('REQUIRED', `A new record needs ${what}.`, path));
  }
  return problems;
}

/** Where the input would have a field of the CRM. */
function toNameOf(
  fields: Readonly<Record<string, FieldWrite>>,
  crmField: string,
): readonly string[] {
  const known = Object.entries(fields).find(
    ([, write]) =>
      ('to' in write && write.to === crmField) ||
      ('day' in write && write.day === crmField) ||
      ('amount' in write && write.amount === crmField),
  );
  return known ? [known[0]] : ['rawFields', crmField];
}

/** Warns of other records that may be the same. */
async function withSimilar(
  writer: RecordWriter,
  plans: readonly RecordPlan[],
): Promise<readonly RecordPlan[]> {
  const writes = plans.flatMap(({ write }) => write ?? []);
  if (!writer.findSimilar || writes.length === 0) return plans;
  const found = await writer.findSimilar(writes);
  return plans.map((plan) => {
    const warning = found.get(plan.index);
    return warning ? withWarning(plan, warning) : plan;
  });
}

function withWarning(plan: RecordPlan, warning: WriteProblem): RecordPlan {
  return {
    ...plan,
    warnings: [warning],
    toResult: (sent) => {
      const result = plan.toResult(sent);
      if (!result || result.outcome === 'REFUSED') return result;
      return { ...result, warnings: [warning, ...result.warnings] };
    },
  };
}

/** The result from the CRM's response, compared with what was sent. */
function toSentResult(
  { client, input, kind }: PlanWork,
  plan: RecordPlan,
  { outcome, remoteId, values, problems }: SentWrite,
): StoredItem['result'] {
  const title = PROVIDER_TITLES[client.connection.providerName];
  const texts = listTexts(input.records[plan.index]);
  if (outcome === 'REFUSED' || outcome === 'NOT_SENT')
    return {
      ...EMPTY_RESULT,
      outcome: 'REFUSED',
      remoteId,
      problems: problems.map((one) => toWriteProblem(one, { plan, title, texts })),
    };
  const unwritten = plan.values.filter(
    (one) =>
      values !== undefined && one.crmField in values && !isCurrent(one, values[one.crmField]),
  );
  return {
    ...EMPTY_RESULT,
    outcome,
    remoteId,
    changedFields: plan.changedFields,
    warnings: unwritten.map(({ change, crmField }) =>
      toProblem(
        'OTHER',
        `${title} accepted the ${kind.record.noun} and has another value in ${change?.name ?? crmField} than the one that was sent.`,
        change?.path ?? null,
      ),
    ),
  };
}

/** A problem in the words of the CRM, which names fields of the input. */
export function toWriteProblem(
  {
    code,
    remoteCode,
    remoteMessage,
    crmField,
    existingRemoteIds = [],
    isRetryable,
    message,
  }: CrmProblem,
  { plan, title, texts }: Named,
): WriteProblem {
  const field = plan.values.find((one) => one.crmField === crmField)?.change;
  const about = field
    ? ` because of ${field.name}`
    : crmField === undefined
      ? ''
      : ` because of ${shorten(crmField)}`;
  return {
    code,
    message:
      message ??
      `${title} refused the record${about}${remoteCode === null ? '' : `: ${shorten(remoteCode)}`}.`,
    field: field?.path ?? null,
    remoteCode: remoteCode === null ? null : shorten(remoteCode),
    remoteMessage: remoteMessage === null ? null : withoutTexts(remoteMessage, texts),
    existingRemoteIds: existingRemoteIds.slice(0, MAX_EXISTING_IDS),
    isRetryable,
  };
}

/** The texts of a record, the longest first. A CRM's message may repeat them. */
function listTexts(value: unknown): readonly string[] {
  const found = new Set<string>();
  const collect = (one: unknown): void => {
    if (typeof one === 'string' && one.length > 1) found.add(one);
    else if (typeof one === 'number') found.add(String(one));
    else if (typeof one === 'object' && one !== null) Object.values(one).forEach(collect);
  };
  collect(value);
  return [...found].sort((one, other) => other.length - one.length);
}

function withoutTexts(message: string, texts: readonly string[]): string {
  const start = message.slice(0, MAX_REMOTE_MESSAGE * 4);
  return texts
    .reduce((text, one) => text.replaceAll(one, '[value]'), start)
    .slice(0, MAX_REMOTE_MESSAGE);
}

function toNames(fields: readonly DescribedField[], { parts = [] }: RecordWriter): Described {
  return new Map([...fields, ...parts].map((field) => [field.name.toLowerCase(), field]));
}

/** By their names in lower case. */
type Described = ReadonlyMap<string, DescribedField>;

interface CrmFieldChange extends FieldChange {
  readonly field: DescribedField;
}

interface Draft {
  readonly index: number;
  readonly item: WriteItem;
  /** The id of an update, the key of an upsert. */
  readonly key: string | null;
  /** The CRM's field that has the key of an upsert. */
  readonly keyField: string | null;
  readonly changes: readonly CrmFieldChange[];
  readonly problems: WriteProblem[];
  matches: readonly CurrentRecord[];
}

interface PlannedValue {
  readonly crmField: string;
  readonly type: ProviderFieldType;
  readonly value: CustomFieldValue;
  /** Undefined: the key. */
  readonly change: CrmFieldChange | undefined;
}

export interface RecordPlan extends WritePlan {
  readonly write: PlannedWrite | null;
  readonly values: readonly PlannedValue[];
}

type PlanBase = Pick<RecordPlan, 'index' | 'key' | 'keyField' | 'values' | 'changedFields'>;

interface FoundKey {
  readonly key: string | null;
  /** Absent: the writer's. */
  readonly keyField?: string;
  readonly mistake?: WriteProblem;
}

/** What the application has declared and the CRM describes. */
interface KnownFields {
  readonly described: Described;
  readonly findSource: FindSource;
}

type FindSource = (name: string) => Source;

type Source =
  | { readonly field: string }
  | { readonly code: WriteProblem['code']; readonly why: string };

interface Matching {
  readonly drafts: readonly Draft[];
  readonly verb: WriteVerb;
  readonly names: readonly string[];
  readonly isPreview: boolean;
}

interface Named {
  readonly plan: Pick<PlanBase, 'values'>;
  readonly title: string;
  readonly texts: readonly string[];
}

interface PlanWork {
  readonly client: CrmClient;
  readonly kind: WritableKind;
  readonly verb: WriteVerb;
  readonly input: WriteInput;
  readonly writer: RecordWriter;
  readonly indexes: readonly number[];
}

export type PlanDeps = ProviderFieldDeps & Pick<SelectionDeps, 'loadCustomFields'>;
