import { randomBytes } from 'node:crypto';
import { createConnectPages } from './connect/connect-pages.ts';
import { DEMO_RETURN, withDemo } from './connect/demo/demo-pages.ts';
import { DEMO_APPLICATION, DEVELOPMENT_ORIGINS } from './domain/caller.ts';
import type { ConnectLink, ConnectServices } from './domain/connect-link.ts';
import type { Connection } from './domain/connection.ts';
import type { Grant } from './domain/oauth.ts';
import { PROVIDER_CATEGORIES, type ProviderName } from './domain/provider-names.ts';
import type { ContactCache, CredentialStore } from './domain/tenant.ts';
import { toBasePath } from './domain/urls.ts';
import type { Foundation } from './foundation.ts';
import { toDemoCommand } from './http/welcome.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { createOpenContext } from './request/context.ts';
import { createSigner, createSigningKeys } from './storage/signing.ts';

/** Part of the composition root: connect links and their pages. */
export function openConnecting(foundation: Foundation, outbound: Outbound) {
  const { config, database, providers, directions, demo, telemetry, log } = foundation;
  const address = openPublicAddress(config);
  const { publicUrl } = address;
  const connecting: ConnectServices = {
    linkTokens: createSigner(createSigningKeys(foundation.keyRing, 'connect link')).bind(
      () => 'connect link',
    ),
    publicUrl,
    async findReturnOrigins(applicationId) {
      const own = await database.admin.findOrigins(applicationId);
      const isDemo = demo !== undefined && applicationId === DEMO_APPLICATION.id;
      if (!isDemo) return own;
      // The demo's home page also starts connect links.
      const url = publicUrl();
      const origins = url === undefined ? [] : [new URL(url).origin];
      return [...own, ...DEVELOPMENT_ORIGINS, ...origins];
    },
    findOAuthClient: foundation.findOAuthClient,
    toSandboxLogin: directions.toSandboxLogin,
  };
  const forgetConnection = ({
    applicationId,
    customerId,
    providerName,
    connectionId,
  }: Pick<ConnectLink, 'applicationId' | 'customerId' | 'providerName' | 'connectionId'>) => {
    if (providerName !== null)
      foundation.connections.forget(applicationId, { customerId, providerName });
    if (connectionId !== null) outbound.forget(connectionId);
  };
  const openConnectPages = (openContext: OpenContext) =>
    createConnectPages({
      flows: database.connectFlows,
      providers,
      connecting,
      readCustomFields: (applicationId) =>
        database.forApplication(applicationId).customFields.read(),
      readBranding: (applicationId) => database.forApplication(applicationId).branding.read(),
      openMatching: (state, work) => ({
        openContext({ link, applicationName: name }, provider) {
          const customer = { customerId: link.customerId, providers: [provider] };
          const application = { id: link.applicationId, name };
          state.caller = { application, credentialId: 'connect-pages', customer };
          return openContext(NO_HEADERS, state, work);
        },
        openGrantPort({ link }, name, { grant, oauthClientId }) {
          const access = providers.get(name)?.crm;
          if (!access) throw new Error(`${name} has no contacts to match fields of.`);
          return outbound.openCrmPort({
            access,
            connection: toUnconfirmedConnection(link, name, grant),
            credentials: createGrantCredentials(grant, oauthClientId),
            cache: NO_CACHE,
            work,
            onCall: (call) =>
              state.requestLog.called(call, {
                applicationId: link.applicationId,
                customerId: undefined,
              }),
          });
        },
      }),
      exchangeCode: outbound.exchangeCode,
      makeCode: () => randomBytes(32).toString('base64url'),
      forgetConnection,
      async endConnection(connection) {
        const { applicationId, connectionId, generation } = connection;
        await database
          .forApplication(applicationId)
          .credentials.markRefused(connectionId, generation, 'refresh_token_refused');
        forgetConnection(connection);
      },
      onFailure: ({ failure, message, cause }) =>
        log.warn({ failure, cause, detail: message }, 'a customer was not connected'),
      onEnd: telemetry.metrics.connect,
      limitPages: foundation.limits.limitPages,
      wall: foundation.clock.wall,
    });

  return {
    services: connecting,
    announceUrl: address.announce,
    /** The path of the public URL, which begins every link: empty, or such as `/crossbook`. */
    basePath: address.basePath,

    /** Where the demo's connect links lead back to. Undefined: there is no demo. */
    demoReturnUrl: () => demo && `${publicUrl() ?? ''}${DEMO_RETURN}`,

    /** With the sandbox the demo plays the application's part. */
    openPages(openContext: OpenContext) {
      const pages = openConnectPages(openContext);
      if (!demo) return pages;
      return withDemo(pages, {
        open(state, work) {
          state.requestLog.record({
            application: DEMO_APPLICATION.name,
            credential: DEMO_CALLER.credentialId,
          });
          state.caller = DEMO_CALLER;
          // The demo's pages pass customer and provider explicitly.
          return openContext(NO_HEADERS, state, work);
        },
        // Only providers in the sandbox: others need a registered app.
        listProviders: () =>
          [...providers.values()].flatMap(({ name, authorization }) =>
            authorization &&
            directions.toSandboxLogin(name, authorization.logins[0].origin) !== undefined
              ? [name]
              : [],
          ),
        basePath: address.basePath,
        applicationName: DEMO_APPLICATION.name,
        readBranding: () => database.forApplication(DEMO_APPLICATION.id).branding.read(),
        hasGraphiQL: config.graphiql && config.operations === undefined,
        // Links that are created in GraphiQL are for the demo's customer.
        customerIds: [demo.customerId],
        toCommand: (customerId, provider) =>
          toDemoCommand(
            publicUrl() ?? '',
            {
              key: demo.key,
              customerId,
              takesAnyQuery: config.operations === undefined,
              rootFieldPrefix: config.rootFieldPrefix,
            },
            provider,
          ),
      });
    },
  };
}

