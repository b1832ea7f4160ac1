import type { Authorization } from '../domain/authorization.ts';
import { CrossbookError } from '../domain/errors.ts';
import { checkLoginUrl } from '../domain/login-url.ts';
import type { FindOAuthClient } from '../domain/oauth-client.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';

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

export interface LoginDeps {
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
