import type { Connection } from './connection.ts';
import type { ContactOrigin } from './contact.ts';

/** Whose a connection's contacts are: the same object each time, so that what is made of it once is found again. */
export function toContactOrigin(connection: Connection): ContactOrigin {
  const known = remembered.get(connection);
  if (known) return known;
  const { applicationId, customerId, providerName } = connection;
  const source = { applicationId, customerId, provider: providerName };
  remembered.set(connection, source);
  return source;
}

const remembered = new WeakMap<Connection, ContactOrigin>();
