import DataLoader from 'dataloader';
import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import {
  type FieldSelection,
  mergeSelections,
  rawKey,
  type SelectedFields,
} from '../domain/contact-search.ts';
import type { Customer } from '../domain/customer.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';
import type { Sync } from '../domain/sync.ts';
import type { Tenant } from '../domain/tenant.ts';

/** Connections whose syncs are read at once: each has up to 200, with 30 runs. */
const SYNCED_AT_ONCE = 20;

/** Batches the reads of one request that are made in the same tick. */
export function createLoaders(tenant: Tenant) {
  const customers = { complete: loadCustomers(true), plain: loadCustomers(false) };
  const cachedReads = new Map<string, Promise<unknown>>();
  let connections: DataLoader<ConnectionTarget, Connection | undefined> | undefined;
  let customerIds: DataLoader<string, string | undefined> | undefined;
  let syncs: DataLoader<string, readonly Sync[]> | undefined;
  const loadersByKey = new Map<string, DataLoader<RecordKey, unknown, string>>();

  return {
    customer(id: string, withConfigurations: boolean): Promise<Customer | undefined> {
      return (withConfigurations ? customers.complete : customers.plain).load(id);
    },

    /** The first read of a cached entry, which further ones share. */
    shareCachedRead<Result>(
      connectionId: string,
      filterKey: string,
      read: () => Promise<Result>,
    ): Promise<Result> {
      const key = `${connectionId} ${filterKey}`;
      const shared = cachedReads.get(key) ?? read();
      cachedReads.set(key, shared);
      return shared as Promise<Result>;
    },

    connection(target: ConnectionTarget): Promise<Connection | undefined> {
      // The connection cache above does the caching: a second cache here could hand it an outdated value as new.
      connections ??= new DataLoader((targets) => tenant.connections.findMany(targets), {
        cache: false,
      });
      return connections.load(target);
    },

    customerIdOf(connectionId: string): Promise<string | undefined> {
      customerIds ??= new DataLoader((ids) => tenant.connections.findCustomerIds(ids));
      return customerIds.load(connectionId);
    },

    syncs(connectionId: string): Promise<readonly Sync[]> {
      // Mutations change them.
      syncs ??= new DataLoader((ids) => tenant.syncs.listSyncs(ids), {
        cache: false,
        maxBatchSize: SYNCED_AT_ONCE,
      });
      return syncs.load(connectionId);
    },

    /** Forgets a customer that has changed. */
    invalidateCustomer(id: string): void {
      customers.complete.clear(id);
      customers.plain.clear(id);
      cachedReads.clear();
    },

    /**
     * Look-ups by email. The calling function owns the returned list and may change it. (`outbound/lookup-batcher.ts`
     * then combines look-ups of several requests into one call.)
     */
    async lookup(
      { connection, access, port }: LookupClient,
      emails: readonly string[],
      selection: FieldSelection,
    ): Promise<Contact[]> {
      const loader = loaderFor(
        `${connection.id}:email:${rawKey(selection)}`,
        (names, merged) => port.findByEmails(names, merged),
        access.lookupBatch,
      );
      const found = await Promise.all(emails.map((name) => loader.load({ name, selection })));
      return (found as readonly (readonly Contact[])[]).flat();
    },

    contact({ connection, port }: LookupClient, remoteId: string, selection: FieldSelection) {
      const loader = loaderFor(`${connection.id}:id:${rawKey(selection)}`, (ids, merged) =>
        port.findByIds(ids, merged),
      );
      return loader.load({ name: remoteId, selection }) as Promise<Contact | undefined>;
    },

    async associations({ connection, port }: LookupClient, remoteId: string, to: AssociatedObject) {
      const loader = loaderFor(`${connection.id}:${to}`, (ids) => port.findAssociations(ids, to));
      return ((await loader.load({ name: remoteId, selection: NO_SELECTION })) ??
        EMPTY) as readonly Association[];
    },
  };

  function loadCustomers(withConfigurations: boolean) {
    return new DataLoader<string, Customer | undefined>((ids) =>
      tenant.customers.findMany(ids, { withConfigurations }),
    );
  }

  /**
   * One loader per connection and kind of look-up: only these can share a call. Look-ups with different field
   * selections share it as well, and it requests the union of the fields, because calls cost more than fields.
   */
  function loaderFor(name: string, load: LoadBatch, maxBatchSize = MAX_IDS) {
    const known = loadersByKey.get(name);
    if (known) return known;
    const loader = new DataLoader<RecordKey, unknown, string>(
      async (keys) => {
        const names = [...new Set(keys.map((key) => key.name))];
        const found = await load(names, mergeSelections(keys.map(({ selection }) => selection)));
        return keys.map((key) => found.get(key.name));
      },
      {
        maxBatchSize,
        cacheKeyFn: ({ name: recordName, selection }) =>
          `${nameSelection(selection)}:${recordName}`,
      },
    );
    loadersByKey.set(name, loader);
    return loader;
  }
}

function nameSelection({ fields, ownFields }: FieldSelection): string {
  return ownFields ? `${nameFields(fields)} ${ownFields.names.join()}` : nameFields(fields);
}

function nameFields(fields: SelectedFields | undefined): string {
  if (!fields) return '*';
  const known = names.get(fields) ?? [...fields].sort().join();
  names.set(fields, known);
  return known;
}

/** Memoized, because one search looks up a thousand emails with the same selection. */
const names = new WeakMap<SelectedFields, string>();

export interface LookupClient {
  readonly connection: { readonly id: string };
  readonly access: Pick<ContactAccess, 'lookupBatch'>;
  readonly port: ContactPort;
}

const EMPTY: readonly never[] = [];
const NO_SELECTION: FieldSelection = { rawData: false };
const MAX_IDS = 1_000;

export type Loaders = ReturnType<typeof createLoaders>;

type LoadBatch = (
  ids: readonly string[],
  selection: FieldSelection,
) => Promise<ReadonlyMap<string, unknown>>;

/** One record and the fields to read. */
interface RecordKey {
  readonly name: string;
  readonly selection: FieldSelection;
}
