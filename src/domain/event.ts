import type { ConnectFailure } from './connect-failure.ts';
import type { ConnectedAccount, ConnectionStatus, StatusReason } from './connection.ts';
import type { MappingProblemKind } from './custom-field.ts';
import type { ProviderName } from './provider-names.ts';
import type { RecordType } from './records/record-type.ts';
import {
  boolean,
  date,
  field,
  id,
  int,
  json,
  listOf,
  nullable,
  type Of,
  shape,
  string,
  uuid,
  words,
  wordsOf,
} from './shape.ts';
import type { SyncErrorCode } from './sync.ts';

export const eventType = words('EventType', 'Type of event.', {
  'connection.connected': 'A connection was established.',
  'connection.reauthorize':
    'The provider permanently refused the credentials: the customer has to connect again.',
  'connection.recovered': 'A connection whose credentials were refused works again.',
  'connection.disconnected': 'A connection was removed, or its credentials were.',
  'connection.mapping_problem':
    'A mapping of a custom field cannot be used. Sent at most once a day for each problem of a connection.',
  'customer.created': 'A customer was created.',
  'customer.updated': 'A customer’s name or email was changed.',
  'customer.deleted': 'A customer was deleted.',
  'customer.rows_deleted': 'The rows of a deleted customer were deleted at the sync destination.',
  'customer.rows_not_deleted':
    'The rows of a deleted customer could not be deleted at the sync destination within 30 days.',
  'connect_link.failed': 'A connect link ended without a connection.',
  'sync.completed': 'A run of a sync ended successfully: a full one, or one that has changed rows.',
  'sync.failed': 'A run of a sync failed. Sent once, until a run is successful again.',
  'contacts.changed': changed('Contacts'),
  'companies.changed': changed('Companies'),
  'deals.changed': changed('Deals'),
  'write.completed':
    'The outcome of a write, of which some records were `UNKNOWN`, is known. Read it with `write(id)`.',
  'webhook.test':
    'A test of a webhook endpoint, requested by `sendTestEvent`. Sent only to this endpoint, regardless of its types.',
});
export const EVENT_TYPES = wordsOf(eventType);
export type EventType = Of<typeof eventType>;

/** Changes of records that are synced in the common shape. */
export const CHANGED_EVENTS = [
  'contacts.changed',
  'companies.changed',
  'deals.changed',
] as const satisfies readonly EventType[];
export type ChangedEvent = (typeof CHANGED_EVENTS)[number];

function changed(records: string): string {
  return `${records} were changed or deleted in a customer’s CRM, and the sync destination has the changes. Sent only if an endpoint names this type.`;
}

/** An event for the application. */
export const event = shape(
  'Event',
  'An event. It is sent to your webhook endpoints, and kept for 30 days.',
  {
    id: field(uuid, 'Id of the event, also the header `webhook-id`.'),
    type: field(eventType, 'Type of event.', { example: 'connection.reauthorize' }),
    customerId: field(id, 'Your own id of the customer.', { example: 'customer-1' }),
    connectionId: nullable(uuid, 'Id of the connection, if the event is about one.'),
    sequence: nullable(
      int,
      'Sequence number, which increases by one with every event of a connection, if the event is about one.',
    ),
    data: field(
      json,
      'Data of the event, as delivered: depends on its type, e.g. `provider_name`, `status` or `version`.',
      { weight: 8 },
    ),
    createdAt: field(date, 'Time of the event.'),
  },
);
export type Event = Of<typeof event>;

/**
 * An event before it is stored with an id, a time and, for connections, a sequence. Events are kept for 30 days and
 * sent to other systems, so they contain only ids and statuses, no personal data or secrets.
 */
export type NewEvent =
  | NewConnectionEvent
  | NewProblemEvent
  | NewCustomerEvent
  | NewRowsEvent
  | NewLinkEvent
  | NewSyncEvent
  | NewChangesEvent
  | NewWriteEvent;

interface NewWriteEvent {
  readonly type: 'write.completed';
  readonly customerId: string;
  readonly connectionId: string;
  readonly data: {
    readonly write_id: string;
    readonly operation: string;
    /** The number of records by their outcome. */
    readonly outcomes: Readonly<Record<string, number>>;
  };
}

interface NewConnectionEvent {
  readonly type: Exclude<Extract<EventType, `connection.${string}`>, NewProblemEvent['type']>;
  readonly customerId: string;
  readonly connectionId: string;
  readonly data: {
    readonly provider_name: ProviderName;
    /** The status after the event. */
    readonly status: ConnectionStatus;
    readonly status_reason: StatusReason | null;
    /** Set if a connect link has connected it. */
    readonly connect_link_id?: string;
    readonly account?: Omit<ConnectedAccount, 'userId'> | null;
    /** Set with the account. */
    readonly readable_records?: readonly Lowercase<RecordType>[];
    readonly writable_records?: readonly Lowercase<RecordType>[];
  };
}

