import type { Allowance } from '@crossbook/executor';
import { LIGHT } from '../admission/heavy-places.ts';
import { BACKGROUND_WORK, type RequestWork } from '../admission/work.ts';
import { type Caller, missingCredentials, type TokenRequest } from '../domain/caller.ts';
import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import {
  type CustomFieldsByRecord,
  type FoundProblem,
  NO_CUSTOM_FIELDS,
  type StoredProblem,
} from '../domain/custom-fields.ts';
import type { Customer } from '../domain/customer.ts';
import type { ProviderCall, RequestLog } from '../domain/log.ts';
import type { CrmAccess, CrmPort } from '../domain/provider.ts';
import type { AssociatedObject } from '../domain/records/contact.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import type { FieldSelection } from '../domain/records/record-search.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import type { RequestState } from '../domain/request-state.ts';
import type { RemovedConnection, Revocation, Tenant } from '../domain/tenant.ts';
import { type HttpHeaders, readUtf8Header } from '../lib/http-message.ts';
import type { BrandingDeps } from '../usecases/branding.ts';
import type { DisconnectDeps, IssueTokenDeps, UpsertDeps } from '../usecases/change-customers.ts';
import type {
  CancelLinkDeps,
  ConfirmLinkDeps,
  CreateLinkDeps,
  CreateMappingLinkDeps,
} from '../usecases/connect-link.ts';
import type { DeclareDeps } from '../usecases/declare-custom-fields.ts';
import type {
  FindConnectionDeps,
  FindCustomerDeps,
  ListCustomersDeps,
} from '../usecases/find-customer.ts';
import type { LinkQuestion } from '../usecases/follow-links.ts';
import type { ChangeSyncsDeps, DestinationDeps, ReadSyncsDeps } from '../usecases/manage-syncs.ts';
import type { ListEventsDeps, WebhookUrlDeps } from '../usecases/manage-webhooks.ts';
import type { MapDeps } from '../usecases/map-custom-fields.ts';
import type { ProblemDeps } from '../usecases/mapping-problems.ts';
import type { AssociationDeps } from '../usecases/search-contacts.ts';
import type { FindRecordDeps, SearchDeps } from '../usecases/search-records.ts';
import type { WriteDeps } from '../usecases/write-records.ts';
import { openAllowance } from './allowance.ts';
import { ReadRecords } from './connection-cache.ts';
import { Loaders, type LookupClient } from './loaders.ts';
import type { Services } from './services.ts';

/** Opens the context of a request: its caller is known; its headers supply arguments that are omitted. */
export function createOpenContext(services: Services): OpenContext {
  return (headers, state, work) => new RequestContext(services, { headers, state, work });
}

type OpenContext = (
  headers: Pick<HttpHeaders, 'get'>,
  state: RequestState,
  work: RequestWork,
) => RequestContext;

interface BegunRequest {
  readonly headers: Pick<HttpHeaders, 'get'>;
  readonly state: RequestState;
  readonly work: RequestWork;
}

/**
 * The context of one request. Everything that it gives to use cases is scoped to the caller; without a caller it
 * gives nothing. Its parts are created lazily. It is what use cases depend on: "go to implementation" leads from a
 * member of their interfaces to here.
 */
