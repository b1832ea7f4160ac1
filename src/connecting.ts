import { randomBytes } from 'node:crypto';
import { withDemo } from './connect/demo/server.ts';
import { createConnectPages } from './connect/server.ts';
import { DEMO_APPLICATION, DEVELOPMENT_ORIGINS } from './domain/caller.ts';
import type { ConnectServices } from './domain/connect-link.ts';
import type { Foundation } from './foundation.ts';
import { toDemoCommand } from './http/welcome.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { createOpenContext } from './request/context.ts';
import { createSigner, createSigningKeys } from './storage/sealing.ts';

/** Part of the composition root: connect links and their pages. */
export function openConnecting(foundation: Foundation, outbound: Outbound) {
  const { config, database, providers, directions, demo, telemetry, log } = foundation;
  let listensAt: string | undefined;
  // Where any free port is used the port is unknown until it listens.
  const publicUrl = () => config.publicUrl ?? (config.production ? undefined : listensAt);
  const connecting: ConnectServices = {
    linkTokens: createSigner(createSigningKeys(foundation.keyRing, 'connect link')).bind(
      () => 'connect link',
    ),
    publicUrl,
    async findReturnOrigins(applicationId) {
      const own = await database.admin.findOrigins(applicationId);
      const isDemo = demo !== undefined && applicationId === DEMO_APPLICATION.id;
      // The demo's home page also starts connect links.
      return isDemo ? [...own, ...DEVELOPMENT_ORIGINS, publicUrl() ?? ''] : own;
    },
    findOAuthClient: foundation.findOAuthClient,
    toSandboxLogin: directions.toSandboxLogin,
  };
  const pages = createConnectPages({
    flows: database.connectFlows,
    providers,
    connecting,
    exchangeCode: outbound.exchangeCode,
    makeCode: () => randomBytes(32).toString('base64url'),
    forgetConnection({ applicationId, customerId, providerName, connectionId }) {
      if (providerName !== null)
        foundation.connections.forget(applicationId, { customerId, providerName });
      if (connectionId !== null) outbound.forget(connectionId);
    },
    onFailure: ({ failure, message, cause }) =>
      log.warn({ failure, cause, detail: message }, 'a customer was not connected'),
    onEnd: telemetry.metrics.connect,
    limitPages: foundation.limits.limitPages,
    wall: foundation.clock.wall,
  });

  return {
    services: connecting,
    announceUrl(url: string) {
      listensAt = url;
    },

    /** With the sandbox the demo plays the application's part. */
    openPages(openContext: ReturnType<typeof createOpenContext>) {
      if (!demo) return pages;
      return withDemo(pages, {
        open(requestLog, work) {
          requestLog.record({
            application: DEMO_APPLICATION.name,
            credential: DEMO_CALLER.credentialId,
          });
          requestLog.caller = DEMO_CALLER;
          // The demo's pages pass customer and provider explicitly.
          return openContext(NO_HEADERS, requestLog, work);
        },
        // Only providers in the sandbox: others need a registered app.
        listProviders: () =>
          [...providers.values()].flatMap(({ name, authorization }) =>
            authorization &&
            directions.toSandboxLogin(name, authorization.logins[0].origin) !== undefined
              ? [name]
              : [],
          ),
        toCommand: (customerId, provider) =>
          toDemoCommand(publicUrl() ?? '', { key: demo.key, customerId }, provider),
      });
    },
  };
}

const NO_HEADERS = new Headers();
const DEMO_CALLER = { application: DEMO_APPLICATION, credentialId: 'demo-pages' } as const;
