import type { Caller } from '../domain/caller.ts';
import type { Connection } from '../domain/connection.ts';
import type { CredentialStore } from '../domain/credentials.ts';
import type { Customer } from '../domain/customer.ts';
import type { TokenRequest } from '../domain/customer-token.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Journal, ProviderCall, Timing } from '../domain/journal.ts';
import type { ContactAccess, ContactPort, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { Sealer } from '../domain/sealer.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { KnownConnections } from './known-connections.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/**
 * One request. It closes over the caller: what it gives a use case is already the caller's own, and where there is no
 * caller it gives nothing.
 */
export function createRequestContext(services: Services, request: RequestFacts): RequestContext {
  const { caller, defaults, journal } = request;
  if (caller) journal.note({ application: caller.application.name, credential: caller.credentialId });
  let opened: { readonly tenant: Tenant; readonly loaders: Loaders } | undefined;

  return {
    caller,
    defaults,
    journal,
    timed: journal.timed,
    providers: services.providers,
    cursors: services.cursors,
    cacheMaxAgeMs: services.cacheMaxAgeMs,
    now: services.now,
    behind: services.behind,
    checkInstanceUrl: services.checkInstanceUrl,
    requireCaller,
    admit: async () => caller && services.admit(journal, caller),
    get customers() {
      return open().tenant.customers;
    },
    get cache() {
      return open().tenant.contactCache;
    },
    loadCustomer(customerId) {
      journal.note({ customer: customerId });
      return open().loaders.customers.load(customerId);
    },
    loadConnection({ customerId, provider }) {
      journal.note({ customer: customerId, provider });
      const target = { customerId, providerName: provider };
      const { id } = requireCaller().application;
      return services.connections.find(id, target, () => open().loaders.connections.load(target));
    },
    forgetCustomer({ customerId, connections }) {
      journal.note({ customer: customerId });
      open().loaders.customers.clear(customerId);
      open().loaders.connections.clearAll();
      for (const { id, applicationId, providerName } of connections) {
        services.connections.forget(applicationId, { customerId, providerName });
        services.forgetConnection(id);
      }
    },
    signToken: (token) => services.signToken(requireCaller().application.id, token),
    openPort(connection, access) {
      const { credentials } = open().tenant;
      return services.openPort({ connection, access, credentials, onCall: journal.called });
    },
    lookup: (client, emails, want) => open().loaders.lookup(client, emails, want),
    loadContact: (client, remoteId, want) => open().loaders.contact(client, remoteId, want),
    loadAssociations: (client, remoteId, to) => open().loaders.associations(client, remoteId, to),
  };

  function requireCaller(): Caller {
    if (caller) return caller;
    throw new CrossbookError(
      'UNAUTHORIZED',
      'Say who calls: with the header x-api-key, or a customer token.',
    );
  }

  function open() {
    if (opened) return opened;
    const tenant = services.openTenant(requireCaller().application.id);
    opened = { tenant, loaders: createLoaders(tenant) };
    return opened;
  }
}

export interface RequestContext extends Timing {
  readonly caller: Caller | undefined;
  readonly defaults: RequestDefaults;
  readonly journal: Journal;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly cursors: Sealer;
  readonly cacheMaxAgeMs: number;
  readonly customers: Tenant['customers'];
  readonly cache: Tenant['contactCache'];
  readonly behind: Services['behind'];
  readonly checkInstanceUrl: Services['checkInstanceUrl'];
  readonly lookup: Loaders['lookup'];
  readonly loadContact: Loaders['contact'];
  readonly loadAssociations: Loaders['associations'];
  now(): number;
  requireCaller(): Caller;
  /** One more request of its caller: rejects with TOO_MANY_REQUESTS where that is one too many. */
  admit(): Promise<void>;
  loadCustomer(customerId: string): ReturnType<Loaders['customers']['load']>;
  loadConnection(target: {
    readonly customerId: string;
    readonly provider: ProviderName;
  }): Promise<Connection | undefined>;
  forgetCustomer(customer: Customer): void;
  /** Undefined where the caller's application has no such customer. */
  signToken(token: TokenRequest): Promise<string | undefined>;
  openPort(connection: Connection, access: ContactAccess): ContactPort;
}

/** What the headers say where arguments are silent: as they came, unchecked. */
export interface RequestDefaults {
  readonly customerId: string | undefined;
  readonly provider: string | undefined;
}

export interface RequestFacts {
  readonly caller: Caller | undefined;
  readonly defaults: RequestDefaults;
  readonly journal: Journal;
}

/** What lives as long as the process. */
export interface Services {
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly cursors: Sealer;
  readonly connections: KnownConnections;
  readonly cacheMaxAgeMs: number;
  now(): number;
  /** Lets work finish after the answer; what goes wrong with it is logged. */
  behind(work: Promise<unknown>): void;
  /** Counts a request, which its journal stands for. */
  admit(visit: Journal, caller: Caller): Promise<void>;
  openTenant(applicationId: string): Tenant;
  /** What this process remembers of it, such as its token, is no longer true. */
  forgetConnection(connectionId: string): void;
  signToken(applicationId: string, token: TokenRequest): Promise<string | undefined>;
  openPort(options: {
    readonly connection: Connection;
    readonly access: ContactAccess;
    readonly credentials: CredentialStore;
    /** Told of each call that is made for this request. */
    readonly onCall: (call: ProviderCall) => void;
  }): ContactPort;
  checkInstanceUrl(
    url: string,
    hosts: readonly RegExp[],
  ): { readonly url: string } | { readonly problem: string };
}
