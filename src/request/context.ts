import { type Allowance, createAllowance, type ResponseBounds } from '../domain/allowance.ts';
import type { Caller } from '../domain/caller.ts';
import type { Connection } from '../domain/connection.ts';
import type { CredentialStore } from '../domain/credentials.ts';
import type { CursorSigner } from '../domain/cursor-signer.ts';
import { type Customer, MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import type { TokenRequest } from '../domain/customer-token.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Journal, ProviderCall, Timing } from '../domain/journal.ts';
import type { ContactAccess, ContactPort, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { WorkPermit } from '../domain/work-permit.ts';
import type { KnownConnections } from './known-connections.ts';
import { createLoaders, type Loaders } from './loaders.ts';

/**
 * One request. It holds the caller: what it gives a use case is already the caller's own, and where there is no caller
 * it gives nothing. Nothing of it is made before it is asked for.
 */
export function createRequestContext(services: Services, facts: RequestFacts): RequestContext {
  return new RequestScope(services, facts);
}

class RequestScope implements RequestContext {
  readonly caller: Caller | undefined;
  readonly defaults: RequestDefaults;
  readonly journal: Journal;
  readonly allowance: Allowance;
  readonly #services: Services;
  #tenant: Tenant | undefined;
  #loaders: Loaders | undefined;

  constructor(services: Services, { caller, defaults, journal }: RequestFacts) {
    this.#services = services;
    this.caller = caller;
    this.defaults = defaults;
    this.journal = journal;
    const { caller: callers, stranger } = services.responseBounds;
    this.allowance = createAllowance(caller ? callers : stranger);
  }

  get providers() {
    return this.#services.providers;
  }
  get cursors() {
    return this.#services.cursors;
  }
  get cacheMaxAgeMs() {
    return this.#services.cacheMaxAgeMs;
  }
  get customers() {
    return this.#openTenant().customers;
  }
  get webhooks() {
    return this.#openTenant().webhooks;
  }
  get events() {
    return this.#openTenant().events;
  }
  get cache() {
    return this.#openTenant().contactCache;
  }

  wall(): number {
    return this.#services.wall();
  }

  behind(work: Promise<unknown>): void {
    this.#services.behind(work);
  }

  timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.journal.timed(name, work);
  }

  checkWebhookUrl(url: string) {
    return this.#services.checkWebhookUrl(url);
  }

  checkInstanceUrl(url: string, hosts: readonly RegExp[]) {
    return this.#services.checkInstanceUrl(url, hosts);
  }

  requireCaller(): Caller {
    if (this.caller) return this.caller;
    throw new CrossbookError(
      'UNAUTHORIZED',
      'Say who calls: with the header x-api-key, or a customer token.',
    );
  }

  admit(): Promise<void> | undefined {
    return this.caller && this.#services.admit(this.journal, this.caller);
  }

  charge(cost: number): Promise<void> | undefined {
    return this.caller && this.#services.charge(this.journal, this.caller, cost);
  }

  loadCustomer(customerId: string) {
    this.journal.note({ customer: toLogged(customerId) });
    return this.#openLoaders().customer(customerId);
  }

  loadConnectionOwner(connectionId: string) {
    return this.#openLoaders().connectionOwner(connectionId);
  }

  loadConnection({ customerId, provider }: LoadedTarget) {
    this.journal.note({ customer: toLogged(customerId), provider });
    const target = { customerId, providerName: provider };
    const { id } = this.requireCaller().application;
    return this.#services.connections.find(id, target, () => this.#openLoaders().connection(target));
  }

  forgetCustomer({ customerId, connections }: Customer): void {
    this.journal.note({ customer: toLogged(customerId) });
    this.#openLoaders().forgetCustomer(customerId);
    for (const { id, applicationId, providerName } of connections) {
      this.#services.connections.forget(applicationId, { customerId, providerName });
      this.#services.forgetConnection(id);
    }
  }

  signToken(token: TokenRequest) {
    return this.#services.signToken(this.requireCaller().application.id, token);
  }

  openPort(connection: Connection, access: ContactAccess): ContactPort {
    const { credentials, contactCache: cache } = this.#openTenant();
    const onCall = (call: ProviderCall) => this.journal.called(call);
    const { permit } = this.journal;
    return this.#services.openPort({ connection, access, credentials, cache, permit, onCall });
  }

  lookup(...asked: Parameters<Loaders['lookup']>) {
    return this.#openLoaders().lookup(...asked);
  }

  loadContact(...asked: Parameters<Loaders['contact']>) {
    return this.#openLoaders().contact(...asked);
  }

  loadAssociations(...asked: Parameters<Loaders['associations']>) {
    return this.#openLoaders().associations(...asked);
  }

  #openTenant(): Tenant {
    this.#tenant ??= this.#services.openTenant(this.requireCaller().application.id);
    return this.#tenant;
  }

  #openLoaders(): Loaders {
    this.#loaders ??= createLoaders(this.#openTenant());
    return this.#loaders;
  }
}

