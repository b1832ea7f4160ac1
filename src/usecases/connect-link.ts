import type { Caller } from '../domain/caller.ts';
import {
  type ConnectLink,
  type ConnectLinkStore,
  type ConnectMode,
  type ConnectServices,
  DEFAULT_LINK_SECONDS,
  MAX_LINK_SECONDS,
  MIN_LINK_SECONDS,
} from '../domain/connect-link.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Tracer } from '../domain/log.ts';
import type { Authorization, FindOAuthClient } from '../domain/oauth.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { checkLoginUrl, checkReturnUrl } from '../domain/urls.ts';

/** A link for one customer to connect one CRM. Its URL is a secret of the person who follows it, and is shown this once. */
export function createConnectLink(deps: CreateLinkDeps, input: CreateLinkInput): Promise<CreatedLink> {
  return deps.withSpan('createConnectLink', () => create(deps, input));
}

async function create(deps: CreateLinkDeps, input: CreateLinkInput): Promise<CreatedLink> {
  const { application, customer } = deps.requireCaller();
  if (customer) {
    throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may make connect links.');
  }
  const seconds = readSeconds(input.expiresInSeconds);
  const providers = readProviders(deps, input.providers);
  const loginUrl = input.loginUrl ?? null;
  const optionalScopes = [...new Set(input.optionalScopes ?? [])];
  const returnUrl = checkReturnUrl(input.returnUrl, await deps.connecting.findReturnOrigins(application.id));
  const publicUrl = deps.connecting.publicUrl();
  const mistakes = [
    ...('problem' in returnUrl ? [`The return URL cannot be used: ${returnUrl.problem}`] : []),
    ...(optionalScopes.length > MAX_SCOPES || !optionalScopes.every((scope) => SCOPE.test(scope))
      ? ['The optional scopes are not scopes, or too many']
      : []),
    ...(loginUrl !== null && providers.length > 1 ? ['A login URL is for a link to one provider'] : []),
    ...(await findSetUpMistakes(deps, { applicationId: application.id, providers, loginUrl })),
    ...(publicUrl === undefined ? ['PUBLIC_URL is not set: a link would not know where it leads'] : []),
  ];
  if (mistakes.length > 0 || 'problem' in returnUrl || publicUrl === undefined) {
    throw new CrossbookError('UNPROCESSABLE_ENTITY', `${mistakes.join('; ')}.`);
  }
  const link = await deps.connectLinks.create({
    customerId: input.customerId,
    providers: providers.map(({ name }) => name),
    returnUrl: returnUrl.url,
    mode: input.mode ?? 'REDIRECT',
    confirm: input.confirm ?? true,
    ...{ loginUrl, optionalScopes },
    allowAccountChange: input.allowAccountChange ?? false,
    expiresAt: new Date(deps.wall() + seconds * 1_000),
  });
  if (!link) {
    throw new CrossbookError('NOT_FOUND', `There is no customer ${JSON.stringify(input.customerId)}.`);
  }
  return { link, url: `${publicUrl}/connect/${deps.connecting.linkTokens.sign(link.id)}` };
}

function readSeconds(seconds: number | null | undefined): number {
  if (seconds === null || seconds === undefined) return DEFAULT_LINK_SECONDS;
  if (Number.isInteger(seconds) && seconds >= MIN_LINK_SECONDS && seconds <= MAX_LINK_SECONDS) return seconds;
  throw new CrossbookError(
    'BAD_REQUEST',
    `A link lives for ${MIN_LINK_SECONDS} to ${MAX_LINK_SECONDS} seconds.`,
  );
}

function readProviders(deps: CreateLinkDeps, names: readonly ProviderName[]): readonly Provider[] {
  const unique = [...new Set(names)];
  if (unique.length === 0) throw new CrossbookError('BAD_REQUEST', 'Name at least one provider.');
  return unique.map((name) => {
    const provider = deps.providers.get(name);
    if (provider?.authorization) return provider;
    throw new CrossbookError('NOT_IMPLEMENTED', `${name} cannot be connected by a link.`);
  });
}

/** A mistake of the application is told to it now, not to its customer later. */
async function findSetUpMistakes(
  deps: CreateLinkDeps,
  { applicationId, providers, loginUrl }: SetUp,
): Promise<readonly string[]> {
  const mistakes = await Promise.all(
    providers.map(({ name }) => findSetUpMistake(deps, { applicationId, providerName: name, loginUrl })),
  );
  return mistakes.flat();
}

async function findSetUpMistake(
  deps: CreateLinkDeps,
  wanted: Parameters<typeof resolveLogin>[1],
): Promise<readonly string[]> {
  try {
    await resolveLogin({ ...deps.connecting, providers: deps.providers }, wanted);
    return [];
  } catch (error) {
    if (error instanceof CrossbookError && error.code === 'UNPROCESSABLE_ENTITY') {
      return [error.message.replace(/\.$/, '')];
    }
    throw error;
  }
}