export class RequestContext
  implements
    AssociationDeps,
    BrandingDeps,
    CancelLinkDeps,
    ChangeSyncsDeps,
    ConfirmLinkDeps,
    CreateLinkDeps,
    CreateMappingLinkDeps,
    DeclareDeps,
    DestinationDeps,
    DisconnectDeps,
    FindConnectionDeps,
    FindCustomerDeps,
    FindRecordDeps,
    IssueTokenDeps,
    ListCustomersDeps,
    ListEventsDeps,
    MapDeps,
    ProblemDeps,
    ReadSyncsDeps,
    SearchDeps,
    UpsertDeps,
    WebhookUrlDeps,
    WriteDeps
{
  readonly caller: Caller | undefined;
  readonly defaults: HeaderDefaults;
  readonly requestLog: RequestLog;
  readonly #state: RequestState;
  /** Its places, and its client. */
  readonly work: RequestWork;
  /** The remaining response limits of the HTTP request. */
  readonly allowance: Allowance;
  readonly #services: Services;
  #tenant: Tenant | undefined;
  #loaders: Loaders | undefined;
  #customFields: Promise<CustomFieldsByRecord> | CustomFieldsByRecord | undefined;
  #reads: ReadRecords | undefined;

  constructor(services: Services, { headers, state, work }: BegunRequest) {
    this.#services = services;
    this.#state = state;
    this.caller = state.caller;
    this.defaults = {
      customerId: readUtf8Header(headers.get('x-customer-id') ?? undefined),
      provider: headers.get('x-provider-name') ?? undefined,
    };
    this.requestLog = state.requestLog;
    this.work = work;
    const { caller, unauthenticated } = services.responseBounds;
    this.allowance = openAllowance(this.caller ? caller : unauthenticated);
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
  get customFields() {
    return this.#openTenant().customFields;
  }
  get syncs() {
    return this.#openTenant().syncs;
  }
  get branding() {
    return this.#openTenant().branding;
  }
  get writes() {
    return this.#openTenant().writes;
  }
  get writeTimes() {
    return this.#services.writeTimes;
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

  checkDestination(destination: Parameters<Services['checkDestination']>[0]) {
    return this.#services.checkDestination(destination, this.requireCaller().application.id);
  }

  cleanLogo(png: Buffer) {
    return this.#services.cleanLogo(png, this.requireCaller().application.id);
  }

  loadSyncs(connectionId: string) {
    return this.#openLoaders().syncs(connectionId);
  }

  requireCaller(): Caller {
    if (this.caller) return this.caller;
    throw missingCredentials();
  }

  /**
   * Charges the query cost of the whole request so far. Above what is light, it waits for a heavy place. Undefined: go
   * on. Throws or rejects with TOO_MANY_REQUESTS.
   */
  charge(cost: number): Promise<void> | undefined {
    this.#state.cost = cost;
    const charged = this.caller && this.#services.charge(this.#state, this.caller, cost);
    if (cost <= LIGHT.cost) return charged;
    return charged ? charged.then(() => this.work.beHeavy()) : this.work.beHeavy();
  }

  /** Without configurations, those of the connections are null. */
  loadCustomer(customerId: string, withConfigurations = true) {
    this.requestLog.record({ customer: customerId });
    return this.#openReads().customer(customerId, withConfigurations);
  }

  shareCachedRead<Result>(
    connectionId: string,
    filterKey: string,
    read: () => Promise<Result>,
  ): Promise<Result> {
    return this.#openLoaders().shareCachedRead(connectionId, filterKey, read);
  }

  refreshFieldsOnce(
    connectionId: string,
    record: RecordType,
    refresh: () => Promise<void>,
  ): Promise<void> {
    return this.#services.fieldRefreshes.refreshOnce(connectionId, record, refresh);
  }

  loadCustomerIdOf(connectionId: string) {
    return this.#openLoaders().customerIdOf(connectionId);
  }

  loadConnection(target: ConnectionTarget) {
    this.requestLog.record({ customer: target.customerId, provider: target.providerName });
    return this.#openReads().connection(target);
  }

  invalidateCustomer({
    customerId,
    connections,
  }: Pick<Customer, 'customerId' | 'connections'>): void {
    this.requestLog.record({ customer: customerId });
    this.#reads?.invalidateCustomer(customerId);
    this.#loaders?.invalidateCustomer(customerId);
    for (const connection of connections) {
      this.#services.connections.forget(connection.applicationId, connection);
      this.#services.forgetConnection(connection.id);
    }
  }

  /**
   * Called before the response is sent: ensures that the customers and connections in it existed within the last two
   * seconds. Undefined: they did. Throws or rejects with NOT_FOUND if one was removed meanwhile.
   */
  revalidateReads(): Promise<void> | undefined {
    return this.#reads?.revalidateReads();
  }

  /**
   * Revokes the grant of a removed connection. Never rejects, and continues in the background if the request ends
   * early.
   */
  revoke(removed: RemovedConnection): Promise<Revocation> {
    const revoked = this.#services.revokeRemoved(removed);
    this.runInBackground(revoked);
    return revoked;
  }

  /** Resolves when no process can serve the removed data from its cache any more. */
  async waitUntilUncached(
    customerId: string,
    removed: readonly RemovedConnection[],
  ): Promise<void> {
    this.invalidateCustomer({
      customerId,
      connections: removed.map(({ connection }) => connection),
    });
    await this.#services.untilForgotten();
  }

  /** Reads the connection from the database, past the caches of this request and this process. */
  async reloadConnection(target: ConnectionTarget): Promise<Connection | undefined> {
    this.#services.connections.forget(this.requireCaller().application.id, target);
    this.#openLoaders().invalidateCustomer(target.customerId);
    const connection = await this.#openLoaders().connection(target);
    if (connection) this.#services.forgetConnection(connection.id);
    return connection;
  }

  /**
   * The application's custom fields, at most five seconds old when the request began. They are the same for the whole
   * request, because its schema is made of them. Without a promise where they are cached.
   */
  loadCustomFields(): Promise<CustomFieldsByRecord> | CustomFieldsByRecord {
    if (this.#customFields) return this.#customFields;
    const { id } = this.requireCaller().application;
    const found =
      this.#services.customFields.find(id, () => this.customFields.read()) ?? NO_CUSTOM_FIELDS;
    this.#customFields =
      found instanceof Promise ? found.then((own) => own ?? NO_CUSTOM_FIELDS) : found;
    return this.#customFields;
  }

  forgetCustomFields(): void {
    this.#services.customFields.forget(this.requireCaller().application.id);
  }

  /** Stores a problem in the background, unless this process has done so within the hour. */
  noteProblem(connection: Connection, problem: FoundProblem): void {
    if (!this.#services.customFields.isDue(connection.id, problem)) return;
    this.runInBackground(this.customFields.noteProblems(connection, [problem]));
  }

  /** Ends problems that the CRM no longer shows. */
  async endProblems(connectionId: string, problems: readonly StoredProblem[]): Promise<void> {
    for (const problem of problems)
      this.#services.customFields.forgetProblem(connectionId, problem);
    await this.customFields.endProblems(connectionId, problems);
  }

  /** Undefined if the caller's application has no such customer. */
  signToken(token: TokenRequest) {
    return this.#services.signToken(this.requireCaller().application.id, token);
  }

  openCrmPort(connection: Connection, access: CrmAccess): CrmPort {
    const { credentials, contactCache: cache } = this.#openTenant();
    const { applicationId, customerId } = connection;
    const owner = { applicationId, customerId };
    const onCall = (call: ProviderCall) => this.requestLog.called(call, owner);
    const { work } = this;
    return this.#services.openCrmPort({ connection, access, credentials, cache, work, onCall });
  }

  /** Its calls wait for those of look-ups. It outlives the request, and the client. */
  openWritePort(connection: Connection, access: CrmAccess): CrmPort {
    const { credentials, contactCache: cache } = this.#openTenant();
    const { applicationId, customerId } = connection;
    const owner = { applicationId, customerId };
    return this.#services.openCrmPort({
      connection,
      access,
      credentials,
      cache,
      work: BACKGROUND_WORK,
      isBackground: true,
      deadline: this.#services.now() + WRITE_DEADLINE_MS,
      onCall: (call) => this.requestLog.called(call, owner),
    });
  }

  lookup<Item extends CrmRecord>(
    client: LookupClient,
    kind: RecordKind<Item>,
    keys: readonly string[],
    selection: FieldSelection,
  ) {
    return this.#openLoaders().lookup(client, kind, keys, selection);
  }

  loadAssociations(client: LookupClient, remoteId: string, to: AssociatedObject) {
    return this.#openLoaders().associations(client, remoteId, to);
  }

  loadLinks(
    client: LookupClient,
    from: RecordKind<CrmRecord>,
    lookup: { readonly ids: readonly string[]; readonly to: RecordType },
  ) {
    return this.#openLoaders().links(client, from, lookup);
  }

  followTogether<Pages>(
    question: LinkQuestion,
    ids: readonly string[],
    follow: (ids: readonly string[]) => Promise<Pages>,
  ) {
    return this.#openLoaders().follow(question, ids, follow);
  }

  loadRecords<Item extends CrmRecord>(
    client: LookupClient,
    kind: RecordKind<Item>,
    ids: readonly string[],
    selection: FieldSelection,
  ) {
    return this.#openLoaders().records(client, kind, ids, selection);
  }

  #openTenant(): Tenant {
    this.#tenant ??= this.#services.openTenant(this.requireCaller().application.id, this.work);
    return this.#tenant;
  }

  #openReads(): ReadRecords {
    this.#reads ??= new ReadRecords({
      applicationId: this.requireCaller().application.id,
      loaders: this.#openLoaders(),
      connections: this.#services.connections,
      now: this.#services.now,
    });
    return this.#reads;
  }

  #openLoaders(): Loaders {
    this.#loaders ??= new Loaders(this.#openTenant());
    return this.#loaders;
  }
}

/** Of all calls of a write. Each has a deadline of its own. */
const WRITE_DEADLINE_MS = 60_000;

/** Defaults from the headers for omitted arguments: decoded, and unchecked. */
interface HeaderDefaults {
  readonly customerId: string | undefined;
  readonly provider: string | undefined;
}
