import type { Application } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { OAuthClientStore, StoredOAuthClient } from '../domain/oauth.ts';
import type { OAuthClient } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { isStorable } from '../lib/text.ts';
import { type AuthorizationDeps, requireAuthorization } from './connect-link.ts';
import { type CallerDeps, requireApiKey } from './open-contact-client.ts';

/** What the operator does with applications, by command and over HTTP. Rejects with CONFLICT where the name is taken. */
export async function createApplication(
  store: Pick<ApplicationAdmin, 'createApplication' | 'setOrigins'>,
  { name, origins = [] }: { readonly name: string; readonly origins?: readonly string[] | undefined },
): Promise<ListedApplication> {
  checkName(name);
  const application = await store.createApplication(name);
  if (origins.length > 0) await store.setOrigins(application.id, origins);
  return { id: application.id, name, origins };
}

export async function listApplications(
  store: Pick<ApplicationAdmin, 'listApplications' | 'listOrigins'>,
): Promise<readonly ListedApplication[]> {
  const [applications, allowed] = await Promise.all([store.listApplications(), store.listOrigins()]);
  const origins = new Map(allowed.map((one) => [one.applicationId, one.origins]));
  return applications.map(({ id, name }) => ({ id, name, origins: origins.get(id) ?? [] }));
}

/** By its id, or by its name where no other has it. Rejects with NOT_FOUND, or with CONFLICT where several have it. */
export async function findApplication(
  store: Pick<ApplicationAdmin, 'listApplications'>,
  text: string,
): Promise<Application> {
  const all = await store.listApplications();
  const [found, ...others] = all.filter(({ id, name }) => id === text.toLowerCase() || name === text);
  if (!found) throw new CrossbookError('NOT_FOUND', `There is no application ${JSON.stringify(text)}.`);
  if (others.length === 0) return found;
  const detail = `Several applications are called ${JSON.stringify(text)}: give the id of one.`;
  throw new CrossbookError('CONFLICT', detail);
}

/** With nothing to add or remove, it only tells. */
export async function changeOrigins(
  store: ApplicationAdmin,
  { application, added, removed }: OriginChange,
): Promise<ListedApplication> {
  const { id, name } = await findApplication(store, application);
  const stored = (await store.listOrigins()).find(({ applicationId }) => applicationId === id)?.origins ?? [];
  const origins = [...new Set([...stored, ...added])].filter((origin) => !removed.includes(origin));
  if (added.length + removed.length > 0) await store.setOrigins(id, origins);
  return { id, name, origins };
}

/** It stands in lists, in the log and in error messages. */
function checkName(name: string): void {
  const isFit = name.trim() !== '' && name.length <= MAX_NAME && isStorable(name) && !/\p{Cc}/u.test(name);
  if (isFit) return;
  const detail = `A name has 1 to ${MAX_NAME} characters, and no control characters.`;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

const MAX_NAME = 200;

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
  if (!fresh) {
    const detail = `There is no active key ${JSON.stringify(id)}: it was rotated or revoked already, or never made.`;
    throw new CrossbookError('NOT_FOUND', detail);
  }
  const { publicId, key, oldEndsAt } = fresh;
  return { id: publicId, key, replaces: id, oldEndsAt: oldEndsAt.toISOString() };
}

export async function revokeKey(store: Pick<KeyAdmin, 'revokeKey'>, id: string): Promise<void> {
  if (await store.revokeKey(id)) return;
  const detail = `There is no key ${JSON.stringify(id)}, or it has ended already.`;
  throw new CrossbookError('NOT_FOUND', detail);
}

export const DEFAULT_OVERLAP_HOURS = 24;

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

export interface ApplicationAdmin {
  /** Rejects with CONFLICT where another has the name. */
  createApplication(name: string): Promise<Application>;
  listApplications(): Promise<readonly Application[]>;
  setOrigins(applicationId: string, origins: readonly string[]): Promise<void>;
  listOrigins(): Promise<readonly { readonly applicationId: string; readonly origins: readonly string[] }[]>;
}

interface ListedApplication extends Application {
  /** Web origins whose pages may call for it. */
  readonly origins: readonly string[];
}

interface OriginChange {
  /** Its id or its name. */
  readonly application: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
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

interface ListedKey {
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

/** Says what the caller's application is registered as with a provider, in the place of what it said before. */
export async function setOAuthClient(
  deps: OAuthClientDeps,
  { provider, ...client }: OAuthClient & { readonly provider: ProviderName },
): Promise<StoredOAuthClient> {
  requireApiKey(deps, OAUTH_CLIENT_REFUSAL);
  return storeOAuthClient(deps, { provider, ...client });
}

/** The application's customers are sent to the provider by the installation's client again, if it has one. */
export async function deleteOAuthClient(deps: OAuthClientDeps, provider: ProviderName): Promise<void> {
  requireApiKey(deps, OAUTH_CLIENT_REFUSAL);
  if (await deps.oauthClients.delete(provider)) return;
  throw new CrossbookError('NOT_FOUND', `There is no OAuth client of ${provider}.`);
}

/** What is checked of it, also where an operator says it by command. The secret is never repeated. */
export async function storeOAuthClient(
  { oauthClients, providers }: Pick<OAuthClientDeps, 'oauthClients' | 'providers'>,
  { provider, clientId, clientSecret }: OAuthClient & { readonly provider: ProviderName },
): Promise<StoredOAuthClient> {
  requireAuthorization({ providers }, provider);
  const mistakes = [
    ...(isVisible(clientId) ? [] : ['client_id']),
    ...(isVisible(clientSecret) ? [] : ['client_secret']),
  ];
  if (mistakes.length === 0) return oauthClients.set(provider, { clientId, clientSecret });
  const detail = `${mistakes.join(' and ')} must have 1 to ${MAX_LENGTH} characters of visible ASCII, without spaces.`;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

const OAUTH_CLIENT_REFUSAL = 'A customer token reads; only an API key may change OAuth clients.';

function isVisible(text: string): boolean {
  return text.length <= MAX_LENGTH && /^[\x21-\x7e]+$/.test(text);
}

const MAX_LENGTH = 1_000;

interface OAuthClientDeps extends AuthorizationDeps, Pick<CallerDeps, 'requireCaller'> {
  readonly oauthClients: OAuthClientStore;
}
