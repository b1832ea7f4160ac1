import type { RequestWork } from '../admission/work.ts';
import type { Connection } from '../domain/connection.ts';
import { AbandonedError, CrossbookError } from '../domain/errors.ts';
import type {
  BulkReader,
  CrmAdapter,
  CrmPort,
  KeysetRange,
  OpenedLinks,
  RecordAdapter,
  RecordPort,
} from '../domain/provider.ts';
import type { ListFilter } from '../domain/records/conditions.ts';
import type { AssociatedObject } from '../domain/records/contact.ts';
import type { LinkRequest, LinksById } from '../domain/records/link.ts';
import type { Owner } from '../domain/records/owner.ts';
import type { Pipeline } from '../domain/records/pipeline.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import { type FieldSelection, rawKey } from '../domain/records/record-search.ts';
import { RemoteFailure } from '../domain/remote.ts';
import type { SyncSource } from '../domain/sync.ts';
import type { ContactCache } from '../domain/tenant.ts';
import type { RecordWriter } from '../domain/writing.ts';
import type { FoundByKey, SharedCall } from './lookup-batcher.ts';
import type { ProviderClient } from './provider-client.ts';
import type { CallSource } from './send.ts';

/**
 * The records of a connection for one request. The steps of an operation, in order: it is counted as waiting, look-ups
 * by key are batched, the provider's adapter makes the calls, and `send.ts` sends each of them. Cheap, because it is
 * opened per request.
 */
export class ConnectionCrm implements CrmPort {
  readonly #client: ProviderClient;
  readonly #options: PortOptions;

  constructor(client: ProviderClient, options: PortOptions) {
    this.#client = client;
    this.#options = options;
  }

  of<Item extends CrmRecord>(kind: RecordKind<Item>): RecordPort<Item> {
    return new ConnectionRecords(this, kind);
  }

  /** Look-ups of contacts, of which there are many, share calls with other requests. */
  findByKey<Item extends CrmRecord>(
    kind: RecordKind<Item>,
    keys: readonly string[],
    selection: FieldSelection,
  ): Promise<FoundByKey<Item>> {
    const { connection, work } = this.#options;
    const find = (shared: SharedCall, all: readonly string[], merged: FieldSelection) =>
      this.#readRecords(shared, (adapter) => {
        const { findByKey } = adapterOf(adapter, kind);
        return findByKey ? findByKey(all, merged) : notOffered('Look-ups');
      });
    return this.#whileWaiting((deadline) =>
      this.#client.lookups.find({
        keys,
        selection,
        key: `${kind.key}${toMergeKey(connection, selection)}`,
        deadline,
        work,
        findByKey: (all, merged, shared) => find(shared, all, merged),
      }),
    ) as Promise<FoundByKey<Item>>;
  }

  /** Runs an operation on the records of a type. Their refusal is one of the connection. */
  read<Item extends CrmRecord, Found>(
    kind: RecordKind<Item>,
    operation: (records: RecordAdapter<Item>) => Promise<Found>,
  ): Promise<Found> {
    const run: Operation<Found> = (adapter) => operation(adapterOf(adapter, kind));
    return kind.type === 'CONTACT' ? this.#read(run) : this.readOther(run);
  }

  /** The connected user may be allowed to read contacts, and nothing else. */
  readOther<Found>(operation: Operation<Found>): Promise<Found> {
    return this.#whileWaiting((deadline) => this.#callAdapter(this.#ownCall(deadline), operation));
  }

  write<Result>(
    kind: RecordKind<CrmRecord>,
    operation: (writer: RecordWriter) => Promise<Result>,
  ): Promise<Result> {
    return this.#write((adapter) =>
      operation(adapterOf(adapter, kind).openWriter?.() ?? notOffered('Writes')),
    );
  }

  writeLinks<Result>(operation: (links: OpenedLinks) => Promise<Result>): Promise<Result> {
    return this.#write((adapter) =>
      operation({
        writer: adapter.links?.() ?? notOffered('Writes of links'),
        of: (kind) => adapterOf(adapter, kind),
      }),
    );
  }

  #write<Result>(operation: Operation<Result>): Promise<Result> {
    const callMs = this.#client.deps.settings.deadlineMs;
    return this.#whileWaiting((deadline) =>
      this.#callAdapter({ ...this.#ownCall(deadline), callMs }, operation),
    );
  }

  clockBehindMs(): number {
    return this.#client.clock.behindMs();
  }

  get bulk(): BulkReader {
    return {
      describe: (source) => this.#readBulk(source, (bulk) => bulk.describe(source)),
      readAll: (ask) => this.#readBulk(ask.source, (bulk) => bulk.readAll(ask)),
      readChanges: (ask) => this.#readBulk(ask.source, (bulk) => bulk.readChanges(ask)),
      find: (ask, ids) => this.#readBulk(ask.source, (bulk) => bulk.find(ask, ids)),
      readDeleted: (ask) => this.#readBulk(ask.source, (bulk) => bulk.readDeleted(ask)),
      readRelinked: (ask) =>
        this.readOther(({ bulk }) => bulk?.().readRelinked(ask) ?? notOffered('Syncs')),
    };
  }

  async links(
    kind: RecordKind<CrmRecord>,
    requests: readonly LinkRequest[],
  ): Promise<readonly (LinksById | Error)[]> {
    const results = await this.readOther(
      (adapter) => adapterOf(adapter, kind).links?.(requests) ?? notOffered('Links'),
    );
    // What fails for one request is not thrown.
    return results.map((one) => (one instanceof Error ? (this.#client.redact(one) as Error) : one));
  }

  pipelines(): Promise<readonly Pipeline[]> {
    return this.readOther(({ pipelines }) => pipelines?.() ?? notOffered('Pipelines'));
  }

  owners(): Promise<readonly Owner[]> {
    return this.readOther(({ owners }) => owners?.() ?? notOffered('Owners'));
  }

  /** Only a refusal of contacts is one of the connection. */
  #readBulk<Found>(
    { kind }: SyncSource,
    operation: (bulk: BulkReader) => Promise<Found>,
  ): Promise<Found> {
    const read: Operation<Found> = ({ bulk }) => (bulk ? operation(bulk()) : notOffered('Syncs'));
    return kind === 'CONTACTS' ? this.#read(read) : this.readOther(read);
  }

  #read<Found>(operation: Operation<Found>): Promise<Found> {
    return this.#whileWaiting((deadline) => this.#readRecords(this.#ownCall(deadline), operation));
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
  #readRecords<Found>(call: SharedCall, operation: Operation<Found>): Promise<Found> {
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
    { deadline, work, onProgress, callMs }: AdapterCall,
    operation: Operation<Found>,
  ): Promise<Found> {
    const { access, deps, facts, pageSizes, redact, remembered, send } = this.#client;
    const options = this.#options;
    const { connection, cache } = options;
    const source = work === options.work ? options : { ...options, work, onProgress };
    try {
      const adapter = access.open({
        connection,
        send: (request) => {
          const own = callMs === undefined ? deadline : deps.clock.now() + callMs;
          return send(source, request, Math.min(deadline, own));
        },
        openFacts: () => facts.of(cache, { clock: deps.clock, deadline, signal: work.signal }),
        pageSizes,
        remember: (name, read, maxAgeMs) => remembered.read(name, read, maxAgeMs),
      });
      const found = await operation(adapter);
      if (connection.statusReason === 'not_tried') this.#client.markTried(options);
      return found;
    } catch (error) {
      throw redact(error);
    }
  }
}

