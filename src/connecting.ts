import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import { withDemo } from './connect/demo/server.ts';
import { type ConnectPages, createConnectPages } from './connect/server.ts';
import { DEMO_APPLICATION, DEVELOPMENT_ORIGINS } from './domain/caller.ts';
import type { ConnectServices } from './domain/connect-link.ts';
import type { Log } from './domain/log.ts';
import type { FindOAuthClient } from './domain/oauth.ts';
import type { OAuthClient, Provider } from './domain/provider.ts';
import type { ProviderName } from './domain/provider-names.ts';
import { listRedirectUris } from './domain/urls.ts';
import { type Demo, toDemoCommand } from './http/startup-message.ts';
import type { Clock } from './lib/clock.ts';
import type { Limits } from './limits/limits.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { ConnectionCache } from './request/connection-cache.ts';
import { createOpenContext } from './request/context.ts';
import type { Services } from './request/services.ts';
import type { Database } from './storage/database.ts';
import type { KeyRing } from './storage/sealing/key-ring.ts';
import { createCursorSigner, createSigningKeys } from './storage/sealing/seal.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** Part of the composition root: connect links, and the pages that they lead to. */
export function openConnecting(parts: ConnectingParts): Connecting {
  const { config, database, providers, outbound, connections, telemetry, limits, clock, log } = parts;
  let listensAt: string | undefined;
  // Before it listens, no port is known where any free one is asked for.
  const publicUrl = () => config.publicUrl ?? (config.production ? undefined : listensAt);
  const services: ConnectServices = {
    linkTokens: createCursorSigner(createSigningKeys(parts.keys, 'connect link')).bind(() => 'connect link'),
    publicUrl,
    async findReturnOrigins(applicationId) {
      const own = await database.admin.findOrigins(applicationId);
      const isDemo = parts.demo !== undefined && applicationId === DEMO_APPLICATION.id;
      // The demo's own home page is one of the places where its customer begins.
      return isDemo ? [...own, ...DEVELOPMENT_ORIGINS, publicUrl() ?? ''] : own;
    },
    findOAuthClient: parts.findOAuthClient,
    toSandboxLogin: parts.directions.toSandboxLogin,
  };
  const pages = createConnectPages({
    flows: database.connectFlows,
    ...{ providers, connecting: services },
    exchangeCode: outbound.exchangeCode,
    makeCode: () => randomBytes(32).toString('base64url'),
    forgetConnection({ applicationId, customerId, providerName, connectionId }) {
      if (providerName !== null) connections.forget(applicationId, { customerId, providerName });
      if (connectionId !== null) outbound.forget(connectionId);
    },
    onFailure: ({ failure, message, cause }) =>
      log.warn({ failure, cause, detail: message }, 'a customer was not connected'),
    onEnd: telemetry.metrics.connect,
    limitPages: limits.limitPages,
    wall: clock.wall,
  });
  return {
    services,
    pages,
    announceUrl(url) {
      listensAt = url;
    },
  };
}

/**
 * What this installation is registered as: the sandbox knows a client of its own, and never learns the secret of a real
 * one; an application's own client goes before that of the environment.
 */
export function createFindOAuthClient({
  config,
  database,
  findSandboxClient,
}: ClientSources): FindOAuthClient {
  return async ({ applicationId, provider, origin, clientId }) => {
    const imitated = findSandboxClient(origin);
    if (imitated) return imitated;
    const own = await database.forApplication(applicationId).oauthClients.find(provider);
    const known = [own, config.oauthClients[provider]].filter((client) => client !== undefined);
    return clientId === null ? known[0] : known.find((client) => client.clientId === clientId);
  };
}

/** What has to be registered with the vendors, for an app of one's own or for the sandbox. */
export function toRedirectNotes(
  { publicUrl, sandbox, oauthClients }: Config,
  providers: Iterable<Provider>,
): readonly string[] {
  if (!sandbox && Object.keys(oauthClients).length === 0) return [];
  if (publicUrl === undefined) return [NO_PUBLIC_URL];
  return listRedirectUris(publicUrl, providers).map(({ uri }) => `Redirect   ${uri}`);
}

const NO_PUBLIC_URL = 'Redirect   customers cannot be sent to a CRM: PUBLIC_URL is not set';

/** Part of the composition root: where the sandbox is on, the demo plays the application around a connect link. */
export function addDemoPages({ pages, services, providers, demo, toSandboxLogin }: DemoParts): ConnectPages {
  const { connecting } = services;
  const openContext = createOpenContext(services);
  return withDemo(pages, {
    open(requestLog) {
      requestLog.record({ application: CALLER.application.name, credential: CALLER.credentialId });
      requestLog.caller = CALLER;
      return openContext(NO_HEADERS, requestLog);
    },
    // Those that the sandbox imitates: the others would need a registered app.
    listProviders: () =>
      [...providers.values()].flatMap(({ name, authorization }) =>
        authorization && toSandboxLogin(name, authorization.logins[0].origin) !== undefined ? [name] : [],
      ),
    toCommand: ({ customerId, provider }) =>
      toDemoCommand(connecting.publicUrl() ?? '', { key: demo.key, customerId }, provider),
  });
}

/** Its pages name the customer and the provider. */
const NO_HEADERS = new Headers();
const CALLER = { application: DEMO_APPLICATION, credentialId: 'demo-pages' } as const;

interface Connecting {
  readonly services: ConnectServices;
  readonly pages: ConnectPages;
  announceUrl(url: string): void;
}

interface ConnectingParts {
  readonly config: Pick<Config, 'publicUrl' | 'production'>;
  readonly database: Database;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly outbound: Pick<Outbound, 'exchangeCode' | 'forget'>;
  readonly connections: Pick<ConnectionCache, 'forget'>;
  readonly telemetry: Telemetry;
  readonly limits: Pick<Limits, 'limitPages'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly keys: KeyRing;
  /** Undefined where there is none. */
  readonly demo: object | undefined;
  readonly findOAuthClient: FindOAuthClient;
  readonly directions: Pick<ConnectServices, 'toSandboxLogin'>;
}

interface ClientSources {
  readonly config: Pick<Config, 'oauthClients'>;
  readonly database: Pick<Database, 'forApplication'>;
  findSandboxClient(origin: string): OAuthClient | undefined;
}

interface DemoParts {
  readonly pages: ConnectPages;
  readonly services: Services;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly demo: Demo;
  readonly toSandboxLogin: ConnectServices['toSandboxLogin'];
}
