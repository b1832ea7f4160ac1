import {
  type ConnectLink,
  type ConnectLinkStore,
  type ConnectServices,
  DEFAULT_LINK_SECONDS,
  MAX_LINK_SECONDS,
  MIN_LINK_SECONDS,
  type NewConnectLink,
} from '../domain/connect-link.ts';
import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import { type CustomFieldStore, listMappable } from '../domain/custom-fields.ts';
import { CrossbookError, refuseMistakes } from '../domain/errors.ts';
import type { Authorization } from '../domain/oauth.ts';
import type { Provider } from '../domain/provider.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { DEFAULT_ACCESS, inOrder, type RequestedAccess } from '../domain/record-access.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import { RECORD_TYPES } from '../domain/records/record-type.ts';
import { checkLoginUrl, checkReturnUrl } from '../domain/urls.ts';
import { digest } from '../lib/digest.ts';
import { toOwnCommand } from '../lib/own-command.ts';
import {
  type CallerDeps,
  checkCustomerId,
  customerNotFound,
  resolveCustomerId,
  type TargetDeps,
  withApiKey,
} from './authorization.ts';
import { listReadable, requireAccess } from './record-access.ts';

/** Creates a link with which one customer connects one CRM. Its URL is a secret and is returned only once. */
export function createConnectLink(deps: CreateLinkDeps, input: CreateLinkInput) {
  return withApiKey(deps, 'createConnectLink', async ({ id: applicationId }) => {
    const { customerId, mode, confirm, allowAccountChange, mapFields } = input;
    checkCustomerId(customerId);
    const expiresAt = readExpiry(deps, input);
    const providers = [...new Set(input.providers)];
    if (providers.length === 0)
      throw new CrossbookError('BAD_REQUEST', 'At least one provider is required.');
    const requested = readRequestedAccess(input);
    const logins = providers.map((name) => ({
      name,
      authorization: requireAuthorization(deps, name),
    }));
    for (const { name, authorization } of logins) requireGrantable(name, authorization, requested);
    const loginUrl = input.loginUrl ?? null;
    const optionalScopes = [...new Set(input.optionalScopes ?? [])];
    const returnUrl = await readReturnUrl(deps, applicationId, input);
    const found = await Promise.all(
      logins.map((login) => resolveLogin(deps.connecting, { ...login, applicationId, loginUrl })),
    );
    const mistakes = [
      ...returnUrl.mistakes,
      (optionalScopes.length > MAX_SCOPES || !optionalScopes.every((scope) => SCOPE.test(scope))) &&
        'The optional scopes are invalid, or too many',
      loginUrl !== null && providers.length > 1 && 'A login URL is for a link to one provider',
      // Reports the application's mistakes now instead of later to its customer.
      ...found.map((login) => 'problem' in login && login.problem),
    ];
    refuseMistakes(mistakes);
    const link = await deps.connectLinks.create({
      customerId,
      providers,
      loginUrl,
      optionalScopes,
      returnUrl: returnUrl.url,
      mode: mode ?? 'REDIRECT',
      confirm: confirm ?? true,
      allowAccountChange: allowAccountChange ?? false,
      ...requested,
      mapFields: mapFields ?? false,
      expiresAt,
    });
    if (!link) throw customerNotFound(customerId);
    return withUrl(deps, link);
  });
}

/** Creates a link with which one customer maps the fields of a CRM that is connected already. */
export function createMappingLink(deps: CreateMappingLinkDeps, input: CreateMappingLinkInput) {
  return withApiKey(deps, 'createMappingLink', async ({ id: applicationId }) => {
    const { customerId, provider, mode } = input;
    checkCustomerId(customerId);
    const expiresAt = readExpiry(deps, input);
    const known = deps.providers.get(provider);
    if (!known?.crm) {
      throw new CrossbookError(
        'NOT_IMPLEMENTED',
        `The records of ${PROVIDER_TITLES[provider]} cannot be read, so there are no fields to map.`,
      );
    }
    const [customFields, returnUrl, connection] = await Promise.all([
      deps.customFields.read(),
      readReturnUrl(deps, applicationId, input),
      deps.reloadConnection({ customerId, providerName: provider }),
    ]);
    if (!connection) throw customerNotFound(customerId, provider);
    const [first] = listMappable(customFields, RECORD_TYPES);
    if (first && listMappable(customFields, listReadable(known, connection)).length === 0)
      requireAccess({ provider: known, connection }, RECORDS[first], 'read');
    refuseMistakes([
      ...returnUrl.mistakes,
      first === undefined &&
        'There are no custom fields that customers may map: declare at least one first',
    ]);
    const link = await deps.connectLinks.create({
      customerId,
      providers: [provider],
      loginUrl: null,
      optionalScopes: [],
      returnUrl: returnUrl.url,
      mode: mode ?? 'REDIRECT',
      confirm: false,
      allowAccountChange: false,
      mapFields: true,
      purpose: 'MAP_FIELDS',
      providerName: provider,
      connectionId: connection.id,
      expiresAt,
    });
    if (!link) throw customerNotFound(customerId);
    return withUrl(deps, link);
  });
}

