import { withDemo } from './connect/demo/server.ts';
import type { ConnectPages } from './connect/server.ts';
import type { ConnectServices } from './domain/connect-services.ts';
import { DEMO_APPLICATION } from './domain/demo-application.ts';
import type { Provider } from './domain/provider.ts';
import type { ProviderName } from './domain/provider-names.ts';
import { type Demo, toDemoCommand } from './http/start-output.ts';
import { createRequestContext } from './request/context.ts';
import type { Services } from './request/services.ts';

/** Part of the composition root: where the sandbox is on, the demo plays the application around a connect link. */
export function addDemoPages({ pages, services, providers, demo, toSandboxLogin }: DemoParts): ConnectPages {
  const { connecting } = services;
  return withDemo(pages, {
    open(journal) {
      journal.note({ application: CALLER.application.name, credential: CALLER.credentialId });
      const defaults = { customerId: undefined, provider: undefined };
      return createRequestContext(services, { caller: CALLER, defaults, journal });
    },
    // Those that somebody imitates: the others would need an app that is registered.
    listProviders: () =>
      [...providers.values()].flatMap(({ name, authorization }) =>
        authorization && toSandboxLogin(name, authorization.logins[0].origin) !== undefined ? [name] : [],
      ),
    toCommand: ({ customerId, provider }) =>
      toDemoCommand(connecting.publicUrl() ?? '', { key: demo.key, customerId }, provider),
  });
}

const CALLER = { application: DEMO_APPLICATION, credentialId: 'demo-pages' } as const;

interface DemoParts {
  readonly pages: ConnectPages;
  readonly services: Services;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly demo: Demo;
  readonly toSandboxLogin: ConnectServices['toSandboxLogin'];
}
