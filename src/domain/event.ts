import type { ConnectFailure } from './connect-link.ts';
import type { ConnectionStatus, StatusReason } from './connection.ts';
import type { ProviderName } from './provider-names.ts';
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

export const eventType = words('EventType', 'Type of event.', {
  'connection.connected': 'A connection was established.',
  'connection.reauthorize':
    'The provider permanently refused the credentials: the customer has to connect again.',
  'connection.recovered': 'A connection whose credentials were refused works again.',
  'connection.disconnected': 'A connection was removed, or its credentials were.',
  'customer.created': 'A customer was created.',
  'customer.updated': 'A customer’s name or email was changed.',
  'customer.deleted': 'A customer was deleted.',
  'connect_link.failed': 'A connect link ended without a connection.',
});
export const EVENT_TYPES = wordsOf(eventType);
export type EventType = Of<typeof eventType>;

/** For the application to hear of. */
export const event = shape('Event', 'An event. It is sent to your webhook endpoints, and kept for 30 days.', {
  id: field(uuid, 'Id of the event, also the header `webhook-id`.'),
  type: field(eventType, 'Type of event.'),
  customerId: field(id, 'Your own id of the customer.'),
  connectionId: nullable(uuid, 'Id of the connection. Null if the event is not about one.'),
  sequence: nullable(
    int,
    'Sequence number, which increases by one with every event of a connection. Null if the event is not about one.',
  ),
  data: field(
    json,
    'Data of the event, as delivered: depends on its type, e.g. `provider_name`, `status` or `version`.',
    {
      weight: 8,
    },
  ),
  createdAt: field(date, 'Time of the event.'),
});
export type Event = Of<typeof event>;

/**
 * Before it is written: who writes it gives it an id, a time and, for a connection, its sequence. Events are kept for 30
 * days and sent to other systems, so that they hold ids and states, and nothing personal or secret.
 */
export type NewEvent = NewConnectionEvent | NewCustomerEvent | NewLinkEvent;

interface NewConnectionEvent {
  readonly type: Extract<EventType, `connection.${string}`>;
  readonly customerId: string;
  readonly connectionId: string;
  readonly data: {
    readonly provider_name: ProviderName;
    /** After it. */
    readonly status: ConnectionStatus;
    readonly status_reason: StatusReason | null;
    /** Where a link connected it. */
    readonly connect_link_id?: string;
    readonly account?: {
      readonly id: string;
      readonly name: string | null;
      readonly url: string | null;
    } | null;
  };
}

interface NewCustomerEvent {
  readonly type: Extract<EventType, `customer.${string}`>;
  readonly customerId: string;
  readonly connectionId: null;
  readonly data: { readonly version: number };
}

interface NewLinkEvent {
  readonly type: 'connect_link.failed';
  readonly customerId: string;
  readonly connectionId: null;
  readonly data: {
    readonly connect_link_id: string;
    /** Null where none was chosen yet. */
    readonly provider_name: ProviderName | null;
    readonly failure: ConnectFailure;
  };
}

/** Where an application hears of events, called as Standard Webhooks says. */
export const webhookEndpoint = shape(
  'WebhookEndpoint',
  'An endpoint to which events are sent by Standard Webhooks.',
  {
    id: field(uuid, 'Id of the endpoint.'),
    url: field(string, 'URL to which events are sent.'),
    eventTypes: field(listOf(eventType), 'Types of events that are sent. Empty: all.', { items: 8 }),
    enabled: field(
      boolean,
      'Whether events are sent. False if you disabled it, if it answered 410, or after three days of failures.',
    ),
    lastFailure: nullable(string, 'Last failure, e.g. `HTTP 503`. It is kept after later successes.'),
    lastFailureAt: nullable(date, 'Time of the last failure.'),
    createdAt: field(date, 'Time of creation.'),
    updatedAt: field(date, 'Time of the last change.'),
  },
);
export type WebhookEndpoint = Of<typeof webhookEndpoint>;

/** The endpoints of ONE application. */
export interface WebhookStore {
  list(): Promise<readonly WebhookEndpoint[]>;
  /** Undefined where there are MAX_ENDPOINTS already. */
  create(endpoint: NewEndpoint): Promise<EndpointWithSecret | undefined>;
  /** This and the rest: undefined (false) where there is no such endpoint. */
  update(id: string, change: EndpointChange): Promise<WebhookEndpoint | undefined>;
  remove(id: string): Promise<boolean>;
  /** The secret before signs as well for ROTATION_MS. */
  rotateSecret(id: string): Promise<EndpointWithSecret | undefined>;
  redeliver(id: string, wanted: Redelivery): Promise<Redelivered | undefined>;
}

