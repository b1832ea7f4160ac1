import type { Application } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { type ApplicationAdmin, checkName, findApplication } from './manage-applications.ts';

/** What the operator does with API keys, by command and over HTTP. The key is told this once. */
export async function createKey(
  store: Pick<KeyAdmin, 'createKey' | 'listApplications'>,
  { application, name = 'default' }: { readonly application: string; readonly name?: string | undefined },
): Promise<CreatedKey & { readonly application: Application }> {
  checkName(name);
  const owner = await findApplication(store, application);
  const { publicId, key } = await store.createKey({ applicationId: owner.id, name });
  return { id: publicId, key, application: owner };
}

/** Never their secrets. */
export async function listKeys(
  store: Pick<KeyAdmin, 'listKeys' | 'listApplications'>,
  { application, now }: { readonly application: string; readonly now: number },
): Promise<readonly ListedKey[]> {
  const { id } = await findApplication(store, application);
  return (await store.listKeys(id)).map((key) => toListed(key, now));
}

/** A fresh key takes the place of another, which goes on for a while. */
export async function rotateKey(
  store: Pick<KeyAdmin, 'rotateKey'>,
  {
    id,
    overlapHours = DEFAULT_OVERLAP_HOURS,
  }: { readonly id: string; readonly overlapHours?: number | undefined },
): Promise<CreatedKey & { readonly replaces: string; readonly oldEndsAt: string }> {
  const fresh = await store.rotateKey(id, overlapHours * 3_600_000);
  if (!fresh) throw noActiveKey(id);
  const { publicId, key, oldEndsAt } = fresh;
  return { id: publicId, key, replaces: id, oldEndsAt: oldEndsAt.toISOString() };
}

export async function revokeKey(store: Pick<KeyAdmin, 'revokeKey'>, id: string): Promise<void> {
  if (!(await store.revokeKey(id))) throw noKey(id);
}

export const DEFAULT_OVERLAP_HOURS = 24;

function noKey(id: string): CrossbookError {
  return new CrossbookError('NOT_FOUND', `There is no key ${JSON.stringify(id)}, or it has ended already.`);
}

function noActiveKey(id: string): CrossbookError {
  const detail = `There is no active key ${JSON.stringify(id)}: it was rotated or revoked already, or never made.`;
  return new CrossbookError('NOT_FOUND', detail);
}

function toListed({ publicId, name, createdAt, revokedAt }: StoredKey, now: number): ListedKey {
  const state = revokedAt === null ? 'active' : revokedAt.getTime() > now ? 'ending' : 'revoked';
  return {
    id: publicId,
    name,
    state,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

export interface KeyAdmin extends Pick<ApplicationAdmin, 'listApplications'> {
  /** Rejects with CONFLICT where another key of the application that does not end has the name. */
  createKey(of: { applicationId: string; name: string }): Promise<StoredSecret>;
  listKeys(applicationId: string): Promise<readonly StoredKey[]>;
  /** False when there was nothing to revoke. */
  revokeKey(publicId: string): Promise<boolean>;
  /** Undefined where it is not active. */
  rotateKey(
    publicId: string,
    overlapMs: number,
  ): Promise<(StoredSecret & { readonly oldEndsAt: Date }) | undefined>;
}

export interface ListedKey {
  /** Public: what a log calls it. */
  readonly id: string;
  readonly name: string;
  readonly state: 'active' | 'ending' | 'revoked';
  readonly createdAt: string;
  /** May lie ahead: until then the key counts. */
  readonly revokedAt: string | null;
}

interface CreatedKey {
  readonly id: string;
  readonly key: string;
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
