import { type Application, DEMO_APPLICATION } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { isStorable, quote } from '../lib/text.ts';

/** Creates an application, for commands and the admin API. Rejects with CONFLICT if the name is taken. */
export async function createApplication(
  store: ApplicationAdmin,
  {
    name,
    origins = [],
  }: { readonly name: string; readonly origins?: readonly string[] | undefined },
) {
  checkName(name);
  const application = await store.createApplication(name);
  if (origins.length > 0) await store.setOrigins(application.id, origins);
  return { ...application, origins };
}

/**
 * Lists applications with the web origins that may call for them (CORS). Those that are being deleted have the time of
 * the deletion.
 */
export async function listApplications(store: ApplicationAdmin) {
  const [applications, allowed] = await Promise.all([
    store.listApplications(),
    store.listOrigins(),
  ]);
  const origins = new Map(allowed.map((one) => [one.applicationId, one.origins]));
  return applications.map(({ id, name, deletedAt }) => ({
    id,
    name,
    origins: origins.get(id) ?? [],
    ...(deletedAt && { deletedAt: deletedAt.toISOString() }),
  }));
}

/** Renames an application. Its id, keys and data stay the same. */
export async function renameApplication(
  store: ApplicationAdmin,
  { application, name }: { readonly application: string; readonly name: string },
): Promise<Application> {
  checkName(name);
  const { id } = requireOwn(await findApplication(store, application), 'renamed');
  return store.renameApplication(id, name);
}

/**
 * Marks an application for deletion, if its name is given as the confirmation. Its keys and tokens are refused within
 * five seconds on all processes; a job of the servers then deletes its data. Without the name it rejects with
 * UNPROCESSABLE_ENTITY, and says what would be deleted.
 */
export async function deleteApplication(
  store: ApplicationAdmin,
  { application, confirm }: { readonly application: string; readonly confirm?: string | undefined },
) {
  const { id, name } = requireOwn(await findApplication(store, application), 'deleted');
  const stored = await store.countStored(id, MAX_COUNTED);
  const deleted = { id, name, ...stored };
  if (confirm !== name) {
    throw new CrossbookError(
      'UNPROCESSABLE_ENTITY',
      `${describeDeletion(deleted)} This cannot be undone. Confirm it with the name of the application: ${JSON.stringify(name)}.`,
    );
  }
  if (await store.markDeleted(id)) return deleted;
  throw applicationNotFound(application);
}

/** What the deletion of an application deletes. */
function describeDeletion({ name, ...stored }: StoredAmounts & { readonly name: string }): string {
  const amounts = [
    toAmount(stored.customers, 'customer'),
    `${toAmount(stored.connections, 'connection')} with credentials, cached contacts and open links`,
    toAmount(stored.events, 'event'),
    toAmount(stored.keys, 'API key'),
    toAmount(stored.webhookEndpoints, 'webhook endpoint'),
  ];
  return `This deletes ${JSON.stringify(name)} with all of its data: ${amounts.join(', ')}, its custom fields, OAuth clients and usage. Grants that came by connect links are revoked at the providers.`;
}

function toAmount(count: number, one: string): string {
  if (count >= MAX_COUNTED) return `at least ${MAX_COUNTED} ${one}s`;
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}

/** From here on the amounts are "at least", because counting takes time. */
const MAX_COUNTED = 1_000_000;

/** The demo's application belongs to the sandbox: its name is part of the code, and each start creates it again. */
function requireOwn(application: Application, change: string): Application {
  if (application.id !== DEMO_APPLICATION.id) return application;
  throw new CrossbookError(
    'CONFLICT',
    `The demo application cannot be ${change}: a start without the sandbox removes it.`,
  );
}

function applicationNotFound(text: string, known: readonly string[] = []): CrossbookError {
  const names = known.length > 0 ? ` Known: ${known.join(', ')}.` : '';
  return new CrossbookError('NOT_FOUND', `There is no application ${quote(text)}.${names}`);
}

/** More would not help. */
const MAX_NAMES = 10;

/** Finds an application by id, or by unique name. Rejects with NOT_FOUND, or CONFLICT if several have the name. */
export async function findApplication(
  store: Pick<ApplicationAdmin, 'listApplications'>,
  text: string,
): Promise<Application> {
  const all = await store.listApplications();
  const [found, ...others] = all.filter(
    ({ id, name, deletedAt }) => !deletedAt && (id === text.toLowerCase() || name === text),
  );
  if (!found) {
    const names = all.filter(({ deletedAt }) => !deletedAt).map(({ name }) => quote(name));
    throw applicationNotFound(text, names.slice(0, MAX_NAMES));
  }
  if (others.length === 0) return { id: found.id, name: found.name };
  throw new CrossbookError(
    'CONFLICT',
    `Several applications are called ${quote(text)}: give the id of one.`,
  );
}