function readRequestedAccess({ records, access }: AccessInput): RequestedAccess {
  if (records?.length === 0)
    throw new CrossbookError('BAD_REQUEST', 'At least one type of record is required.');
  return {
    records: records ? inOrder(records) : DEFAULT_ACCESS.records,
    access: access ?? DEFAULT_ACCESS.access,
  };
}

function requireGrantable(
  name: ProviderName,
  { recordScopes }: Authorization,
  { records }: RequestedAccess,
): void {
  const unknown = records.filter((type) => recordScopes[type] === undefined);
  if (unknown.length === 0) return;
  throw new CrossbookError(
    'NOT_IMPLEMENTED',
    `A connect link to ${PROVIDER_TITLES[name]} cannot ask for ${unknown.join(', ')}.`,
  );
}

function withUrl({ connecting }: { connecting: LinkServices }, link: ConnectLink) {
  const url = `${connecting.publicUrl() ?? ''}/connect/${connecting.linkTokens.sign(link.id)}`;
  return { link, url };
}

/** The return URL, and why it cannot be used. */
async function readReturnUrl(
  { connecting }: { connecting: LinkServices },
  applicationId: string,
  input: Pick<CreateLinkInput, 'returnUrl'>,
) {
  const origins = await connecting.findReturnOrigins(applicationId);
  const checked = checkReturnUrl(input.returnUrl, { id: applicationId, origins });
  const problem = 'problem' in checked && `The return URL cannot be used: ${checked.problem}`;
  const unset =
    connecting.publicUrl() === undefined && 'PUBLIC_URL is not set, so links cannot be created';
  return { url: 'problem' in checked ? '' : checked.url, mistakes: [problem, unset] };
}

function readExpiry(
  deps: Pick<CreateLinkDeps, 'wall'>,
  { expiresInSeconds }: Pick<CreateLinkInput, 'expiresInSeconds'>,
): Date {
  const seconds = expiresInSeconds ?? DEFAULT_LINK_SECONDS;
  if (Number.isInteger(seconds) && seconds >= MIN_LINK_SECONDS && seconds <= MAX_LINK_SECONDS)
    return new Date(deps.wall() + seconds * 1_000);
  throw new CrossbookError(
    'BAD_REQUEST',
    `The lifetime of a link must be from ${MIN_LINK_SECONDS} to ${MAX_LINK_SECONDS} seconds.`,
  );
}

const MAX_SCOPES = 50;
/** A scope as defined by RFC 6749: one word. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** The OAuth flow of a provider. Throws if it has none. */
export function requireAuthorization(
  { providers }: AuthorizationDeps,
  name: ProviderName,
): Authorization {
  const authorization = providers.get(name)?.authorization;
  if (authorization) return authorization;
  throw new CrossbookError(
    'NOT_IMPLEMENTED',
    `${PROVIDER_TITLES[name]} cannot be connected by a link.`,
  );
}

/**
 * Resolves the login origin and the OAuth client. Without a registered client the sandbox replaces the provider, if
 * it is enabled: for every login host, so that a demo works like production.
 */
export async function resolveLogin(
  { findOAuthClient, toSandboxLogin }: Pick<ConnectServices, 'findOAuthClient' | 'toSandboxLogin'>,
  { applicationId, name, authorization, loginUrl }: LoginRequest,
): Promise<{ readonly origin: string; readonly clientId: string } | { readonly problem: string }> {
  const checked = checkLoginUrl(loginUrl, authorization);
  if ('problem' in checked) {
    const { ownLoginExample } = authorization;
    const remedy = ownLoginExample ? `; enter an address such as ${ownLoginExample}` : '';
    return {
      problem: `The login URL is not an address of ${PROVIDER_TITLES[name]}: ${checked.problem}${remedy}`,
    };
  }
  for (const origin of [checked.origin, toSandboxLogin(name, checked.origin)]) {
    if (origin === undefined) continue;
    const client = await findOAuthClient({ applicationId, provider: name, origin, clientId: null });
    if (client) return { origin, clientId: client.clientId };
  }
  return {
    problem: `No OAuth client of ${PROVIDER_TITLES[name]} is set up: ${describeClientSetup(name)}`,
  };
}

/** What the operator does about a missing OAuth client. */
export function describeClientSetup(name: ProviderName): string {
  const setting = `CROSSBOOK_${name.toUpperCase()}_CLIENT`;
  return `register an app there, and set ${setting}_ID and ${setting}_SECRET, or run ${toOwnCommand(`oauth-clients set APPLICATION ${name} --client-id ID`)} < secret.txt`;
}