export type NewEndpoint = Pick<WebhookEndpoint, 'url' | 'eventTypes'>;

/** What is absent stays. */
export type EndpointChange = {
  readonly [Name in 'url' | 'eventTypes' | 'enabled']?: WebhookEndpoint[Name] | undefined;
};

export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  /** `whsec_` and base64. Shown this once. */
  readonly secret: string;
}

/** Of the events that are kept, whatever the endpoint's types are. */
export type Redelivery = { readonly eventIds: readonly string[] } | { readonly since: Date };

export interface Redelivered {
  readonly scheduled: number;
  /** Events from then on were not scheduled, because there are more than MAX_REDELIVERED. Null: all were. */
  readonly nextSince: Date | null;
}

/** The events of ONE application, the newest first. */
export interface EventStore {
  list(request: EventRequest): Promise<readonly Event[]>;
}

interface EventRequest {
  readonly customerId: string | undefined;
  /** Of the last event before: undefined for the newest. */
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** For each application. */
export const MAX_ENDPOINTS = 20;
export const MAX_WEBHOOK_URL_LENGTH = 2_048;
export const MAX_REDELIVERED = 10_000;
/** At once, by their ids. */
export const MAX_REDELIVERED_IDS = 1_000;
export const ROTATION_MS = 24 * 60 * 60_000;
export const EVENTS_KEPT_MS = 30 * 24 * 60 * 60_000;

/** What waits to be sent to endpoints, over all applications: for the sender alone. */
export interface WebhookQueue {
  /** Is anything due, and is there any endpoint that it could be for? Costs next to nothing. */
  look(): Promise<{ readonly isDue: boolean; readonly hasEndpoints: boolean }>;
  /** Endpoints that something is due for, each for this process alone until its lease ends: those that fail apart. */
  claim(wanted: Claim): Promise<readonly ClaimedEndpoint[]>;
  /** What is due for one, in the order of its events. */
  read(endpointId: string, limit: number): Promise<readonly Delivery[]>;
  /** It has arrived. `isRecovery`: what waits for another try is due now. */
  succeed(delivery: DeliveryKey & Pick<Delivery, 'rowVersion'>, isRecovery: boolean): Promise<void>;
  fail(delivery: DeliveryKey, failure: DeliveryFailure): Promise<void>;
  release(endpointId: string, lease: string): Promise<void>;
  /** For the metric, and for who asks whether all is well. */
  count(): Promise<WebhookCounts>;
  /** The first twenty, for a person to read. */
  listFailing(): Promise<readonly FailingEndpoint[]>;
  /** Removes events that are older than they are kept, and what is left of endpoints that are gone. */
  sweep(olderThan: Date): Promise<number>;
}

interface Claim {
  readonly lease: string;
  readonly leaseMs: number;
  readonly healthy: number;
  readonly failing: number;
}

export interface ClaimedEndpoint {
  readonly id: string;
  readonly url: string;
  /** As they are shown. Two while one takes the other's place; none where they cannot be opened. */
  readonly secrets: readonly string[];
  /** In a row, up to now. */
  readonly failures: number;
}

interface DeliveryKey {
  readonly endpointId: string;
  readonly eventId: string;
}

export interface Delivery extends DeliveryKey {
  readonly customerId: string;
  /** Before this one. */
  readonly attempts: number;
  /** Changes when the delivery is scheduled again. */
  readonly rowVersion: string;
  /** JSON, the same at each attempt. */
  readonly body: string;
}

interface DeliveryFailure {
  /** In words that are ours: nothing of an answer. */
  readonly reason: string;
  /** When this delivery is tried again. */
  readonly retryAfterMs: number;
  /** For how long nothing is sent to the endpoint. */
  readonly pauseMs: number;
  /** It wants nothing any more. */
  readonly isGone: boolean;
}

export interface FailingEndpoint extends Pick<WebhookEndpoint, 'id' | 'enabled' | 'lastFailure'> {
  readonly application: string;
}

export interface WebhookCounts {
  /** Deliveries on their way. */
  readonly pending: number;
  /** For how long the first that is due for an endpoint that does not fail has waited; 0 where none waits. */
  readonly overdueSeconds: number;
  /** Endpoints that are enabled and have failed since the last success. */
  readonly failing: number;
  /** Endpoints that were disabled because they failed or are gone. */
  readonly disabled: number;
}

/** For so long a delivery is tried; an endpoint that has failed for so long is disabled. */
export const RETRIES_MS = 3 * 24 * 60 * 60_000;
