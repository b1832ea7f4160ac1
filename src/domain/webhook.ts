import type { Event, EventType } from './event.ts';

/** Where an application hears of events: a server of its own, called as Standard Webhooks says. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** Empty: all. */
  readonly eventTypes: readonly EventType[];
  /** False: nothing is sent. It is switched off by whoever owns it, by its answer 410, or after three days of failures. */
  readonly enabled: boolean;
  /** What went wrong last, in words. It stays when all is well again. */
  readonly lastFailure: string | null;
  readonly lastFailureAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

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
export interface EndpointChange {
  readonly url?: string | undefined;
  readonly eventTypes?: readonly EventType[] | undefined;
  readonly enabled?: boolean | undefined;
}

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

export interface EventRequest {
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