/** Finds a link by id. Links of others do not exist for the caller; a customer token sees only its customer's links. */
export function findConnectLink(deps: FindLinkDeps, { id, customerId }: LinkTarget) {
  return deps.withSpan('findConnectLink', async () => {
    const own = deps.requireCaller().customer?.customerId;
    const owner = customerId === undefined ? own : resolveCustomerId(deps, customerId);
    const link = await deps.connectLinks.find(id);
    if (link && (owner === undefined || owner === link.customerId)) return link;
    throw linkNotFound();
  });
}

export function linkNotFound(): CrossbookError {
  return new CrossbookError('NOT_FOUND', 'There is no such connect link.');
}

/** Cancels a link, even while it awaits confirmation. Idempotent. */
export function cancelConnectLink(deps: CancelLinkDeps, target: LinkTarget) {
  return withApiKey(deps, 'cancelConnectLink', async () => {
    await findConnectLink(deps, target);
    const link = await deps.connectLinks.cancel(target.id);
    if (!link) throw linkNotFound();
    if (link.status === 'CANCELED') return link;
    throw new CrossbookError(
      'CONFLICT',
      `The link can no longer be canceled: it is ${link.status}.`,
    );
  });
}

/**
 * Confirms that consent came from the person in the application's own session; only then are the tokens stored. To be
 * called in that person's session, with the code that their browser brought back.
 */
export function confirmConnectLink(
  deps: ConfirmLinkDeps,
  input: LinkTarget & { readonly code: string },
) {
  return withApiKey(deps, 'confirmConnectLink', async () => {
    await findConnectLink(deps, input);
    const confirmation = await deps.connectLinks.confirm(input.id, digest(input.code));
    if (!confirmation) throw linkNotFound();
    const { outcome, link } = confirmation;
    const { customerId, providerName } = link;
    if (outcome !== 'confirmed' || providerName === null) throw notConfirmed(link);
    const connection = await deps.reloadConnection({ customerId, providerName });
    if (!connection) throw linkNotFound();
    return { link, connection };
  });
}

function notConfirmed({ status, failure }: ConnectLink): CrossbookError {
  if (status === 'AWAITING_CONFIRMATION') {
    return new CrossbookError('CONFLICT', 'The code does not match the link.');
  }
  const reason = failure === null ? '' : ` (${failure})`;
  return new CrossbookError('CONFLICT', `The link cannot be confirmed: it is ${status}${reason}.`);
}

type AccessInput = Optional<RequestedAccess>;

type Optional<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined };

interface CreateLinkInput
  extends Pick<NewConnectLink, 'customerId' | 'providers' | 'returnUrl'>,
    Optional<
      Pick<
        ConnectLink,
        | 'mode'
        | 'confirm'
        | 'loginUrl'
        | 'optionalScopes'
        | 'allowAccountChange'
        | 'records'
        | 'access'
        | 'mapFields'
      >
    > {
  readonly expiresInSeconds?: number | null | undefined;
}

interface CreateMappingLinkInput
  extends Pick<CreateLinkInput, 'customerId' | 'returnUrl' | 'mode' | 'expiresInSeconds'> {
  readonly provider: ProviderName;
}

export interface AuthorizationDeps {
  readonly providers: ReadonlyMap<ProviderName, Pick<Provider, 'authorization'>>;
}

export interface CreateLinkDeps extends CallerDeps, AuthorizationDeps {
  wall(): number;
  readonly connectLinks: Pick<ConnectLinkStore, 'create'>;
  readonly connecting: ConnectServices;
}

type LinkServices = Pick<ConnectServices, 'linkTokens' | 'publicUrl' | 'findReturnOrigins'>;

export interface CreateMappingLinkDeps extends Omit<CreateLinkDeps, 'providers' | 'connecting'> {
  readonly connecting: LinkServices;
  readonly providers: ReadonlyMap<ProviderName, Pick<Provider, 'authorization' | 'crm'>>;
  readonly customFields: Pick<CustomFieldStore, 'read'>;
  /** Reads the connection from the database, past the cache. */
  reloadConnection(target: ConnectionTarget): Promise<Connection | undefined>;
}

export interface FindLinkDeps extends TargetDeps {
  readonly connectLinks: Pick<ConnectLinkStore, 'find'>;
}

export interface CancelLinkDeps extends TargetDeps {
  readonly connectLinks: Pick<ConnectLinkStore, 'find' | 'cancel'>;
}

export interface ConfirmLinkDeps extends TargetDeps {
  readonly connectLinks: Pick<ConnectLinkStore, 'find' | 'confirm'>;
  /** Reads the connection from the database, past the cache. */
  reloadConnection(target: ConnectionTarget): Promise<Connection | undefined>;
}

interface LinkTarget {
  readonly id: string;
  /** Set if the link must belong to this customer. */
  readonly customerId?: string | undefined;
}

interface LoginRequest {
  readonly applicationId: string;
  /** The provider's name. */
  readonly name: ProviderName;
  readonly authorization: Authorization;
  /** The URL given by the application or the customer; null: the provider's default. */
  readonly loginUrl: string | null;
}
