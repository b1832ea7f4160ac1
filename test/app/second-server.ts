import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { type Context, type OAuthError, Provider, type Token } from 'oidc-provider';
import { type SecondVendor, VENDORS } from './second-server-vendors.ts';

export type VendorName = keyof typeof VENDORS;

/**
 * An independent authorization server (`oidc-provider`, certified for OpenID Connect) in place of a vendor's: it
 * validates state, PKCE, redirect URI, client, codes, rotation and revocation. Only the vendor's wire format is
 * translated. Records come from the sandbox, for access tokens that this server issued.
 */
export async function openSecondServer(
  name: VendorName,
  redirectUris: string[],
): Promise<SecondServer> {
  const sandbox = await openSandbox({ enforceLimits: false });
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const vendor = VENDORS[name];
  const { demo: account, origin: recordsOrigin } = sandbox[name];
  const provider = new Provider(origin, toConfiguration(vendor, account, redirectUris));

  const refusals: string[] = [];
  let revokedGrants = 0;
  const issued: Token[] = [];
  const keepRefusal = (_context: Context, error: OAuthError) =>
    refusals.push(error.error_detail ?? error.error_description ?? error.error);
  provider.on('authorization.error', keepRefusal);
  provider.on('grant.error', keepRefusal);
  provider.on('grant.revoked', () => (revokedGrants += 1));
  provider.on('access_token.saved', (token) => issued.push(token));

  provider.use(async (context, next) => {
    if (vendor.isRecords(context.path)) return answerRecords(context);
    if (vendor.revokesWithoutClient && context.path === vendor.routes.revocation)
      return revoke(context);
    if (context.path === vendor.routes.authorization)
      context.querystring = vendor.toAuthorizationQuery(context.querystring);
    await next();
    if (context.status === 200 && typeof context.body === 'object')
      context.body = vendor.toAnswer(context.path, { ...context.body }, { account, origin });
  });
  listener.on('request', provider.callback());

  /**
   * With the sandbox's own token if the server knows the given one; otherwise the sandbox rejects the request like
   * the vendor.
   */
  async function answerRecords(context: Context): Promise<void> {
    const { authorization = '', 'content-type': contentType } = context.req.headers;
    const isKnown = await provider.AccessToken.find(authorization.replace(/^Bearer /, ''));
    const body = await buffer(context.req);
    const response = await fetch(recordsOrigin + context.url, {
      method: context.method,
      headers: {
        authorization: isKnown ? `Bearer ${account.accessToken}` : authorization,
        ...(contentType && { 'content-type': contentType }),
      },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    context.status = response.status;
    context.body = await response.text();
    context.type = response.headers.get('content-type') ?? 'application/json';
  }

  /** Salesforce needs no client authentication for that; this server does. */
  async function revoke(context: Context): Promise<void> {
    const form = new URLSearchParams(await text(context.req));
    form.set('client_id', account.clientId);
    form.set('client_secret', account.clientSecret);
    const response = await fetch(origin + CLIENT_REVOCATION, { method: 'POST', body: form });
    context.status = response.status;
    context.body = await response.text();
  }

  return {
    origin,
    refusals,
    issuedTokens: () => issued.length,
    revokedGrants: () => revokedGrants,
    endAccessToken: async () => issued.at(-1)?.destroy(),
    useCode: async (code) => (await provider.AuthorizationCode.find(code))?.consume(),
    sandbox: {
      ...sandbox,
      [name]: {
        ...sandbox[name],
        origin,
        toLoginOrigin: () => origin,
        isLoginOrigin: (login: string) => login === origin,
      },
    },
    async close() {
      await new Promise((resolve) => {
        listener.close(resolve);
        listener.closeAllConnections();
      });
      await sandbox.close();
    },
  };
}

const CLIENT_REVOCATION = '/client/revoke';

function toConfiguration(
  vendor: SecondVendor,
  { clientId, clientSecret }: Client,
  redirectUris: string[],
) {
  const { revocation } = vendor.routes;
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['of this test'] },
    features: { introspection: { enabled: true }, revocation: { enabled: true } },
    issueRefreshToken: () => true,
    pkce: { required: () => vendor.requiresPkce },
    rotateRefreshToken: vendor.rotates,
    routes: {
      ...vendor.routes,
      revocation: vendor.revokesWithoutClient ? CLIENT_REVOCATION : revocation,
    },
    scopes: vendor.scopes,
  };
}

interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface SecondServer {
  readonly origin: string;
  /** The reasons of rejected requests, as it logs them. */
  readonly refusals: readonly string[];
  /** The number of issued access tokens. */
  issuedTokens(): number;
  revokedGrants(): number;
  /** Expires the token that was issued last. */
  endAccessToken(): Promise<void>;
  /** As if the code had already been exchanged. */
  useCode(code: string): Promise<void>;
  /** For the product: the vendor's login, tokens and records are at this server. */
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}