/** The records of one type. */
class ConnectionRecords<Item extends CrmRecord> implements RecordPort<Item> {
  readonly #crm: ConnectionCrm;
  readonly #kind: RecordKind<Item>;

  constructor(crm: ConnectionCrm, kind: RecordKind<Item>) {
    this.#crm = crm;
    this.#kind = kind;
  }

  findByKey(keys: readonly string[], selection: FieldSelection) {
    return this.#crm.findByKey(this.#kind, keys, selection);
  }

  readList(filter: ListFilter, range: KeysetRange, selection: FieldSelection) {
    return this.#crm.read(this.#kind, (records) => records.readList(filter, range, selection));
  }

  count(filter: ListFilter) {
    return this.#crm.read(this.#kind, (records) => records.count(filter));
  }

  findByIds(ids: readonly string[], selection: FieldSelection) {
    return this.#crm.read(this.#kind, (records) => records.findByIds(ids, selection));
  }

  listFields() {
    return this.#crm.read(this.#kind, ({ listFields }) => listFields?.() ?? notOffered('Fields'));
  }

  links(requests: readonly LinkRequest[]) {
    return this.#crm.links(this.#kind, requests);
  }

  related(ids: readonly string[], to: AssociatedObject) {
    return this.#crm.readOther(
      (adapter) => adapterOf(adapter, this.#kind).related?.(ids, to) ?? notOffered('Associations'),
    );
  }
}

function adapterOf<Item extends CrmRecord>(
  { records }: CrmAdapter,
  { type, nouns }: RecordKind<Item>,
): RecordAdapter<Item> {
  const open = records[type] as (() => RecordAdapter<Item>) | undefined;
  return open?.() ?? notOffered(`${nouns.charAt(0).toUpperCase()}${nouns.slice(1)}`);
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

interface AdapterCall extends SharedCall {
  /** The deadline of each call, where one of several must not take the time of all. */
  readonly callMs?: number;
}

type Operation<Found> = (adapter: CrmAdapter) => Promise<Found>;
