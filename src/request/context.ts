import { type Caller, missingCredentials, type TokenRequest } from '../domain/caller.ts';
import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import { type Customer, MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import type { ProviderCall, RequestLog, Tracer } from '../domain/log.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { Allowance } from '../domain/resources.ts';
import type { RemovedConnection, Revocation, Tenant } from '../domain/tenant.ts';
import type { HttpHeaders } from '../lib/http-message.ts';
import { SeenRecords } from './connection-cache.ts';
import { createLoaders, type Loaders } from './loaders.ts';
import type { Services } from './services.ts';

/** Opens the context of each request: who calls is in its request log, and what it leaves unsaid in its headers. */
export function createOpenContext(services: Services): OpenContext {
  return (headers, requestLog) => new RequestScope(services, headers, requestLog);
}

type OpenContext = (headers: Pick<HttpHeaders, 'get'>, requestLog: RequestLog) => RequestContext;

/**
 * One request. It holds the caller: what it gives a use case is already the caller's own, and where there is no caller
 * it gives nothing. Nothing of it is made before it is asked for.
 */
class RequestScope implements Tracer {
  readonly caller: Caller | undefined;
  readonly defaults: HeaderDefaults;
  readonly requestLog: RequestLog;
  /** Of its HTTP request: how much may still be made for the response. */
  readonly allowance: Allowance;
  readonly #services: Services;
  #tenant: Tenant | undefined;
  #loaders: Loaders | undefined;
  #seen: SeenRecords | undefined;

  constructor(services: Services, headers: Pick<HttpHeaders, 'get'>, requestLog: RequestLog) {
    this.#services = services;
    this.caller = requestLog.caller;
    this.defaults = {
      customerId: headers.get('x-customer-id') ?? undefined,
      provider: headers.get('x-provider-name') ?? undefined,
    };
    this.requestLog = requestLog;
    const { caller, stranger } = services.responseBounds;
    this.allowance = new Allowance(this.caller ? caller : stranger);
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
  get removals() {
    return this.#openTenant().removals;
  }
  get oauthClients() {
    return this.#openTenant().oauthClients;
  }
  get cache() {
    return this.#openTenant().contactCache;
  }
  get connectLinks() {
    return this.#openTenant().connectLinks;
  }
  get connecting() {
    return this.#services.connecting;
  }

  wall(): number {
    return this.#services.wall();
  }

  runInBackground(work: Promise<unknown>): void {
    this.#services.runInBackground(work);
  }

  withSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.requestLog.withSpan(name, work);
  }

  checkWebhookUrl(url: string) {
    return this.#services.checkWebhookUrl(url);
  }

  checkInstanceUrl(url: string, hosts: readonly RegExp[]) {
    return this.#services.checkInstanceUrl(url, hosts);
  }

  requireCaller(): Caller {
    if (this.caller) return this.caller;
    throw missingCredentials();
  }

  /** One more request of its caller: throws or rejects with TOO_MANY_REQUESTS where that is one too many. */
  checkRateLimit(): Promise<void> | undefined {
    return this.caller && this.#services.checkRateLimit(this.requestLog, this.caller);
  }

  /** What the request costs in all, as far as it is known: fails as `checkRateLimit` does. */
  charge(cost: number): Promise<void> | undefined {
    return this.caller && this.#services.charge(this.requestLog, this.caller, cost);
  }

  loadCustomer(customerId: string) {
    this.requestLog.record({ customer: toLogged(customerId) });
    return this.#openSeen().customer(customerId);
  }

  loadCustomerIdOf(connectionId: string) {
    return this.#openLoaders().customerIdOf(connectionId);
  }

  loadConnection({ customerId, provider }: LoadedTarget) {
    this.requestLog.record({ customer: toLogged(customerId), provider });
    return this.#openSeen().connection({ customerId, providerName: provider });
  }

  invalidateCustomer({ customerId, connections }: Customer): void {
    this.requestLog.record({ customer: toLogged(customerId) });
    this.#seen?.invalidateCustomer(customerId);
    this.#openLoaders().invalidateCustomer(customerId);
    for (const connection of connections) this.#forgetConnection(connection);
  }

  #forgetConnection({ id, applicationId, customerId, providerName }: Connection): void {
    this.#services.connections.forget(applicationId, { customerId, providerName });
    this.#services.forgetConnection(id);
  }

  /**
   * Before the response is sent: what it tells of customers and connections was there within the last two seconds. Rejects
   * with NOT_FOUND where it has been removed while the request ran. Undefined: it is known without a look.
   */
  recheckSeen(): Promise<void> | undefined {
    return this.#seen?.recheckSeen();
  }

  /** Never rejects, and goes on where the request ends early. */
  revoke(removed: RemovedConnection): Promise<Revocation> {
    const revoked = revokeRemoved(this.#services, removed);
    this.runInBackground(revoked);
    return revoked;
  }

  /** Resolves when no process answers from what it remembers of them. */
  async settleRemoval(customerId: string, removed: readonly RemovedConnection[]): Promise<void> {
    this.requestLog.record({ customer: toLogged(customerId) });
    this.#seen?.invalidateCustomer(customerId);
    this.#loaders?.invalidateCustomer(customerId);
    for (const { connection } of removed) this.#forgetConnection(connection);
    const resume = this.requestLog.permit.pause();
    try {
      await this.#services.untilForgotten();
    } finally {
      const turn = resume();
      if (turn) await turn;
    }
  }

  /** As it is stored now: what this request and this process remember of it is forgotten. */
  async readConnectionAnew(target: ConnectionTarget): Promise<Connection | undefined> {
    this.#services.connections.forget(this.requireCaller().application.id, target);
    this.#openLoaders().invalidateCustomer(target.customerId);
    const connection = await this.#openLoaders().connection(target);
    if (connection) this.#services.forgetConnection(connection.id);
    return connection;
  }

  /** Undefined where the caller's application has no such customer. */
  signToken(token: TokenRequest) {
    return this.#services.signToken(this.requireCaller().application.id, token);
  }

  openContactPort(connection: Connection, access: ContactAccess): ContactPort {
    const { credentials, contactCache: cache } = this.#openTenant();
    const onCall = (call: ProviderCall) => this.requestLog.called(call);
    const { permit } = this.requestLog;
    return this.#services.openContactPort({ connection, access, credentials, cache, permit, onCall });
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

  #openSeen(): SeenRecords {
    this.#seen ??= new SeenRecords({
      applicationId: this.requireCaller().application.id,
      loaders: this.#openLoaders(),
      connections: this.#services.connections,
      now: this.#services.now,
    });
    return this.#seen;
  }

  #openLoaders(): Loaders {
    this.#loaders ??= createLoaders(this.#openTenant());
    return this.#loaders;
  }
}

