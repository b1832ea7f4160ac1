import DataLoader from 'dataloader';
import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import {
  type FieldSelection,
  mergeSelections,
  type SelectedFields,
} from '../domain/contact-search.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';
import type { Tenant } from '../domain/tenant.ts';

/** Batches the reads of one request that are made in the same tick. */
export function createLoaders(tenant: Tenant) {
  const customers = { complete: loadCustomers(true), plain: loadCustomers(false) };
  const cachedReads = new Map<string, Promise<unknown>>();
  let connections: DataLoader<ConnectionTarget, Connection | undefined> | undefined;
  let customerIds: DataLoader<string, string | undefined> | undefined;
  const emails = new EmailLoader();
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

    /** Forgets a customer that has changed. */
    invalidateCustomer(id: string): void {
      customers.complete.clear(id);
      customers.plain.clear(id);
      cachedReads.clear();
    },

    /** The calling function owns the returned list and may change it. */
    lookup: (client: LookupClient, wanted: readonly string[], selection: FieldSelection) =>
      emails.find(client, wanted, selection),

    contact({ connection, port }: LookupClient, remoteId: string, selection: FieldSelection) {
      const loader = loaderFor(`${connection.id}:id:${selection.rawData}`, (ids, merged) =>
        port.findByIds(ids, merged),
      );
      return loader.load({ name: remoteId, selection }) as Promise<Contact | undefined>;
    },

    async associations({ connection, port }: LookupClient, remoteId: string, to: AssociatedObject) {
      const loader = loaderFor(`${connection.id}:${to}`, (ids) => {
        if (!port.findAssociations)
          throw new CrossbookError('NOT_IMPLEMENTED', 'No associations here.');
        return port.findAssociations(ids, to);
      });
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
  function loaderFor(name: string, load: LoadBatch) {
    const known = loadersByKey.get(name);
    if (known) return known;
    const loader = new DataLoader<RecordKey, unknown, string>(
      async (keys) => {
        const names = [...new Set(keys.map((key) => key.name))];
        const found = await load(names, mergeSelections(keys.map(({ selection }) => selection)));
        return keys.map((key) => found.get(key.name));
      },
      {
        maxBatchSize: MAX_IDS,
        cacheKeyFn: ({ name: recordName, selection }) =>
          `${nameSelection(selection)}:${recordName}`,
      },
    );
    loadersByKey.set(name, loader);
    return loader;
  }
}

/**
 * Batches the look-ups by email of one request: emails of the same tick share calls up to the provider's batch size,
 * and the same fields of an email are looked up once per request. (`outbound/lookup-batcher.ts` then combines
 * look-ups of several requests into one call.)
 */
export class EmailLoader {
  readonly #byKey = new Map<string, EmailBatch>();
  /** Batches that are not dispatched yet, by connection and kind of look-up. */
  readonly #waiting = new Map<string, EmailBatch>();

  /** The calling function owns the returned list. Full batches are dispatched at once, because waiting would not add to them. */
  find(
    client: LookupClient,
    emails: readonly string[],
    selection: FieldSelection,
  ): Promise<Contact[]> {
    const { lookupBatch } = client.access;
    const fullBatchesLength = emails.length - (emails.length % lookupBatch);
    if (fullBatchesLength === 0) return this.#findTogether(client, emails, selection);
    const full = findFullBatches(client.port, emails.slice(0, fullBatchesLength), selection);
    if (fullBatchesLength === emails.length) return full;
    const rest = this.#findTogether(client, emails.slice(fullBatchesLength), selection);
    return Promise.all([full, rest]).then((found) => found.flat());
  }

  async #findTogether(
    client: LookupClient,
    emails: readonly string[],
    selection: FieldSelection,
  ): Promise<Contact[]> {
    const kind = `${client.connection.id}:${selection.rawData}`;
    const prefix = `${kind}:${nameSelection(selection)}:`;
    const batches = emails.map((email) =>
      this.#join(client, kind, { name: prefix + email, email, selection }),
    );
    const [first] = batches;
    const isAlone = first !== undefined && batches.length === 1;
    const found = isAlone
      ? [await first.found]
      : await Promise.all(batches.map((batch) => batch.found));
    return emails.flatMap((email, index) => found[index]?.get(email) ?? EMPTY);
  }

  #join(client: LookupClient, kind: string, { name, email, selection }: EmailKey): EmailBatch {
    const known = this.#byKey.get(name);
    if (known) return known;
    const batch = this.#waiting.get(kind) ?? this.#openBatch(client, kind);
    this.#byKey.set(name, batch);
    batch.emails.add(email);
    batch.selections.add(selection);
    if (batch.emails.size === client.access.lookupBatch) this.#waiting.delete(kind);
    return batch;
  }

  /** Requests the union of all fields, because calls cost more than fields. */
  #openBatch({ port }: LookupClient, kind: string): EmailBatch {
    const emails = new Set<string>();
    const selections = new Set<FieldSelection>();
    const found = atEndOfTick().then(() => {
      if (this.#waiting.get(kind) === batch) this.#waiting.delete(kind);
      return port.findByEmails([...emails], mergeSelections([...selections]));
    });
    const batch: EmailBatch = { emails, selections, found };
    this.#waiting.set(kind, batch);
    return batch;
  }
}

/** Resolves after all work of the current tick. */
function atEndOfTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

async function findFullBatches(
  port: ContactPort,
  emails: readonly string[],
  selection: FieldSelection,
): Promise<Contact[]> {
  const contacts: Contact[] = [];
  for (const ofOne of (await port.findByEmails(emails, selection)).values())
    contacts.push(...ofOne);
  return contacts;
}

function nameSelection({ fields, custom }: FieldSelection): string {
  return custom ? `${nameFields(fields)} ${custom.names.join()}` : nameFields(fields);
}

function nameFields(fields: SelectedFields | undefined): string {
  if (!fields) return '*';
  const known = names.get(fields) ?? [...fields].sort().join();
  names.set(fields, known);
  return known;
}

/** Memoized, because one search looks up a thousand emails with the same selection. */
const names = new WeakMap<SelectedFields, string>();

type FoundByEmail = Awaited<ReturnType<ContactPort['findByEmails']>>;

interface EmailBatch {
  readonly emails: Set<string>;
  readonly selections: Set<FieldSelection>;
  readonly found: Promise<FoundByEmail>;
}

/** Equal emails with equal field selections have the same name. */
interface EmailKey extends RecordKey {
  readonly email: string;
}

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