const MAX_SCOPES = 50;
/** As RFC 6749 has it: one word. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** One link by its id. What is not the caller's is not there: a customer token sees its customer's links alone. */
export function findConnectLink(deps: FindLinkDeps, wanted: WantedLink): Promise<ConnectLink> {
  return deps.withSpan('findConnectLink', async () => {
    const link = await deps.connectLinks.find(wanted.id);
    const token = deps.requireCaller().customer;
    const isOwn = token === undefined || token.customerId === link?.customerId;
    if (link && isOwn && isOf(link, wanted)) return link;
    throw linkNotFound();
  });
}

function isOf(link: ConnectLink, { customerId }: WantedLink): boolean {
  return customerId === undefined || link.customerId === customerId;
}

export function linkNotFound(): CrossbookError {
  return new CrossbookError('NOT_FOUND', 'There is no such connect link.');
}

/** The link leads nowhere any more, also where it waits for its confirmation. To cancel one twice is no mistake. */
export function cancelConnectLink(deps: CancelLinkDeps, wanted: WantedLink): Promise<ConnectLink> {
  return deps.withSpan('cancelConnectLink', async () => {
    if (deps.requireCaller().customer) {
      throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may cancel links.');
    }
    await findConnectLink(deps, wanted);
    const link = await deps.connectLinks.cancel(wanted.id);
    if (!link) throw linkNotFound();
    if (link.status === 'CANCELED') return link;
    throw new CrossbookError('CONFLICT', `The link cannot be canceled any more: it is ${link.status}.`);
  });
}

/**
 * Where a customer logs in, and as whom we send them there. Where nobody has registered an app with the provider, the
 * sandbox stands in for it, if it is on: for every login host, so that a demo can be clicked through as the real way is.
 */
export async function resolveLogin(deps: LoginDeps, wanted: WantedLogin): Promise<ResolvedLogin> {
  const { applicationId, providerName, loginUrl } = wanted;
  const { authorization } = deps.providers.get(providerName) ?? {};
  if (!authorization) {
    throw new CrossbookError('NOT_IMPLEMENTED', `${providerName} cannot be connected by a link.`);
  }
  const checked = checkLoginUrl(loginUrl, authorization);
  if ('problem' in checked) {
    const detail = `The login URL is not an address of ${providerName}: ${checked.problem}.`;
    throw new CrossbookError('UNPROCESSABLE_ENTITY', detail);
  }
  const find = (origin: string) =>
    deps.findOAuthClient({ applicationId, provider: providerName, origin, clientId: null });
  for (const origin of [checked.origin, deps.toSandboxLogin(providerName, checked.origin)]) {
    const client = origin === undefined ? undefined : await find(origin);
    if (origin !== undefined && client) return { origin, clientId: client.clientId, authorization };
  }
  const detail = `No OAuth client of ${providerName} is set up: register an app there, and set its client id and secret.`;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

interface CreateLinkInput {
  readonly customerId: string;
  readonly providers: readonly ProviderName[];
  readonly returnUrl: string;
  readonly mode?: ConnectMode | null | undefined;
  readonly confirm?: boolean | null | undefined;
  readonly expiresInSeconds?: number | null | undefined;
  readonly loginUrl?: string | null | undefined;
  readonly optionalScopes?: readonly string[] | null | undefined;
  readonly allowAccountChange?: boolean | null | undefined;
}

interface CreatedLink {
  readonly link: ConnectLink;
  readonly url: string;
}

export interface CreateLinkDeps extends Tracer {
  requireCaller(): Caller;
  wall(): number;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly connectLinks: Pick<ConnectLinkStore, 'create'>;
  readonly connecting: ConnectServices;
}

interface SetUp {
  readonly applicationId: string;
  readonly providers: readonly Provider[];
  readonly loginUrl: string | null;
}

export interface WantedLink {
  readonly id: string;
  /** Where the link was asked for as one of this customer's. */
  readonly customerId?: string | undefined;
}

export interface FindLinkDeps extends Tracer {
  requireCaller(): Caller;
  readonly connectLinks: Pick<ConnectLinkStore, 'find'>;
}

interface CancelLinkDeps extends Tracer {
  requireCaller(): Caller;
  readonly connectLinks: Pick<ConnectLinkStore, 'find' | 'cancel'>;
}

interface LoginDeps {
  readonly providers: ReadonlyMap<ProviderName, Pick<Provider, 'authorization'>>;
  readonly findOAuthClient: FindOAuthClient;
  /** Where the imitated provider stands in for this login origin, if the sandbox is on. */
  toSandboxLogin(provider: ProviderName, loginOrigin: string): string | undefined;
}

interface WantedLogin {
  readonly applicationId: string;
  readonly providerName: ProviderName;
  /** As the application or the customer gave it; null: the provider's usual one. */
  readonly loginUrl: string | null;
}

export interface ResolvedLogin {
  readonly origin: string;
  readonly clientId: string;
  readonly authorization: Authorization;
}
