import { examine } from './checks.ts';
import type { Application } from './domain/caller.ts';
import type { RecordAccess } from './domain/provider.ts';
import { PROVIDER_NAMES, PROVIDER_TITLES } from './domain/provider-names.ts';
import type { Foundation } from './foundation.ts';
import { createTtlCache } from './lib/cache.ts';
import { CALLER_MAX_AGE_MS, createAdminCheck } from './request/caller.ts';
import { createAdminApi } from './rest/admin.ts';
import { toSnakeCase } from './rest/schemas.ts';
import { createOperatorViews } from './storage/operator-views.ts';
import { createKeyedHash, createSigner, createSigningKeys } from './storage/signing.ts';

/** Part of the composition root: the admin API and the console. Loaded only where the operator has a key. */
export async function openOperating(foundation: Foundation, parts: OperatingParts) {
  const { config, clock, database, limits } = foundation;
  const console = config.console && (await openConsole(foundation, parts));
  const requireKey = createAdminCheck({ hash: parts.keyHash, failures: limits.failures });
  const api = createAdminApi({
    ...database.admin,
    usage: database.usage,
    views: createOperatorViews(database.forOperator),
    audit: database.audit,
    now: clock.wall,
    // Whether the CRMs can be reached is in the usage, by calls.
    runChecks: () => examine(config, { fetch: undefined, now: clock.wall() }),
  });
  return {
    /** Undefined: it is off. */
    console,
    admin: {
      ...api,
      /** The operator is who has the admin key, or has signed in to the console with it. */
      requireOperator: (arrival: Parameters<typeof requireKey>[0]) =>
        console?.hasCookie(arrival.headers)
          ? console.requireOperator(arrival.headers)
          : requireKey(arrival),
    },
  };
}

/** Its modules are loaded only where it is on. */
async function openConsole(
  { config, clock, log, version, keyRing, database, limits, providers }: Foundation,
  { keyHash, basePath }: OperatingParts,
) {
  const { createConsole } = await import('./console/console.ts');
  const applications = createTtlCache<Application>({
    maxAgeMs: CALLER_MAX_AGE_MS,
    maxEntries: 1_000,
    now: clock.now,
  });
  const readApplication = async (id: string) => {
    const found = (await database.admin.listApplications()).find((one) => one.id === id);
    return found && !found.deletedAt ? { id, name: found.name } : undefined;
  };
  const { publicUrl, production } = config;
  return createConsole({
    keyHash,
    basePath,
    audit: database.audit,
    clock,
    log,
    signer: createSigner(createSigningKeys(keyRing, 'console')),
    toCsrfToken: createKeyedHash(keyRing, 'console csrf'),
    isSecure: publicUrl === undefined ? production : publicUrl.startsWith('https:'),
    limitSignIns: limits.limitSignIns,
    findApplication: async (id) => applications.find(id, () => readApplication(id)),
    facts: {
      version,
      contacts: config.console?.contacts ?? false,
      prefixes: config.restPrefixes,
      providers: PROVIDER_NAMES.map((name) => ({
        name,
        title: PROVIDER_TITLES[name],
        can_connect: providers.get(name)?.authorization !== undefined,
        records: toSearchable(providers.get(name)?.crm?.records ?? {}),
      })),
    },
  });
}

/** The types of records that can be read, with the conditions by which they can be searched, in the names of REST. */
function toSearchable(records: Partial<RecordAccess>) {
  return Object.entries(records).map(([type, { filters }]) => ({
    type: type.toLowerCase(),
    filters: Object.keys(filters).map(toSnakeCase),
  }));
}

interface OperatingParts {
  /** The SHA-256 of the admin key in hexadecimal digits. */
  readonly keyHash: string;
  basePath(): string;
}
