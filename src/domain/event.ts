/** Something that happened to a customer, a connection or a link, for the application to hear of. */
export interface Event {
  readonly id: string;
  readonly type: EventType;
  readonly customerId: string;
  /** Of the connection that it is about; null where it is about none. */
  readonly connectionId: string | null;
  /** Grows by one with every event of one connection; null where there is none. */
  readonly sequence: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

export const EVENT_TYPES = [
  'connection.connected',
  'connection.reauthorize',
  'connection.recovered',
  'connection.disconnected',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'connect_link.failed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Before it is written: who writes it gives it an id, a time and, for a connection, its sequence. */
export type NewEvent = Pick<Event, 'type' | 'customerId' | 'connectionId' | 'data'>;
