import DataLoader from 'dataloader';
import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import type { Customer } from '../domain/customer.ts';
import type { CrmAccess, CrmPort } from '../domain/provider.ts';
import { type AssociatedObject, type Association, CONTACT } from '../domain/records/contact.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import {
  type FieldSelection,
  mergeSelections,
  rawKey,
  type SelectedFields,
} from '../domain/records/record-search.ts';
import type { Sync } from '../domain/sync.ts';
import type { Tenant } from '../domain/tenant.ts';

/** Connections whose syncs are read at once: each has up to 200, with 30 runs. */
const SYNCED_AT_ONCE = 20;

/** Batches the reads of one request that are made in the same tick. Opened per request, so what is not used is not made. */
export class Loaders {
  readonly #tenant: Tenant;
  #customers: Map<boolean, CustomerLoader> | undefined;
  #cachedReads: Map<string, Promise<unknown>> | undefined;
  #connections: DataLoader<ConnectionTarget, Connection | undefined> | undefined;
  #customerIds: DataLoader<string, string | undefined> | undefined;
  #syncs: DataLoader<string, readonly Sync[]> | undefined;
  #records: Map<string, RecordLoader> | undefined;
  readonly #keyLookups = new Map<string, KeyLookups>();

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  customer(id: string, withConfigurations: boolean): Promise<Customer | undefined> {
    this.#customers ??= new Map();
    const loader =
      this.#customers.get(withConfigurations) ??
      new DataLoader((ids) => this.#tenant.customers.findMany(ids, { withConfigurations }));
    this.#customers.set(withConfigurations, loader);
    return loader.load(id);
  }

  /** The first read of a cached entry, which further ones share. */
  shareCachedRead<Result>(
    connectionId: string,
    filterKey: string,
    read: () => Promise<Result>,
  ): Promise<Result> {
    this.#cachedReads ??= new Map();
    const key = `${connectionId} ${filterKey}`;
    const shared = this.#cachedReads.get(key) ?? read();
    this.#cachedReads.set(key, shared);
    return shared as Promise<Result>;
  }

  connection(target: ConnectionTarget): Promise<Connection | undefined> {
    // The connection cache above does the caching: a second cache here could hand it an outdated value as new.
    this.#connections ??= new DataLoader((targets) => this.#tenant.connections.findMany(targets), {
      cache: false,
    });
    return this.#connections.load(target);
  }

  customerIdOf(connectionId: string): Promise<string | undefined> {
    this.#customerIds ??= new DataLoader((ids) => this.#tenant.connections.findCustomerIds(ids));
    return this.#customerIds.load(connectionId);
  }

  syncs(connectionId: string): Promise<readonly Sync[]> {
    // Mutations change them.
    this.#syncs ??= new DataLoader((ids) => this.#tenant.syncs.listSyncs(ids), {
      cache: false,
      maxBatchSize: SYNCED_AT_ONCE,
    });
    return this.#syncs.load(connectionId);
  }

  /** Forgets a customer that has changed. */
  invalidateCustomer(id: string): void {
    for (const loader of this.#customers?.values() ?? EMPTY) loader.clear(id);
    this.#cachedReads?.clear();
  }

  /**
   * Look-ups by key, such as emails: those of one connection that are made in the same tick are one. The caller owns the list.
   * (`outbound/lookup-batcher.ts` then combines look-ups of several requests into one call.)
   */
  lookup<Item extends CrmRecord>(
    client: LookupClient,
    kind: RecordKind<Item>,
    keys: readonly string[],
    selection: FieldSelection,
  ): Promise<Item[]> {
    if (keys.length === 0) return Promise.resolve([]);
    const key = `${client.connection.id} ${kind.key}${rawKey(selection)}`;
    const open = this.#keyLookups.get(key) ?? new KeyLookups(client, kind);
    if (open.isEmpty) {
      this.#keyLookups.set(key, open);
      const run = () => {
        this.#keyLookups.delete(key);
        open.run();
      };
      // When no promise of this tick is left, whether it began with one or not.
      queueMicrotask(() => process.nextTick(run));
    }
    return open.add(keys, selection) as Promise<Item[]>;
  }

  async record<Item extends CrmRecord>(
    { connection, port }: LookupClient,
    kind: RecordKind<Item>,
    remoteId: string,
    selection: FieldSelection,
  ) {
    const key = `${connection.id} ${kind.type} ${rawKey(selection)}`;
    const loader = this.#recordsOf(key, (ids, merged) => port.of(kind).findByIds(ids, merged));
    return (await loader.load({ id: remoteId, selection })) as Item | undefined;
  }

  async associations({ connection, port }: LookupClient, remoteId: string, to: AssociatedObject) {
    const key = `${connection.id} associations ${to}`;
    const loader = this.#recordsOf(key, (ids) => port.of(CONTACT).related(ids, to));
    const associations = await loader.load({ id: remoteId, selection: NO_SELECTION });
    return (associations ?? EMPTY) as readonly Association[];
  }

  /**
   * One loader per connection and kind of look-up: only these can share a call. Look-ups with different field
   * selections share it as well, and it requests the union of the fields, because calls cost more than fields.
   */
  #recordsOf(key: string, load: LoadBatch): RecordLoader {
    this.#records ??= new Map();
    const known = this.#records.get(key);
    if (known) return known;
    const loader: RecordLoader = new DataLoader(
      async (lookups) => {
        const ids = [...new Set(lookups.map(({ id }) => id))];
        const selection = mergeSelections(lookups.map((lookup) => lookup.selection));
        try {
          const found = await load(ids, selection);
          return lookups.map(({ id }) => found.get(id));
        } catch (error) {
          // A later look-up tries again.
          for (const lookup of lookups) loader.clear(lookup);
          throw error;
        }
      },
      { cacheKeyFn: ({ id, selection }) => `${nameSelection(selection)} ${id}` },
    );
    this.#records.set(key, loader);
    return loader;
  }
}