/** Adds and removes web origins; without changes it returns the current ones. */
export async function changeOrigins(
  store: ApplicationAdmin,
  { application, added, removed }: OriginChange,
) {
  const { id, name } = await findApplication(store, application);
  const stored =
    (await store.listOrigins()).find(({ applicationId }) => applicationId === id)?.origins ?? [];
  const origins = [...new Set([...stored, ...added])].filter((origin) => !removed.includes(origin));
  if (added.length + removed.length > 0) await store.setOrigins(id, origins);
  return { id, name, origins };
}

/** Checks a name, which appears in lists, logs and errors. */
function checkName(name: string): void {
  const isFit =
    name.trim() !== '' && name.length <= MAX_NAME && isStorable(name) && !/\p{Cc}/u.test(name);
  if (isFit) return;
  throw new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    `A name must have 1 to ${MAX_NAME} characters, and no control characters.`,
  );
}

const MAX_NAME = 200;

/** Creates an API key, for commands and the admin API. The key is returned only once. */
export async function createKey(
  store: KeyAdmin,
  {
    application,
    name = 'default',
  }: { readonly application: string; readonly name?: string | undefined },
) {
  checkName(name);
  const owner = await findApplication(store, application);
  const { publicId, key } = await store.createKey({ applicationId: owner.id, name });
  return { id: publicId, key, application: owner };
}

/** Lists keys without their secrets. */
export async function listKeys(
  store: KeyAdmin,
  { application, now }: { readonly application: string; readonly now: number },
) {
  const { id } = await findApplication(store, application);
  return (await store.listKeys(id)).map((key) => toListed(key, now));
}

/** Replaces a key by a new one; the old one stays valid for a while. */
export async function rotateKey(
  store: KeyAdmin,
  {
    id,
    overlapHours = DEFAULT_OVERLAP_HOURS,
  }: { readonly id: string; readonly overlapHours?: number | undefined },
) {
  const fresh = await store.rotateKey(id, overlapHours * 3_600_000);
  if (!fresh) {
    throw new CrossbookError(
      'NOT_FOUND',
      `There is no active key ${quote(id)}: it was rotated or revoked, or never existed.`,
    );
  }
  const { publicId, key, oldEndsAt } = fresh;
  return { id: publicId, key, replaces: id, oldEndsAt: oldEndsAt.toISOString() };
}

export async function revokeKey(store: KeyAdmin, id: string): Promise<void> {
  if (await store.revokeKey(id)) return;
  throw new CrossbookError('NOT_FOUND', `There is no key ${quote(id)}, or it is no longer valid.`);
}

export const DEFAULT_OVERLAP_HOURS = 24;

/** The id is the public one, as in logs. */
function toListed({ publicId, name, createdAt, revokedAt }: StoredKey, now: number) {
  const state = revokedAt === null ? 'active' : revokedAt.getTime() > now ? 'ending' : 'revoked';
  return {
    id: publicId,
    name,
    state,
    createdAt: createdAt.toISOString(),
    /** May be in the future: the key is valid until then. */
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

export interface ApplicationAdmin {
  /** Rejects with CONFLICT if the name is taken. */
  createApplication(name: string): Promise<Application>;
  /** Rejects with CONFLICT if the name is taken, and NOT_FOUND if there is no such application. */
  renameApplication(id: string, name: string): Promise<Application>;
  /** Each counted up to the limit. */
  countStored(id: string, limit: number): Promise<StoredAmounts>;
  /** False if it is marked already. */
  markDeleted(id: string): Promise<boolean>;
  /** Those that are being deleted have the time of the deletion. */
  listApplications(): Promise<readonly (Application & { readonly deletedAt: Date | null })[]>;
  setOrigins(applicationId: string, origins: readonly string[]): Promise<void>;
  listOrigins(): Promise<
    readonly { readonly applicationId: string; readonly origins: readonly string[] }[]
  >;
}

/** What is stored for an application. */
interface StoredAmounts {
  readonly customers: number;
  readonly connections: number;
  readonly events: number;
  readonly keys: number;
  readonly webhookEndpoints: number;
}

interface OriginChange {
  /** Id or name. */
  readonly application: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface KeyAdmin extends Pick<ApplicationAdmin, 'listApplications'> {
  /** Rejects with CONFLICT if an active key of the application has the name. */
  createKey(of: { applicationId: string; name: string }): Promise<StoredSecret>;
  listKeys(applicationId: string): Promise<readonly StoredKey[]>;
  /** False if the key is unknown or revoked already. */
  revokeKey(publicId: string): Promise<boolean>;
  /** Undefined if it is not active. */
  rotateKey(
    publicId: string,
    overlapMs: number,
  ): Promise<(StoredSecret & { readonly oldEndsAt: Date }) | undefined>;
}

interface StoredSecret {
  readonly publicId: string;
  readonly key: string;
}

interface StoredKey {
  readonly publicId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}