/** The log has no email, and nothing that is no customer's id for certain, because it is too long. */
function toLogged(customerId: string): string | undefined {
  return customerId.length <= MAX_CUSTOMER_ID_LENGTH && !customerId.includes('@') ? customerId : undefined;
}

export interface RequestContext extends Timing {
  readonly caller: Caller | undefined;
  /** Of its HTTP request: how much may still be made for the response. */
  readonly allowance: Allowance;
  readonly defaults: RequestDefaults;
  readonly journal: Journal;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly cursors: CursorSigner;
  readonly cacheMaxAgeMs: number;
  readonly customers: Tenant['customers'];
  readonly cache: Tenant['contactCache'];
  readonly behind: Services['behind'];
  readonly webhooks: Tenant['webhooks'];
  readonly events: Tenant['events'];
  readonly checkWebhookUrl: Services['checkWebhookUrl'];
  readonly checkInstanceUrl: Services['checkInstanceUrl'];
  readonly lookup: Loaders['lookup'];
  readonly loadContact: Loaders['contact'];
  readonly loadAssociations: Loaders['associations'];
  wall(): number;
  requireCaller(): Caller;
  /** One more request of its caller: throws or rejects with TOO_MANY_REQUESTS where that is one too many. */
  admit(): Promise<void> | undefined;
  /** What the request costs in all, as far as it is known: fails as `admit` does. */
  charge(cost: number): Promise<void> | undefined;
  loadCustomer(customerId: string): ReturnType<Loaders['customer']>;
  loadConnectionOwner(connectionId: string): Promise<string | undefined>;
  loadConnection(target: LoadedTarget): Promise<Connection | undefined> | Connection | undefined;
  forgetCustomer(customer: Customer): void;
  /** Undefined where the caller's application has no such customer. */
  signToken(token: TokenRequest): Promise<string | undefined>;
  openPort(connection: Connection, access: ContactAccess): ContactPort;
}

interface LoadedTarget {
  readonly customerId: string;
  readonly provider: ProviderName;
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
  readonly cursors: CursorSigner;
  readonly connections: KnownConnections;
  readonly cacheMaxAgeMs: number;
  /** For callers, and for requests without one. */
  readonly responseBounds: { readonly caller: ResponseBounds; readonly stranger: ResponseBounds };
  wall(): number;
  /** Lets work finish after the answer; what goes wrong with it is logged. */
  behind(work: Promise<unknown>): void;
  /** Counts a request, which its journal stands for. */
  admit(visit: Journal, caller: Caller): Promise<void> | undefined;
  /** Counts what a request costs beyond that: its whole cost so far, as GraphQL reckons it. */
  charge(visit: Journal, caller: Caller, cost: number): Promise<void> | undefined;
  openTenant(applicationId: string): Tenant;
  /** What this process remembers of it, such as its token, is no longer true. */
  forgetConnection(connectionId: string): void;
  signToken(applicationId: string, token: TokenRequest): Promise<string | undefined>;
  openPort(options: {
    readonly connection: Connection;
    readonly access: ContactAccess;
    readonly credentials: CredentialStore;
    readonly cache: Tenant['contactCache'];
    /** Paused while one of its operations waits for the provider. */
    readonly permit: WorkPermit;
    /** Told of each call that is made for this request. */
    readonly onCall: (call: ProviderCall) => void;
  }): ContactPort;
  checkWebhookUrl(url: string): Promise<{ readonly url: string } | { readonly problem: string }>;
  checkInstanceUrl(
    url: string,
    hosts: readonly RegExp[],
  ): { readonly url: string } | { readonly problem: string };
}
