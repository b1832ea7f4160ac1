import {
  CONFIGURATION_FIELDS,
  type Connection,
  type ConnectionTarget,
} from '../domain/connection.ts';
import type { Customer } from '../domain/customer.ts';
import { AbandonedError, CrossbookError } from '../domain/errors.ts';
import { createTtlCache } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';
import type { Loaders } from './loaders.ts';

/**
 * The TTL of cached connections: how long another process may use a stale one. Changes by this process are visible to
 * it at once. The response to a removal is delayed by as long, so that afterwards no process serves the removed data.
 */
export const CONNECTION_MAX_AGE_MS = 2_000;
/** Includes time for responses that were confirmed just before and are still being sent. */
export const REMOVAL_SETTLES_MS = CONNECTION_MAX_AGE_MS + 500;
const MAX_CONNECTIONS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Caches connections, so that a search does not query the database for its connection each time. */
export function createConnectionCache({ now }: Pick<Clock, 'now'>) {
  const cache = createTtlCache<Connection>({
    maxAgeMs: CONNECTION_MAX_AGE_MS,
    maxEntries: MAX_CONNECTIONS,
    maxBytes: MAX_BYTES,
    sizeOf: sizeOfConnection,
    // A load is charged to the request that makes it, and ends with that request.
    isAbandoned: (error) => error instanceof AbandonedError,
    now,
  });
  return {
    find: (
      applicationId: string,
      target: ConnectionTarget,
      load: () => Promise<Connection | undefined>,
    ) => cache.find(toKey(applicationId, target), load),
    forget: (applicationId: string, target: ConnectionTarget) =>
      cache.forget(toKey(applicationId, target)),
  };
}

/** Its configurations, which may be long; the number of entries bounds the rest. */
function sizeOfConnection(connection: Connection): number {
  const configurations = CONFIGURATION_FIELDS.map((name) => connection[name]);
  return configurations.every((one) => one === null) ? 0 : JSON.stringify(configurations).length;
}

/** A space is a safe separator: neither application ids nor provider names contain one. */
function toKey(applicationId: string, { customerId, providerName }: ConnectionTarget): string {
  return `${applicationId} ${providerName} ${customerId}`;
}

export type ConnectionCache = ReturnType<typeof createConnectionCache>;

/**
 * The customers and connections that one request has read. Before the response each must have been confirmed in the
 * database within the last two seconds. Usually the cache confirms it, because a connection in use is reloaded every
 * two seconds.
 */
export class ReadRecords {
  readonly #source: RecordSource;
  readonly #connections = new Map<string, Connection>();
  #customers: Map<string, SeenCustomer> | undefined;

  constructor(source: RecordSource) {
    this.#source = source;
  }

  /** A cached one is returned without a promise. */
  connection(target: ConnectionTarget): Promise<Connection | undefined> | Connection | undefined {
    const found = this.#find(target);
    return found instanceof Promise ? found.then((read) => this.#keep(read)) : this.#keep(found);
  }

  async customer(customerId: string, withConfigurations: boolean): Promise<Customer | undefined> {
    const at = this.#source.now();
    const customer = await this.#source.loaders.customer(customerId, withConfigurations);
    this.#customers ??= new Map();
    // The first read counts, because the loader caches it for the whole request.
    if (customer && !this.#customers.has(customerId)) {
      this.#customers.set(customerId, { at, connections: customer.connections });
    }
    return customer;
  }

  /** Forgets a customer that this request has changed. */
  invalidateCustomer(customerId: string): void {
    this.#customers?.delete(customerId);
    for (const [id, connection] of this.#connections) {
      if (connection.customerId === customerId) this.#connections.delete(id);
    }
  }

  /**
   * Undefined: all of them are as they were. Rejects with NOT_FOUND if one of them was removed, and with
   * SERVICE_UNAVAILABLE if the credentials of a connection were changed, because its records may be another account's.
   */
  revalidateReads(): Promise<void> | undefined {
    const looks: Promise<void>[] = [];
    let failure: unknown;
    for (const read of this.#connections.values()) {
      const found = this.#find(read);
      if (found instanceof Promise) looks.push(found.then((now) => checkConnection(now, read)));
      else failure ??= findChange(found, read);
    }
    const oldest = this.#source.now() - CONNECTION_MAX_AGE_MS;
    for (const [customerId, seen] of this.#customers ?? [])
      if (seen.at <= oldest) looks.push(this.#recheckCustomer(customerId, seen));
    if (failure) looks.push(Promise.reject(failure));
    return looks.length === 0 ? undefined : Promise.all(looks).then(() => undefined);
  }

  async #recheckCustomer(customerId: string, { connections }: SeenCustomer): Promise<void> {
    const { loaders } = this.#source;
    loaders.invalidateCustomer(customerId);
    const customer = await loaders.customer(customerId, false);
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

  /** The first read counts: with its credentials something may have been read. */
  #keep(connection: Connection | undefined): Connection | undefined {
    if (connection && !this.#connections.has(connection.id))
      this.#connections.set(connection.id, connection);
    return connection;
  }
}

function checkConnection(current: Connection | undefined, read: Connection): void {
  const failure = findChange(current, read);
  if (failure) throw failure;
}

function findChange(current: Connection | undefined, read: Connection): CrossbookError | undefined {
  if (current?.id !== read.id) return gone();
  const isSame = current.credentialsVersion === read.credentialsVersion;
  return isSame || isSameAccount(current, read) ? undefined : replaced();
}

/** A connect link that extends a connection replaces its credentials with others for the same account. */
function isSameAccount(current: Connection, read: Connection): boolean {
  return current.account !== null && current.account.id === read.account?.id;
}

/** A connection that was removed and connected again has another id. */
function check(connection: Connection | undefined, id: string): void {
  if (connection?.id !== id) throw gone();
}

function gone(): CrossbookError {
  return new CrossbookError(
    'NOT_FOUND',
    'A customer or a connection of this request was removed while it ran.',
  );
}

function replaced(): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'The credentials of a connection of this request were changed while it ran: try again.',
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

const RETRY_AFTER_MS = 1_000;

interface SeenCustomer {
  /** Monotonic time at or just before the read. */
  readonly at: number;
  readonly connections: readonly Connection[];
}

interface RecordSource {
  readonly applicationId: string;
  readonly connections: Pick<ConnectionCache, 'find'>;
  readonly loaders: Pick<Loaders, 'connection' | 'customer' | 'invalidateCustomer'>;
  now(): number;
}
