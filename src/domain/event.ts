import type { ConnectFailure } from './connect-link.ts';
import type { ConnectionStatus, StatusReason } from './connection.ts';
import type { ProviderName } from './provider-names.ts';
import { type Of, words, wordsOf } from './shape.ts';

/** Something that happened to a customer, a connection or a link, for the application to hear of. */
export interface Event {
  readonly id: string;
  readonly type: EventType;
  readonly customerId: string;
  /** Of the connection that it is about; null where it is about none. */
  readonly connectionId: string | null;
  /** Grows by one with every event of one connection; null where there is none. */
  readonly sequence: number | null;
  /** What its type adds, as it stands on the wire. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

export const eventType = words('EventType', 'What has happened.', {
  'connection.connected': 'A connection can be used.',
  'connection.reauthorize': 'The provider refuses the credentials: the customer has to connect again.',
  'connection.recovered': 'A connection that was refused works again.',
  'connection.disconnected': 'A connection has no credentials any more, or is gone.',
  'customer.created': 'A customer is new.',
  'customer.updated': 'A customer’s name or email has changed.',
  'customer.deleted': 'A customer is gone.',
  'connect_link.failed': 'A connect link ended without a connection.',
});
export const EVENT_TYPES = wordsOf(eventType);
export type EventType = Of<typeof eventType>;

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