/** Ends at the provider what a removed connection lived on, where nothing else lives on it. Never rejects. */
async function revokeRemoved(
  { providers, revokeGrant, onRevoked }: Services,
  { connection, grant }: RemovedConnection,
): Promise<Revocation> {
  const { id: connectionId, applicationId, providerName } = connection;
  const provider = providers.get(providerName);
  const revoke = async (): Promise<Revocation> => {
    if (!grant || !provider?.authorization?.revocation) return 'NOT_SUPPORTED';
    if (grant.isShared) return 'SHARED';
    try {
      const isRevoked = await revokeGrant({ provider, applicationId, connectionId, ...grant });
      return isRevoked ? 'REVOKED' : 'FAILED';
    } catch {
      // The call is in the metrics with its reason. The connection is gone all the same.
      return 'FAILED';
    }
  };
  const revocation = await revoke();
  onRevoked(providerName, revocation);
  return revocation;
}

/** The log has no email, and nothing that is no customer's id for certain, because it is too long. */
function toLogged(customerId: string): string | undefined {
  return customerId.length <= MAX_CUSTOMER_ID_LENGTH && !customerId.includes('@') ? customerId : undefined;
}

/** What faces and use cases see of it. */
export type RequestContext = Pick<RequestScope, keyof RequestScope>;

interface LoadedTarget {
  readonly customerId: string;
  readonly provider: ProviderName;
}

/** What the headers say where arguments are silent: as they came, unchecked. */
interface HeaderDefaults {
  readonly customerId: string | undefined;
  readonly provider: string | undefined;
}
