import type { RequestWork } from '../admission/work.ts';
import type { Connection } from '../domain/connection.ts';
import type { AssociatedObject } from '../domain/contact.ts';
import type { ListFilter, PhoneFilter } from '../domain/contact-filter.ts';
import { type FieldSelection, rawKey } from '../domain/contact-search.ts';
import { AbandonedError, CrossbookError } from '../domain/errors.ts';
import type { ContactAdapter, ContactPort, KeysetRange, RecordReader } from '../domain/provider.ts';
import { RemoteFailure } from '../domain/remote.ts';
import type { SyncSource } from '../domain/sync.ts';
import type { ContactCache } from '../domain/tenant.ts';
import type { FoundByEmail, SharedCall } from './lookup-batcher.ts';
import type { ProviderClient } from './provider-client.ts';
import type { CallSource } from './send.ts';

/**
 * The contacts of a connection for one request. The steps of an operation, in order: it is counted as waiting, look-ups
 * by email are batched, the provider's adapter makes the calls, and `send.ts` sends each of them. Cheap, because it is
 * opened per request.
 */
export class ConnectionContacts implements ContactPort {
  readonly #client: ProviderClient;
  readonly #options: PortOptions;

  constructor(client: ProviderClient, options: PortOptions) {
    this.#client = client;
    this.#options = options;
  }

  findByEmails(emails: readonly string[], selection: FieldSelection): Promise<FoundByEmail> {
    const { connection, work } = this.#options;
    const key = toMergeKey(connection, selection);
    return this.#whileWaiting((deadline) =>
      this.#client.lookups.find({
        emails,
        selection,
        key,
        deadline,
        work,
        findByEmails: (all, merged, shared) =>
          this.#readContacts(shared, (adapter) => adapter.findByEmails(all, merged)),
      }),
    );
  }

  findByPhone(phone: PhoneFilter, selection: FieldSelection) {
    return this.#read((adapter) => adapter.findByPhone(phone, selection));
  }

  readList(filter: ListFilter, range: KeysetRange, selection: FieldSelection) {
    return this.#read((adapter) => adapter.readList(filter, range, selection));
  }

  count(filter: ListFilter) {
    return this.#read((adapter) => adapter.count(filter));
  }

  findByIds(ids: readonly string[], selection: FieldSelection) {
    return this.#read((adapter) => adapter.findByIds(ids, selection));
  }

  listFields() {
    return this.#read((adapter) => adapter.listFields?.() ?? notOffered('Fields'));
  }

  findAssociations(ids: readonly string[], to: AssociatedObject) {
    return this.#whileWaiting((deadline) =>
      this.#callAdapter(
        this.#ownCall(deadline),
        (adapter) => adapter.findAssociations?.(ids, to) ?? notOffered('Associations'),
      ),
    );
  }

  clockBehindMs(): number {
    return this.#client.clock.behindMs();
  }

  get records(): RecordReader {
    return {
      describe: (source) => this.#readRecords(source, (records) => records.describe(source)),
      readAll: (ask) => this.#readRecords(ask.source, (records) => records.readAll(ask)),
      readChanges: (ask) => this.#readRecords(ask.source, (records) => records.readChanges(ask)),
      find: (ask, ids) => this.#readRecords(ask.source, (records) => records.find(ask, ids)),
      readDeleted: (ask) => this.#readRecords(ask.source, (records) => records.readDeleted(ask)),
    };
  }

  /** Only a refusal of contacts is one of the connection. */
  #readRecords<Found>(
    { kind }: SyncSource,
    operation: (records: RecordReader) => Promise<Found>,
  ): Promise<Found> {
    const read: Operation<Found> = ({ records }) =>
      records ? operation(records) : notOffered('Records');
    if (kind === 'CONTACTS') return this.#read(read);
    return this.#whileWaiting((deadline) => this.#callAdapter(this.#ownCall(deadline), read));
  }

  #read<Found>(operation: Operation<Found>): Promise<Found> {
    return this.#whileWaiting((deadline) => this.#readContacts(this.#ownCall(deadline), operation));
  }

  /** A call that no other request shares. */
  #ownCall(deadline: number): SharedCall {
    return { deadline, work: this.#options.work };
  }

  /** Runs an operation with one deadline. */
  #whileWaiting<Found>(call: (deadline: number) => Promise<Found>): Promise<Found> {
    const { work, deadline } = this.#options;
    const { deps, owners } = this.#client;
    // No further calls are made for a client that has disconnected.
    if (work.signal?.isAborted) return Promise.reject(new AbandonedError());
    let leave: () => void;
    try {
      leave = deps.waiting.enter(owners);
    } catch (refusal) {
      return Promise.reject(refusal);
    }
    return call(deadline ?? deps.clock.now() + deps.settings.deadlineMs).then(
      (found) => {
        leave();
        return found;
      },
      (error) => {
        leave();
        throw error;
      },
    );
  }

  /** Where the provider refuses to let contacts be read, those that were read before are not served any more. */
  #readContacts<Found>(call: SharedCall, operation: Operation<Found>): Promise<Found> {
    const { connectionId } = this.#client;
    return this.#callAdapter(call, async (adapter) => {
      try {
        return await operation(adapter);
      } catch (error) {
        // The client learns of the refusal even if the database is unavailable.
        if (isRefusal(error)) await this.#options.cache.refuse(connectionId).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Runs the adapter, whose calls the client sends. Errors of the adapter are redacted. */
  async #callAdapter<Found>(
    { deadline, work, onProgress }: SharedCall,
    operation: Operation<Found>,
  ): Promise<Found> {
    const { access, deps, facts, pageSizes, redact, send } = this.#client;
    const options = this.#options;
    const { connection, cache } = options;
    const source = work === options.work ? options : { ...options, work, onProgress };
    try {
      const adapter = access.open({
        connection,
        send: (request) => send(source, request, deadline),
        openFacts: () => facts.of(cache, { clock: deps.clock, deadline, signal: work.signal }),
        pageSizes,
      });
      const found = await operation(adapter);
      if (connection.statusReason === 'not_tried') this.#client.markTried(options);
      return found;
    } catch (error) {
      throw redact(error);
    }
  }
}