interface NewProblemEvent {
  readonly type: 'connection.mapping_problem';
  readonly customerId: string;
  readonly connectionId: string;
  readonly data: Pick<NewConnectionEvent['data'], 'provider_name' | 'status' | 'status_reason'> & {
    /** Null: the mapping is of an object that no type of record is read from. */
    readonly record: Lowercase<RecordType> | null;
    /** Names of fields, no values of them. */
    readonly field: string;
    readonly source: string;
    readonly problem: Lowercase<MappingProblemKind>;
  };
}

interface NewCustomerEvent {
  readonly type: Exclude<Extract<EventType, `customer.${string}`>, NewRowsEvent['type']>;
  readonly customerId: string;
  readonly connectionId: null;
  readonly data: { readonly version: number };
}

interface NewRowsEvent {
  readonly type: 'customer.rows_deleted' | 'customer.rows_not_deleted';
  readonly customerId: string;
  readonly connectionId: null;
  readonly data: { readonly rows: number };
}

interface NewSyncEvent {
  readonly type: 'sync.completed' | 'sync.failed';
  readonly customerId: string;
  readonly connectionId: string;
  readonly data: {
    readonly provider_name: ProviderName;
    readonly object: string;
    readonly table: string;
    readonly is_full: boolean;
    readonly records: number;
    readonly deleted: number;
    readonly error: Lowercase<SyncErrorCode> | null;
  };
}

interface NewChangesEvent {
  readonly type: ChangedEvent;
  readonly customerId: string;
  readonly connectionId: string;
  readonly data: {
    readonly provider_name: ProviderName;
    /** The CRM's ids: at most 100 together. */
    readonly changed_ids: readonly string[];
    readonly deleted_ids: readonly string[];
  };
}

interface NewLinkEvent {
  readonly type: 'connect_link.failed';
  readonly customerId: string;
  readonly connectionId: null;
  readonly data: {
    readonly connect_link_id: string;
    /** Null if no provider was chosen yet. */
    readonly provider_name: ProviderName | null;
    readonly failure: Lowercase<ConnectFailure>;
  };
}

/**
 * The customer id of test events, which are about no customer: clients and receivers may rely on every event having
 * one.
 */
export const TEST_CUSTOMER_ID = 'webhook-test';

/** A webhook endpoint of an application, according to Standard Webhooks. */
export const webhookEndpoint = shape(
  'WebhookEndpoint',
  'An endpoint to which events are sent by Standard Webhooks.',
  {
    id: field(uuid, 'Id of the endpoint.'),
    url: field(string, 'URL to which events are sent.', {
      example: 'https://app.example.com/webhooks/crossbook',
    }),
    eventTypes: field(listOf(eventType), 'Types of events that are sent. Empty: all.', {
      items: 15,
    }),
    enabled: field(
      boolean,
      'Whether events are sent. False if you disabled it, if it answered 410, or after three days of failures.',
    ),
    lastFailure: nullable(
      string,
      'Last failure, e.g. `HTTP 503`. It is kept after later successes.',
      {
        example: 'HTTP 503',
      },
    ),
    lastFailureAt: nullable(date, 'Time of the last failure.'),
    createdAt: field(date, 'Time of creation.'),
    updatedAt: field(date, 'Time of the last change.'),
  },
);
export type WebhookEndpoint = Of<typeof webhookEndpoint>;

/** The endpoints of ONE application. */
export interface WebhookStore {
  list(): Promise<readonly WebhookEndpoint[]>;
  /** Undefined if MAX_ENDPOINTS is reached. */
  create(endpoint: NewEndpoint): Promise<EndpointWithSecret | undefined>;
  /** This and the following: undefined (or false) if there is no such endpoint. */
  update(id: string, change: EndpointChange): Promise<WebhookEndpoint | undefined>;
  remove(id: string): Promise<boolean>;
  /** The previous secret also signs for ROTATION_MS. */
  rotateSecret(id: string): Promise<EndpointWithSecret | undefined>;
  redeliver(id: string, redelivery: Redelivery): Promise<Redelivered | undefined>;
  /** Stores an event of the type `webhook.test` and schedules it for this endpoint only. */
  sendTest(id: string): Promise<Event | undefined>;
}

export type NewEndpoint = Pick<WebhookEndpoint, 'url' | 'eventTypes'>;

/** Absent fields stay unchanged. */
export type EndpointChange = {
  readonly [Name in 'url' | 'eventTypes' | 'enabled']?: WebhookEndpoint[Name] | undefined;
};

export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  /** `whsec_` and base64. Returned only once. */
  readonly secret: string;
}

/** Selects stored events, regardless of the endpoint's types. `since` excludes test events, each of which is for one endpoint. */
export type Redelivery = { readonly eventIds: readonly string[] } | { readonly since: Date };

