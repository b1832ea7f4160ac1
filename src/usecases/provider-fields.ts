import type { ProviderField } from '../domain/custom-fields.ts';
import { CrossbookError } from '../domain/errors.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import type { RecordTarget } from '../domain/records/record-search.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import type { DescribedField } from '../domain/writing.ts';
import { type CrmClient, type OpenDeps, openCrmClient } from './open-crm-client.ts';
import type { CacheDeps } from './read-through-cache.ts';

/** The fields that records of a type have in the customer's CRM: read once a day, and on demand at most every ten seconds. */
export function readProviderFields(
  deps: ProviderFieldDeps,
  { record, refresh, ...target }: FieldsTarget,
): Promise<readonly ProviderField[]> {
  return deps.withSpan('readProviderFields', async () => {
    const kind = RECORDS[record];
    const client = await openCrmClient(deps, target, kind);
    return (await findProviderFields(deps, kind, client, refresh ? 'again' : 'today')).fields;
  });
}

/** The fields that the records of a type have in the customer's CRM, with what they take. */
export async function findProviderFields(
  deps: ProviderFieldDeps,
  kind: RecordKind<CrmRecord>,
  client: CrmClient,
  when: ReadTime,
): Promise<FieldList> {
  const { id } = client.connection;
  const cacheKey = toCacheKey(kind);
  let refreshed: readonly DescribedField[] | undefined;
  const refresh = async () => {
    const { fields, written } = await readFromProvider(deps, kind, client);
    refreshed = fields;
    // Others find it in the cache.
    await written.catch(() => undefined);
  };
  if (when === 'now') await refresh();
  if (when === 'again') await deps.refreshFieldsOnce(id, kind.type, refresh);
  if (refreshed) return { fields: refreshed, isCached: false };
  const read = () => deps.cache.read(id, cacheKey, { outlivesWrites: true });
  const cached = await (when === 'again' ? read() : deps.shareCachedRead(id, cacheKey, read));
  if (cached && Math.abs(deps.wall() - cached.fetchedAt.getTime()) <= MAX_AGE_MS)
    return { fields: JSON.parse(cached.payload) as readonly DescribedField[], isCached: true };
  const { fields, written } = await readFromProvider(deps, kind, client);
  deps.runInBackground(written);
  return { fields, isCached: false };
}

/** Reads the list from the CRM, and begins to write it to the cache. */
async function readFromProvider(
  deps: ProviderFieldDeps,
  kind: RecordKind<CrmRecord>,
  { connection, port }: CrmClient,
) {
  const fetchedAt = new Date(deps.wall());
  const fields = await port.of(kind).listFields();
  const written = deps.cache.write({
    connectionId: connection.id,
    weight: 0,
    fetchedAt,
    isUrgent: true,
    outlivesWrites: true,
    filterKey: () => toCacheKey(kind),
    payload(maxLength) {
      const text = JSON.stringify(fields);
      return text.length > maxLength ? undefined : text;
    },
  });
  return { fields, written };
}

const MAX_AGE_MS = 24 * 60 * 60_000;
/** No search has this cache key. */
function toCacheKey({ key }: RecordKind<CrmRecord>): string {
  return `${key}fields of the CRM, what they take, and which are unique`;
}

/** Without them, and without an error, where the CRM cannot be asked. */
export async function attemptProviderFields(
  deps: ProviderFieldDeps,
  kind: RecordKind<CrmRecord>,
  open: () => CrmClient | Promise<CrmClient>,
  when: ReadTime = 'today',
) {
  try {
    return await findProviderFields(deps, kind, await open(), when);
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}

/** Whether the CRM cannot be asked now, or not at all. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof CrossbookError && SILENT.has(error.code);
}

const SILENT: ReadonlySet<string> = new Set([
  'FORBIDDEN',
  'NOT_IMPLEMENTED',
  'REMOTE_PROVIDER_ERROR',
  'REMOTE_PROVIDER_UNAUTHORIZED',
  'REMOTE_PROVIDER_FORBIDDEN',
  'REMOTE_PROVIDER_RATE_LIMITED',
  'REMOTE_PROVIDER_TIMEOUT',
  'REMOTE_PROVIDER_UNAVAILABLE',
  'REMOTE_PROVIDER_BAD_RESPONSE',
]);

interface FieldsTarget extends RecordTarget {
  readonly record: RecordType;
  readonly refresh?: boolean | null | undefined;
}

interface FieldList {
  readonly fields: readonly DescribedField[];
  /** Read before, and not for this caller. */
  readonly isCached: boolean;
}

/** The last read that will do: one of the last day, one of the last ten seconds, or none. */
type ReadTime = 'today' | 'again' | 'now';

export type ProviderFieldDeps = OpenDeps &
  Pick<CacheDeps, 'cache' | 'wall' | 'shareCachedRead' | 'runInBackground'> &
  RefreshDeps;

export interface RefreshDeps {
  /** Runs the refresh, unless there was one for these records of the connection in the last ten seconds. */
  refreshFieldsOnce(
    connectionId: string,
    record: RecordType,
    refresh: () => Promise<void>,
  ): Promise<void>;
}
