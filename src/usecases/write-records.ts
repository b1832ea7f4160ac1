import { CrossbookError, refuseMistakes } from '../domain/errors.ts';
import type { CrmAccess, CrmPort } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import type { WritableKind, WriteInput, WriteItem, WriteVerb } from '../domain/records/writable.ts';
import type { RecordWriter, StoredItem } from '../domain/writing.ts';
import { checkMayWrite } from './authorization.ts';
import {
  type CarryOutDeps,
  carryOut,
  checkCall,
  toComparedText,
  type Waiting,
  type WritePayload,
} from './carry-out-write.ts';
import { type CrmClient, openCrmClient } from './open-crm-client.ts';
import { requireAccess } from './record-access.ts';
import { settleItems } from './settle-items.ts';
import { type PlanDeps, planWrites } from './write-plan.ts';
import { toPreview } from './write-progress.ts';

/**
 * Creates or changes up to a hundred records of one type in one customer's CRM. Each record has its own result: a
 * problem with one never stops the others. Rejects only for what happens before anything is sent.
 */
export function writeRecords(
  deps: WriteDeps,
  { kind, verb }: WriteOperation,
  input: WriteInput,
): Promise<WritePayload> {
  return deps.withSpan('writeRecords', async () => {
    const client = await openWriteClient(deps, kind, verb, input);
    checkCall('records', input.records, input.idempotencyKey);
    checkUpserts(client, kind, verb, input);
    const work = { deps, client, kind, verb, input };
    if (input.dryRun) return previewWrite(work);
    return carryOut(deps, {
      client,
      operation: toOperationName(kind, verb),
      idempotencyKey: input.idempotencyKey,
      input: toComparedInput(input),
      items: input.records.map(toWaiting),
      run: (steps) =>
        client.port.write(kind.record, (writer) =>
          steps({
            settle: (items) => settleItems(deps, { writer, items, mayRepeat: true }),
            send: (waiting) => sendWaiting(work, writer, waiting),
          }),
        ),
    });
  });
}

/** Authorizes the caller, and the connection. */
async function openWriteClient(
  deps: WriteDeps,
  kind: WritableKind,
  verb: WriteVerb,
  input: WriteInput,
): Promise<CrmClient> {
  checkMayWrite(deps);
  const client = await openCrmClient(deps, input, kind.record);
  const { connection, access } = client;
  const writes = access.records[kind.record.type]?.writes;
  if (!writes || (verb === 'upsert' && !writes.canUpsert)) {
    const what = writes ? 'found by a key: create or update them' : 'written';
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `The ${kind.record.nouns} of ${PROVIDER_TITLES[connection.providerName]} cannot be ${what}.`,
    );
  }
  requireAccess(client, kind.record, 'write');
  return { ...client, port: deps.openWritePort(connection, access) };
}

/** Where the CRM needs a search for each key, fewer records fit into the time of a write. */
function checkUpserts(
  { access, connection }: CrmClient,
  { record }: WritableKind,
  verb: WriteVerb,
  { records }: WriteInput,
): void {
  const most = access.records[record.type]?.writes?.mostUpserts;
  refuseMistakes([
    verb === 'upsert' &&
      most !== undefined &&
      records.length > most &&
      `There are ${records.length} records: an upsert in ${PROVIDER_TITLES[connection.providerName]} takes at most ${most}`,
  ]);
}

/** Everything but sending. Nothing is stored. */
async function previewWrite({ deps, client, ...work }: Work): Promise<WritePayload> {
  const every = work.input.records.map((_, index) => index);
  const plans = await client.port.write(work.kind.record, (writer) =>
    planWrites(deps, { ...work, client, writer, indexes: every }),
  );
  const results = plans.map((plan) => toPreview(plan));
  return { write: null, results, source: client.source };
}

async function sendWaiting(
  work: Work,
  writer: RecordWriter,
  { indexes, progress }: Waiting,
): Promise<void> {
  const { deps, input } = work;
  const plans = await planWrites(deps, { ...work, writer, indexes });
  for (const plan of plans) progress.plan(plan);
  const writes = plans.flatMap(({ write }) => write ?? []);
  if (writes.length === 0) return;
  await writer.send(writes, {
    allowDuplicates: input.allowDuplicates ?? false,
    before: (sent) => progress.begin(sent),
    after: async (results) => progress.end(results),
  });
}

function toWaiting({ changes }: WriteItem): StoredItem {
  return { state: 'waiting', fields: toFieldNames(changes), result: null, sent: null };
}

/** The names of the given fields, without values. */
function toFieldNames({ customFields, rawFields, ...fields }: WriteItem['changes']) {
  return [
    ...Object.keys(fields).filter((name) => fields[name] !== undefined),
    ...Object.keys(customFields ?? {}).map((name) => `customFields.${name}`),
    ...Object.keys(rawFields ?? {}).map((name) => `rawFields.${name}`),
  ].map((name) => name.slice(0, 300));
}

/** Whatever decides about the result. */
function toComparedInput({ records, updateOnly, allowDuplicates }: WriteInput): string {
  return toComparedText([records, updateOnly ?? false, allowDuplicates ?? false]);
}

/** `upsertContacts`. */
export function toOperationName({ record }: Pick<WritableKind, 'record'>, verb: WriteVerb): string {
  return `${verb}${record.nouns.charAt(0).toUpperCase()}${record.nouns.slice(1)}`;
}

interface WriteOperation {
  readonly kind: WritableKind;
  readonly verb: WriteVerb;
}

interface Work extends WriteOperation {
  readonly deps: WriteDeps;
  readonly client: CrmClient;
  readonly input: WriteInput;
}

export type WriteDeps = PlanDeps & CarryOutDeps & WritePortDeps;

export interface WritePortDeps {
  /** A port whose calls wait for those of look-ups, and that outlives the request. */
  openWritePort(connection: CrmClient['connection'], access: CrmAccess): CrmPort;
}
