import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import { createTtlCache } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';
import type { Loaders } from './loaders.ts';

/**
 * How long another process may still see a connection as it was. What this one changes, it sees at once. A removal waits
 * for as long before it is answered, so that then no process answers for what is gone.
 */
export const CONNECTION_MAX_AGE_MS = 2_000;
/** With a moment for an answer that was confirmed just before on its way to the socket. */
export const REMOVAL_SETTLES_MS = CONNECTION_MAX_AGE_MS + 500;
const MAX_CONNECTIONS = 10_000;

/** Connections that were just looked at: a search does not ask the database for its connection each time. */
export function createConnectionCache({ now }: Pick<Clock, 'now'>) {
  const bounds = { maxAgeMs: CONNECTION_MAX_AGE_MS, maxEntries: MAX_CONNECTIONS };
  const cache = createTtlCache<Connection>({ ...bounds, now });
  return {
    find: (applicationId: string, target: ConnectionTarget, load: () => Promise<Connection | undefined>) =>
      cache.find(toKey(applicationId, target), load),
    forget: (applicationId: string, target: ConnectionTarget) => cache.forget(toKey(applicationId, target)),
  };
}

/** Neither an application's id nor a provider's name holds a space. */
function toKey(applicationId: string, { customerId, providerName }: ConnectionTarget): string {
  return `${applicationId} ${providerName} ${customerId}`;
}

export type ConnectionCache = ReturnType<typeof createConnectionCache>;

/**
 * The customers and connections that one request has looked at. Before it is answered, each of them was in the database at
 * most two seconds ago: mostly this process knows that already, since it looks at a connection in use every two seconds.
 */
export class SeenRecords {
  readonly #source: RecordSource;
  readonly #connections = new Map<string, ConnectionTarget>();
  #customers: Map<string, SeenCustomer> | undefined;

  constructor(source: RecordSource) {
    this.#source = source;
  }

  connection(target: ConnectionTarget): Promise<Connection | undefined> | Connection | undefined {
    const found = this.#find(target);
    return found instanceof Promise
      ? found.then((connection) => this.#keep(target, connection))
      : this.#keep(target, found);
  }

  async customer(customerId: string): Promise<Customer | undefined> {
    const at = this.#source.now();
    const customer = await this.#source.loaders.customer(customerId);
    this.#customers ??= new Map();
    // The loader answers the second time with what it read the first time.
    if (customer && !this.#customers.has(customerId)) {
      this.#customers.set(customerId, { at, connections: customer.connections });
    }
    return customer;
  }

  /** It was changed by this request. */
  invalidateCustomer(customerId: string): void {
    this.#customers?.delete(customerId);
    for (const [id, target] of this.#connections) {
      if (target.customerId === customerId) this.#connections.delete(id);
    }
  }

  /** Throws or rejects with NOT_FOUND where one of them is gone. Undefined: it is known without a look. */
  recheckSeen(): Promise<void> | undefined {
    const looks: Promise<void>[] = [];
    for (const [id, target] of this.#connections) {
      const found = this.#find(target);
      if (found instanceof Promise) looks.push(found.then((connection) => check(connection, id)));
      else check(found, id);
    }
    const oldest = this.#source.now() - CONNECTION_MAX_AGE_MS;
    for (const [customerId, seen] of this.#customers ?? []) {
      if (seen.at <= oldest) looks.push(this.#recheckCustomer(customerId, seen));
    }
    return looks.length === 0 ? undefined : Promise.all(looks).then(() => undefined);
  }

  async #recheckCustomer(customerId: string, { connections }: SeenCustomer): Promise<void> {
    const { loaders } = this.#source;
    loaders.invalidateCustomer(customerId);
    const customer = await loaders.customer(customerId);
    if (!customer) throw gone();
    for (const { id } of connections) {
      check(
        customer.connections.find((connection) => connection.id === id),
        id,
      );
    }
  }

  #find(target: ConnectionTarget) {
    const { applicationId, connections, loaders } = this.#source;
    return connections.find(applicationId, target, () => loaders.connection(target));
  }

  #keep(target: ConnectionTarget, connection: Connection | undefined): Connection | undefined {
    if (connection) this.#connections.set(connection.id, target);
    return connection;
  }
}

/** One that was removed and connected again is another. */
function check(connection: Connection | undefined, id: string): void {
  if (connection?.id !== id) throw gone();
}

function gone(): CrossbookError {
  return new CrossbookError(
    'NOT_FOUND',
    'A customer or a connection that this request asks for was removed while it ran.',
  );
}

interface SeenCustomer {
  /** By the monotonic clock: when it was read, or a moment before. */
  readonly at: number;
  readonly connections: readonly Connection[];
}

interface RecordSource {
  readonly applicationId: string;
  readonly connections: Pick<ConnectionCache, 'find'>;
  readonly loaders: Pick<Loaders, 'connection' | 'customer' | 'invalidateCustomer'>;
  now(): number;
}
