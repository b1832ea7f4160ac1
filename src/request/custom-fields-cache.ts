import type { CustomFieldsByRecord, FoundProblem } from '../domain/custom-fields.ts';
import { AbandonedError } from '../domain/errors.ts';
import { createTtlCache } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';

/** How long another process may use the previous custom fields of an application. */
const CUSTOM_FIELDS_MAX_AGE_MS = 5_000;
const MAX_APPLICATIONS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** A problem that searches see again and again is stored once an hour by each process. */
const NOTED_EVERY_MS = 60 * 60_000;
const MAX_NOTED = 10_000;

/** Caches the custom fields of applications, and remembers which problems were stored. */
export function createCustomFieldsCache({ now }: Pick<Clock, 'now'>) {
  const fields = createTtlCache<CustomFieldsByRecord>({
    maxAgeMs: CUSTOM_FIELDS_MAX_AGE_MS,
    maxEntries: MAX_APPLICATIONS,
    maxBytes: MAX_BYTES,
    sizeOf: (customFields) =>
      Object.values(customFields).every(({ definitions }) => definitions.length === 0)
        ? 0
        : JSON.stringify(customFields).length,
    isAbandoned: (error) => error instanceof AbandonedError,
    now,
  });
  const noted = new Map<string, number>();
  return {
    find: (applicationId: string, load: () => Promise<CustomFieldsByRecord>) =>
      fields.find(applicationId, load),
    forget: (applicationId: string) => fields.forget(applicationId),
    /** Whether a problem has to be stored now. */
    isDue(connectionId: string, problem: FoundProblem): boolean {
      const key = toKey(connectionId, problem);
      const last = noted.get(key);
      if (last !== undefined && now() - last < NOTED_EVERY_MS) return false;
      noted.delete(key);
      noted.set(key, now());
      const [oldest] = noted.keys();
      if (noted.size > MAX_NOTED && oldest !== undefined) noted.delete(oldest);
      return true;
    },
    /** A problem that has ended has to be stored when it is seen again. */
    forgetProblem(connectionId: string, problem: ProblemName): void {
      noted.delete(toKey(connectionId, problem));
    },
  };
}

function toKey(connectionId: string, { record, field, source, problem }: ProblemName): string {
  return JSON.stringify([connectionId, record, field, source, problem]);
}

type ProblemName = Pick<FoundProblem, 'record' | 'field' | 'source' | 'problem'>;

export type CustomFieldsCache = ReturnType<typeof createCustomFieldsCache>;
