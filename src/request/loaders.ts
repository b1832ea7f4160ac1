import DataLoader from 'dataloader';
import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import type { Customer } from '../domain/customer.ts';
import type { CrmAccess, CrmPort } from '../domain/provider.ts';
import { type AssociatedObject, type Association, CONTACT } from '../domain/records/contact.ts';
import type { LinksById } from '../domain/records/link.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import { type FieldSelection, mergeSelections, rawKey } from '../domain/records/record-search.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import type { Sync } from '../domain/sync.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { LinkQuestion } from '../usecases/follow-links.ts';

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
  #associations: Map<string, AssociationLoader> | undefined;
  #followed: FollowedBatch[] | undefined;
  #links: Map<string, Batch<LinksByType, FoundLinks>> | undefined;
  #records: Map<string, Batch<RequestedRecords, ReadonlyMap<string, CrmRecord>>> | undefined;
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
      atEndOfTick(() => {
        this.#keyLookups.delete(key);
        open.run();
      });
    }
    return open.add(keys, selection) as Promise<Item[]>;
  }

  /** One loader per connection and object: only these can share a call. */
  associations({ connection, port }: LookupClient, remoteId: string, to: AssociatedObject) {
    const key = `${connection.id} ${to}`;
    this.#associations ??= new Map();
    const loader = this.#associations.get(key) ?? openAssociationLoader(port, to);
    this.#associations.set(key, loader);
    return loader.load(remoteId);
  }

  /** Records with the same question about their links, in the same tick, are followed together and share one promise. */
  follow<Pages>(
    question: LinkQuestion,
    ids: readonly string[],
    follow: (ids: readonly string[]) => Promise<Pages>,
  ): Promise<Pages> {
    this.#followed ??= [];
    const followed = this.#followed;
    const known = followed.find((one) => isSameQuestion(one.question, question));
    if (known) {
      for (const id of ids) known.ids.add(id);
      return known.result as Promise<Pages>;
    }
    const all = new Set(ids);
    const result = runAtEndOfTick(() => {
      followed.splice(followed.indexOf(batch), 1);
      return follow([...all]);
    });
    const batch = { question, ids: all, result };
    followed.push(batch);
    return result;
  }

  /** Links of one connection's records of a type. Those that are requested in the same tick are read together. */
  links(
    { connection, port }: LookupClient,
    from: RecordKind<CrmRecord>,
    { ids, to }: LinkLookup,
  ): Promise<FoundLinks> {
    this.#links ??= new Map();
    const key = `${connection.id} ${from.type}`;
    const batch =
      this.#links.get(key) ??
      openBatch(this.#links, key, new Map(), (requested) => readLinks(port, from, requested));
    const all = batch.requested.get(to) ?? new Set();
    for (const id of ids) all.add(id);
    batch.requested.set(to, all);
    return batch.result;
  }

  /**
   * Records by their ids: those of one connection that are asked for in the same tick are read together, with the fields
   * that any of them needs. The result has all of them.
   */
  records<Item extends CrmRecord>(
    { connection, port }: LookupClient,
    kind: RecordKind<Item>,
    ids: readonly string[],
    selection: FieldSelection,
  ): Promise<ReadonlyMap<string, Item>> {
    this.#records ??= new Map();
    const key = `${connection.id} ${kind.type} ${rawKey(selection)}`;
    const batch =
      this.#records.get(key) ??
      openBatch(this.#records, key, { ids: new Set(), selections: new Set() }, (requested) =>
        port.of(kind).findByIds([...requested.ids], mergeSelections([...requested.selections])),
      );
    for (const id of ids) batch.requested.ids.add(id);
    batch.requested.selections.add(selection);
    return batch.result as Promise<ReadonlyMap<string, Item>>;
  }
}

function openAssociationLoader(port: CrmPort, to: AssociatedObject): AssociationLoader {
  const loader: AssociationLoader = new DataLoader(async (ids) => {
    try {
      const found = await port.of(CONTACT).related(ids, to);
      return ids.map((id) => found.get(id) ?? EMPTY);
    } catch (error) {
      // A later look-up tries again.
      for (const id of ids) loader.clear(id);
      throw error;
    }
  });
  return loader;
}

async function readLinks(
  port: CrmPort,
  from: RecordKind<CrmRecord>,
  requested: LinksByType,
): Promise<FoundLinks> {
  const requests = Array.from(requested, ([to, ids]) => ({ to, ids: [...ids] }));
  const results = await port.of(from).links(requests);
  return new Map(requests.map(({ to }, index) => [to, results[index] ?? NO_LINKS]));
}

const NO_LINKS: LinksById = new Map();

/** Begins a batch, which takes what is requested until the end of this tick. */
function openBatch<Requested, Result>(
  batches: Map<string, Batch<Requested, Result>>,
  key: string,
  requested: Requested,
  run: (requested: Requested) => Promise<Result>,
): Batch<Requested, Result> {
  const result = runAtEndOfTick(() => {
    batches.delete(key);
    return run(requested);
  });
  const batch = { requested, result };
  batches.set(key, batch);
  return batch;
}

function runAtEndOfTick<Result>(run: () => Promise<Result>): Promise<Result> {
  // An error that is thrown at once rejects, too: outside of a promise it would end the process.
  return new Promise((resolve) => {
    atEndOfTick(() => resolve((async () => run())()));
  });
}

/** When no promise of this tick is left, whether it began with one or not. */
function atEndOfTick(run: () => void): void {
  queueMicrotask(() => process.nextTick(run));
}

interface Batch<Requested, Result> {
  readonly requested: Requested;
  readonly result: Promise<Result>;
}

type LinksByType = Map<RecordType, Set<string>>;
/** By the type of the linked records: one that fails leaves the others as they are. */
export type FoundLinks = ReadonlyMap<RecordType, LinksById | Error>;

interface RequestedRecords {
  readonly ids: Set<string>;
  readonly selections: Set<FieldSelection>;
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

export interface LookupClient {
  readonly connection: { readonly id: string };
  readonly access: Pick<CrmAccess, 'lookupBatch'>;
  readonly port: CrmPort;
}

const EMPTY: readonly never[] = [];

type CustomerLoader = DataLoader<string, Customer | undefined>;

/** The links of records to all of a type. */
interface LinkLookup {
  readonly ids: readonly string[];
  readonly to: RecordType;
}

interface FollowedBatch {
  readonly question: LinkQuestion;
  readonly ids: Set<string>;
  readonly result: Promise<unknown>;
}

/** Those of a page have the same objects. */
function isSameQuestion(one: LinkQuestion, other: LinkQuestion): boolean {
  return (
    one.selection === other.selection &&
    one.source === other.source &&
    one.from === other.from &&
    one.to === other.to &&
    one.first === other.first &&
    one.after === other.after
  );
}

type AssociationLoader = DataLoader<string, readonly Association[]>;