/** Look-ups by key, such as emails, of one connection that are made in the same tick. */
class KeyLookups {
  readonly #client: LookupClient;
  readonly #kind: RecordKind<CrmRecord>;
  #lookups: KeyLookup[] = [];

  constructor(client: LookupClient, kind: RecordKind<CrmRecord>) {
    this.#client = client;
    this.#kind = kind;
  }

  get isEmpty(): boolean {
    return this.#lookups.length === 0;
  }

  add(keys: readonly string[], selection: FieldSelection): Promise<CrmRecord[]> {
    return new Promise((resolve, reject) => {
      this.#lookups.push({ keys, selection, resolve, reject });
    });
  }

  run(): void {
    const lookups = this.#lookups;
    const { access, port } = this.#client;
    const [first] = lookups;
    const isOne = first !== undefined && lookups.length === 1;
    const keys = isOne ? first.keys : [...new Set(lookups.flatMap((lookup) => lookup.keys))];
    const selection = isOne
      ? first.selection
      : mergeSelections(lookups.map((one) => one.selection));
    const batches = splitBatches(keys, access.lookupBatch);
    let left = batches.length;
    const records = port.of(this.#kind);
    /** By key. A call that fails does so for its own keys. */
    const found: Found = new Map();
    for (const batch of batches) {
      const settle = (part: ReadonlyMap<string, readonly CrmRecord[]> | Error) => {
        for (const key of batch)
          found.set(key, part instanceof Error ? part : (part.get(key) ?? EMPTY));
        left -= 1;
        if (left === 0) for (const lookup of lookups) answer(lookup, found);
      };
      records.findByKey(batch, selection).then(settle, settle);
    }
  }
}

function answer({ keys, resolve, reject }: KeyLookup, found: Found): void {
  const records: CrmRecord[] = [];
  for (const key of keys) {
    const some = found.get(key) ?? EMPTY;
    if (some instanceof Error) {
      reject(some);
      return;
    }
    records.push(...some);
  }
  resolve(records);
}

type Found = Map<string, readonly CrmRecord[] | Error>;

interface KeyLookup {
  readonly keys: readonly string[];
  readonly selection: FieldSelection;
  resolve(records: CrmRecord[]): void;
  reject(error: Error): void;
}

/**
 * Whole batches are looked up together: their responses are parsed one after another when all are there, so that few
 * requests have contacts in memory. What is left may share a batch with other requests.
 */
function splitBatches(names: readonly string[], batch: number): readonly (readonly string[])[] {
  if (names.length < batch) return [names];
  const whole = names.length - (names.length % batch);
  return [names.slice(0, whole), names.slice(whole)].filter(({ length }) => length > 0);
}

function nameSelection({ fields, customFields }: FieldSelection): string {
  return customFields ? `${nameFields(fields)} ${customFields.names.join()}` : nameFields(fields);
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
  readonly access: Pick<CrmAccess, 'lookupBatch'>;
  readonly port: CrmPort;
}

const EMPTY: readonly never[] = [];
const NO_SELECTION: FieldSelection = { rawData: false };

type LoadBatch = (
  ids: readonly string[],
  selection: FieldSelection,
) => Promise<ReadonlyMap<string, unknown>>;

type CustomerLoader = DataLoader<string, Customer | undefined>;

type RecordLoader = DataLoader<RecordLookup, unknown, string>;

/** The id of a record, and the fields to read. */
interface RecordLookup {
  readonly id: string;
  readonly selection: FieldSelection;
}