/** A refusal of the call itself: one of a token refresh may be temporary, and is no RemoteFailure any more. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof RemoteFailure &&
    (error.code === 'REMOTE_PROVIDER_UNAUTHORIZED' || error.code === 'REMOTE_PROVIDER_FORBIDDEN')
  );
}

/** Look-ups with different credentials cannot share a call, nor those with different sources of custom fields. */
function toMergeKey(connection: Connection, selection: FieldSelection): string {
  const { rawData, rawFields, customFields } = selection;
  const key = toRecordKey(connection, rawData);
  const raw = rawFields ? `${key} ${rawKey(selection)}` : key;
  return customFields ? `${raw} ${customFields.key}` : raw;
}

/** Raw data depends on the connection's field mappings. */
function toRecordKey(connection: Connection, rawData: boolean): string {
  if (!rawData) return String(connection.credentialsVersion);
  const known = rawDataKeys.get(connection);
  if (known !== undefined) return known;
  const { schemaMappingsConfig, entityMappings, credentialsVersion } = connection;
  const key = JSON.stringify([credentialsVersion, schemaMappingsConfig, entityMappings]);
  rawDataKeys.set(connection, key);
  return key;
}

/** Memoized, because mappings are up to 64 KiB, and one request may look up a thousand emails. */
const rawDataKeys = new WeakMap<Connection, string>();

function notOffered(what: string): never {
  throw new CrossbookError('NOT_IMPLEMENTED', `${what} are not supported by this provider.`);
}

/** Options of the request that the port is opened for. */
export interface PortOptions extends Omit<CallSource, 'onProgress'> {
  /** The cache for facts about the connection. */
  readonly cache: ContactCache;
  readonly work: RequestWork;
  /** Monotonic time. Absent: each operation has `deadlineMs`. */
  readonly deadline?: number | undefined;
}

type Operation<Found> = (adapter: ContactAdapter) => Promise<Found>;
