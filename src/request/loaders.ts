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
  const recordLoaders = new Map<string, RecordLoader>();

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
        (some, merged) => port.findByEmails(some, merged),
        access.lookupBatch,
      );
      const found = await loader.load({ names: emails, selection });
      const contacts: Contact[] = [];
      for (const some of found as readonly (readonly Contact[])[]) contacts.push(...some);
      return contacts;
    },

    async contact({ connection, port }: LookupClient, remoteId: string, selection: FieldSelection) {
      const loader = loaderFor(`${connection.id}:id:${rawKey(selection)}`, (ids, merged) =>
        port.findByIds(ids, merged),
      );
      const [contact] = await loader.load({ names: [remoteId], selection });
      return contact as Contact | undefined;
    },

    async associations({ connection, port }: LookupClient, remoteId: string, to: AssociatedObject) {
      const loader = loaderFor(`${connection.id}:${to}`, (ids) => port.findAssociations(ids, to));
      const [associations = EMPTY] = await loader.load({
        names: [remoteId],
        selection: NO_SELECTION,
      });
      return associations as readonly Association[];
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
  function loaderFor(key: string, load: LoadBatch, batch = Number.POSITIVE_INFINITY): RecordLoader {
    const known = recordLoaders.get(key);
    if (known) return known;
    const loader: RecordLoader = new DataLoader(
      async (lookups) => {
        const names = [...new Set(lookups.flatMap((lookup) => lookup.names))];
        const selection = mergeSelections(lookups.map((lookup) => lookup.selection));
        /** By name. A call that fails does so for its own names. */
        const found = new Map<string, unknown>();
        const calls = splitBatches(names, batch).map(async (some) => {
          const part = await load(some, selection).catch((error: Error) => error);
          for (const name of some) found.set(name, part instanceof Error ? part : part.get(name));
        });
        await Promise.all(calls);
        return lookups.map((lookup) => {
          const values = lookup.names.map((name) => found.get(name));
          const failure = values.find((value) => value instanceof Error);
          // A later look-up tries again.
          if (failure) loader.clear(lookup);
          return failure ?? values;
        });
      },
      {
        cacheKeyFn: ({ names, selection }) =>
          `${nameSelection(selection)}:${JSON.stringify(names)}`,
      },
    );
    recordLoaders.set(key, loader);
    return loader;
  }
}

/**
 * Whole batches are looked up together: their responses are parsed one after another when all are there, so that few
 * requests have contacts in memory. What is left may share a batch with other requests.
 */
function splitBatches(names: readonly string[], batch: number): readonly (readonly string[])[] {
  const whole = names.length - (names.length % batch);
  return [names.slice(0, whole), names.slice(whole)].filter(({ length }) => length > 0);
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

export type Loaders = ReturnType<typeof createLoaders>;

type LoadBatch = (
  ids: readonly string[],
  selection: FieldSelection,
) => Promise<ReadonlyMap<string, unknown>>;

/** What a look-up finds for each of its names. */
type RecordLoader = DataLoader<RecordLookup, readonly unknown[], string>;

/** Emails or ids of records, and the fields to read. */
interface RecordLookup {
  readonly names: readonly string[];
  readonly selection: FieldSelection;
}
