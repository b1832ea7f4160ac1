import type { ProviderField } from '../domain/custom-fields.ts';
import { CrossbookError } from '../domain/errors.ts';
import { CONTACT } from '../domain/records/contact.ts';
import type { RecordTarget } from '../domain/records/record-search.ts';
import { type CrmClient, type OpenDeps, openCrmClient } from './open-crm-client.ts';
import type { CacheDeps } from './read-through-cache.ts';

/** The fields that contacts have in the customer's CRM: read once a day, and on demand at most every ten seconds. */
export function readProviderFields(
  deps: ProviderFieldDeps,
  target: RecordTarget & { readonly refresh?: boolean | null | undefined },
): Promise<readonly ProviderField[]> {
  return deps.withSpan('readProviderFields', async () => {
    const client = await openCrmClient(deps, target, CONTACT);
    return (await findProviderFields(deps, client, target.refresh ? 'again' : 'today')).fields;
  });
}

async function findProviderFields(
  deps: ProviderFieldDeps,
  client: CrmClient,
  when: ReadTime,
): Promise<FieldList> {
  const { id } = client.connection;
  let refreshed: readonly ProviderField[] | undefined;
  const refresh = async () => {
    const { fields, written } = await readFromProvider(deps, client);
    refreshed = fields;
    // Others find it in the cache.
    await written.catch(() => undefined);
  };
  if (when === 'now') await refresh();
  if (when === 'again') await deps.refreshFieldsOnce(id, refresh);
  if (refreshed) return { fields: refreshed, isCached: false };
  const read = () => deps.cache.read(id, CACHE_KEY);
  const kept = await (when === 'again' ? read() : deps.shareCachedRead(id, CACHE_KEY, read));
  if (kept && Math.abs(deps.wall() - kept.fetchedAt.getTime()) <= MAX_AGE_MS)
    return { fields: JSON.parse(kept.payload) as readonly ProviderField[], isCached: true };
  const { fields, written } = await readFromProvider(deps, client);
  deps.runInBackground(written);
  return { fields, isCached: false };
}

/** Reads the list from the CRM, and begins to write it to the cache. */
async function readFromProvider(deps: ProviderFieldDeps, { connection, port }: CrmClient) {
  const fetchedAt = new Date(deps.wall());
  const fields = await port.of(CONTACT).listFields();
  const written = deps.cache.write({
    connectionId: connection.id,
    weight: 0,
    fetchedAt,
    isUrgent: true,
    filterKey: () => CACHE_KEY,
    payload(maxLength) {
      const text = JSON.stringify(fields);
      return text.length > maxLength ? undefined : text;
    },
  });
  return { fields, written };
}

const MAX_AGE_MS = 24 * 60 * 60_000;
/** No search has this cache key. */
const CACHE_KEY = 'fields of the CRM';

/** Without them, and without an error, where the CRM cannot be asked. */
export async function attemptProviderFields(
  deps: ProviderFieldDeps,
  open: () => CrmClient | Promise<CrmClient>,
  when: ReadTime = 'today',
) {
  try {
    return await findProviderFields(deps, await open(), when);
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
  'NOT_IMPLEMENTED',
  'REMOTE_PROVIDER_ERROR',
  'REMOTE_PROVIDER_UNAUTHORIZED',
  'REMOTE_PROVIDER_FORBIDDEN',
  'REMOTE_PROVIDER_RATE_LIMITED',
  'REMOTE_PROVIDER_TIMEOUT',
  'REMOTE_PROVIDER_UNAVAILABLE',
  'REMOTE_PROVIDER_BAD_RESPONSE',
]);

interface FieldList {
  readonly fields: readonly ProviderField[];
  /** Read before, and not for this caller. */
  readonly isCached: boolean;
}

/** The last read that will do: one of the last day, one of the last ten seconds, or none. */
type ReadTime = 'today' | 'again' | 'now';

export type ProviderFieldDeps = OpenDeps &
  Pick<CacheDeps, 'cache' | 'wall' | 'shareCachedRead' | 'runInBackground'> &
  RefreshDeps;

export interface RefreshDeps {
  /** Runs the refresh, unless there was one for this connection in the last ten seconds. */
  refreshFieldsOnce(connectionId: string, refresh: () => Promise<void>): Promise<void>;
}