/** Where browsers reach Crossbook. Where any free port is used, it is unknown until Crossbook listens. */
function openPublicAddress({ publicUrl, production, ...config }: Foundation['config']) {
  let url = publicUrl;
  let { basePath } = config;
  return {
    publicUrl: () => url,
    basePath: () => basePath,
    announce(listensAt: string) {
      if (publicUrl !== undefined || production) return;
      url = listensAt.replace(/\/$/, '');
      basePath = toBasePath(url);
    },
  };
}

type OpenContext = ReturnType<typeof createOpenContext>;

const NO_HEADERS = new Headers();
const DEMO_CALLER = { application: DEMO_APPLICATION, credentialId: 'demo-pages' } as const;

/**
 * A grant that waits for confirmation, as a connection that is stored nowhere: it reads the account once, for the
 * person who has just given consent.
 */
function toUnconfirmedConnection(
  { id, applicationId, customerId }: ConnectLink,
  providerName: ProviderName,
  { instanceUrl, account, scopes }: Grant,
): Connection {
  return {
    id,
    applicationId,
    customerId,
    providerId: id,
    providerName,
    category: PROVIDER_CATEGORIES[providerName],
    instanceUrl,
    schemaMappingsConfig: null,
    entityMappings: null,
    connectionSyncConfig: null,
    status: 'connected',
    statusReason: null,
    statusChangedAt: new Date(0).toISOString(),
    account,
    grantedScopes: scopes,
    readableRecords: [],
    writableRecords: [],
  };
}

/** The access token is new, so it is never refreshed: a refresh token may be valid only once. */
function createGrantCredentials(
  { accessToken, expiresAt, instanceUrl }: Grant,
  oauthClientId: string,
): CredentialStore {
  return {
    read: async () => ({
      credentials: { type: 'oauth2', accessToken, refreshToken: null, expiresAt },
      generation: 1,
      instanceUrl,
      isRefused: false,
      oauthClientId,
    }),
    refreshOnce: async () => undefined,
    markRefused: async () => undefined,
    markTried: async () => undefined,
  };
}

/** Keeps nothing of an account that is not connected yet. */
const NO_CACHE: ContactCache = {
  read: async () => undefined,
  write: async () => undefined,
  refuse: async () => undefined,
};