export interface Redelivered {
  readonly scheduled: number;
  /** Events from this time on were not scheduled because of MAX_REDELIVERED. Null: all were. */
  readonly nextSince: Date | null;
}

/** The events of ONE application, the newest first. */
export interface EventStore {
  list(request: EventRequest): Promise<readonly Event[]>;
}

interface EventRequest {
  readonly customerId: string | undefined;
  /** The last event of the previous page; undefined for the first page. */
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** Per application. */
export const MAX_ENDPOINTS = 20;
export const MAX_WEBHOOK_URL_LENGTH = 2_048;
export const MAX_REDELIVERED = 10_000;
/** Ids per request. */
export const MAX_REDELIVERED_IDS = 1_000;
export const ROTATION_MS = 24 * 60 * 60_000;
export const EVENTS_KEPT_MS = 30 * 24 * 60 * 60_000;

/** The queue of webhook deliveries over all applications, for the sender only. */
export interface WebhookQueue {
  /** Whether anything is due, and whether any endpoint exists. Very cheap. */
  look(): Promise<{ readonly isDue: boolean; readonly hasEndpoints: boolean }>;
  /** Claims endpoints with due deliveries under a lease for this process; failing endpoints are claimed separately. */
  claim(claim: Claim): Promise<readonly ClaimedEndpoint[]>;
  /** Due deliveries of an endpoint, in order of their events. */
  read(endpoint: EndpointKey, limit: number): Promise<readonly Delivery[]>;
  /** Records a success. `isRecovery`: deliveries that wait for a retry become due now. */
  succeed(delivery: DeliveryKey & Pick<Delivery, 'version'>, isRecovery: boolean): Promise<void>;
  fail(delivery: DeliveryKey, failure: DeliveryFailure): Promise<void>;
  /** Stores how an endpoint responded to an attempt, for the console. */
  keepResponse(delivery: DeliveryKey, response: StoredResponse): Promise<void>;
  release(endpoint: EndpointKey, lease: string): Promise<void>;
  /** For metrics and health checks. */
  count(): Promise<WebhookCounts>;
  /** The first twenty, for the operator. */
  listFailing(): Promise<readonly FailingEndpoint[]>;
}

interface Claim {
  readonly lease: string;
  readonly leaseMs: number;
  readonly healthy: SlotCounts;
  readonly failing: SlotCounts;
}

/** Delivery slots of this process, which are shared by the rule of fair shares. */
interface SlotCounts {
  readonly free: number;
  /** The number that each application holds. */
  readonly held: ReadonlyMap<string, number>;
}

interface EndpointKey {
  readonly applicationId: string;
  readonly id: string;
}

export interface ClaimedEndpoint extends EndpointKey {
  readonly url: string;
  /** The secrets in plain text: two during a rotation, none if they cannot be decrypted. */
  readonly secrets: readonly string[];
  /** Consecutive failures so far. */
  readonly failures: number;
}

interface DeliveryKey {
  readonly applicationId: string;
  readonly endpointId: string;
  readonly eventId: string;
}

export interface Delivery extends DeliveryKey {
  readonly customerId: string;
  /** Previous attempts. */
  readonly attempts: number;
  /** Changes when a redelivery is requested. */
  readonly version: number;
  /** JSON, identical at each attempt. */
  readonly body: string;
}

export interface StoredResponse {
  readonly attempt: number;
  /** Null: there was no response. */
  readonly status: number | null;
  /** Why the attempt failed. Null: it arrived. */
  readonly reason: string | null;
  /** The first kilobyte of the body, redacted. */
  readonly body: string | null;
  readonly ms: number;
}

export const RESPONSES_KEPT_MS = 7 * 24 * 60 * 60_000;

interface DeliveryFailure {
  /** Our own wording, without content of the response. */
  readonly reason: string;
  /** The pause before the next attempt of this delivery. */
  readonly retryAfterMs: number;
  /** The pause of the endpoint. */
  readonly pauseMs: number;
  /** The endpoint has responded with 410 Gone. */
  readonly isGone: boolean;
}

export interface FailingEndpoint extends Pick<WebhookEndpoint, 'id' | 'enabled' | 'lastFailure'> {
  readonly application: string;
}

export interface WebhookCounts {
  /** Undelivered deliveries, of which 100,000 are counted at most. */
  readonly pending: number;
  /** The age of the oldest due delivery of a healthy endpoint; 0: none. */
  readonly overdueSeconds: number;
  /** Enabled endpoints that have failed since their last success. */
  readonly failing: number;
  /** Endpoints disabled after failures or a 410. */
  readonly disabled: number;
}

/** The retry period of a delivery; an endpoint that fails for as long is disabled. */
export const RETRIES_MS = 3 * 24 * 60 * 60_000;
