import type { ContactTarget } from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ProviderField } from '../domain/own-fields.ts';
import { type ContactClient, type OpenDeps, openContactClient } from './open-contact-client.ts';
import type { CacheDeps } from './read-through-cache.ts';

/** The fields that contacts have in the customer's CRM: read once a day, and again on demand. */
export function readProviderFields(
  deps: ProviderFieldDeps,
  target: ContactTarget & { readonly refresh?: boolean | null | undefined },
): Promise<readonly ProviderField[]> {
  return deps.withSpan('readProviderFields', async () => {
    const client = await openContactClient(deps, target);
    return findProviderFields(deps, client, target.refresh ?? false);
  });
}

async function findProviderFields(
  deps: ProviderFieldDeps,
  { connection, port }: ContactClient,
  refresh: boolean,
): Promise<readonly ProviderField[]> {
  const kept = refresh
    ? undefined
    : await deps.shareCachedRead(connection.id, CACHE_KEY, () =>
        deps.cache.read(connection.id, CACHE_KEY),
      );
  if (kept && Math.abs(deps.wall() - kept.fetchedAt.getTime()) <= MAX_AGE_MS)
    return JSON.parse(kept.payload) as readonly ProviderField[];
  const fetchedAt = new Date(deps.wall());
  const fields = await port.listFields();
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
  deps.runInBackground(written);
  return fields;
}

const MAX_AGE_MS = 24 * 60 * 60_000;
/** No search has this cache key. */
const CACHE_KEY = 'fields of the CRM';

/** Without them, and without an error, where the CRM cannot be asked. */
export async function attemptProviderFields(
  deps: ProviderFieldDeps,
  open: () => ContactClient | Promise<ContactClient>,
  refresh = false,
) {
  try {
    return await findProviderFields(deps, await open(), refresh);
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

export type ProviderFieldDeps = OpenDeps &
  Pick<CacheDeps, 'cache' | 'wall' | 'shareCachedRead' | 'runInBackground'>;
