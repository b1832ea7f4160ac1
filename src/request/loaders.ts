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

/** Batches the reads of one request that are made in the same tick. Opened per request, so what is not used is not made. */
export class Loaders {
  readonly #tenant: Tenant;
  #customers: Map<boolean, CustomerLoader> | undefined;
  #cachedReads: Map<string, Promise<unknown>> | undefined;
  #connections: DataLoader<ConnectionTarget, Connection | undefined> | undefined;
  #customerIds: DataLoader<string, string | undefined> | undefined;
  #syncs: DataLoader<string, readonly Sync[]> | undefined;
  #records: Map<string, RecordLoader> | undefined;
  readonly #emailLookups = new Map<string, EmailLookups>();

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
   * Look-ups by email: those of one connection that are made in the same tick are one. The caller owns the list.
   * (`outbound/lookup-batcher.ts` then combines look-ups of several requests into one call.)
   */
  lookup(
    client: LookupClient,
    emails: readonly string[],
    selection: FieldSelection,
  ): Promise<Contact[]> {
    if (emails.length === 0) return Promise.resolve([]);
    const key = `${client.connection.id} ${rawKey(selection)}`;
    const open = this.#emailLookups.get(key) ?? new EmailLookups(client);
    if (open.isEmpty) {
      this.#emailLookups.set(key, open);
      const run = () => {
        this.#emailLookups.delete(key);
        open.run();
      };
      // When no promise of this tick is left, whether it began with one or not.
      queueMicrotask(() => process.nextTick(run));
    }
    return open.add(emails, selection);
  }

  async contact({ connection, port }: LookupClient, remoteId: string, selection: FieldSelection) {
    const key = `${connection.id} contacts ${rawKey(selection)}`;
    const loader = this.#recordsOf(key, (ids, merged) => port.findByIds(ids, merged));
    return (await loader.load({ id: remoteId, selection })) as Contact | undefined;
  }

  async associations({ connection, port }: LookupClient, remoteId: string, to: AssociatedObject) {
    const key = `${connection.id} associations ${to}`;
    const loader = this.#recordsOf(key, (ids) => port.findAssociations(ids, to));
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

/** Look-ups by email of one connection that are made in the same tick. */
class EmailLookups {
  readonly #client: LookupClient;
  #lookups: EmailLookup[] = [];

  constructor(client: LookupClient) {
    this.#client = client;
  }

  get isEmpty(): boolean {
    return this.#lookups.length === 0;
  }

  add(emails: readonly string[], selection: FieldSelection): Promise<Contact[]> {
    return new Promise((resolve, reject) => {
      this.#lookups.push({ emails, selection, resolve, reject });
    });
  }

  run(): void {
    const lookups = this.#lookups;
    const { access, port } = this.#client;
    const [first] = lookups;
    const isOne = first !== undefined && lookups.length === 1;
    const emails = isOne ? first.emails : [...new Set(lookups.flatMap((lookup) => lookup.emails))];
    const selection = isOne
      ? first.selection
      : mergeSelections(lookups.map((one) => one.selection));
    const batches = splitBatches(emails, access.lookupBatch);
    let left = batches.length;
    /** By email. A call that fails does so for its own emails. */
    const found: Found = new Map();
    for (const batch of batches) {
      const settle = (part: ReadonlyMap<string, readonly Contact[]> | Error) => {
        for (const email of batch)
          found.set(email, part instanceof Error ? part : (part.get(email) ?? EMPTY));
        left -= 1;
        if (left === 0) for (const lookup of lookups) answer(lookup, found);
      };
      port.findByEmails(batch, selection).then(settle, settle);
    }
  }
}

function answer({ emails, resolve, reject }: EmailLookup, found: Found): void {
  const contacts: Contact[] = [];
  for (const email of emails) {
    const some = found.get(email) ?? EMPTY;
    if (some instanceof Error) {
      reject(some);
      return;
    }
    contacts.push(...some);
  }
  resolve(contacts);
}

type Found = Map<string, readonly Contact[] | Error>;

interface EmailLookup {
  readonly emails: readonly string[];
  readonly selection: FieldSelection;
  resolve(contacts: Contact[]): void;
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
  readonly access: Pick<ContactAccess, 'lookupBatch'>;
  readonly port: ContactPort;
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
