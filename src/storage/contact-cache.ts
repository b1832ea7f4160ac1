import { BACKGROUND_WORK } from '../admission/work.ts';
import type { CacheEntry, ContactCache } from '../domain/tenant.ts';
import { createBatcher } from '../lib/batcher.ts';
import { backgroundClock, createIdleThrottle } from '../lib/clock.ts';
import { isUnavailable } from './engine/failures.ts';
import type { Engine } from './engine/postgres.ts';
import type { Sealer } from './sealing.ts';

/** The write-behind queue is shared by the caches of all applications. */
export function createContactCache(deps: Deps) {
  const { engine, sealer, hash, now } = deps;
  const writer = createContactCacheWriter(deps);
  return {
    /** Writes queued entries now. */
    flush: writer.flush,
    /** Reads are the application's own statements; entries of all applications are written together. */
    forApplication: (applicationId: string, work = BACKGROUND_WORK): ContactCache => ({
      read: async (connectionId, filterKey, { outlivesWrites = false } = {}) => {
        const { query } = engine.forApplication(applicationId);
        const key = toKey(applicationId, connectionId, filterKey);
        await writer.settle(key);
        const keyHash = hash(key);
        const [row] = await query<CachedRow>(READ_CONTACT_CACHE, [
          applicationId,
          keyHash,
          outlivesWrites,
        ]);
        if (!row) return undefined;
        const { sealed, fetchedAt } = row;
        const waiting = work.read(sealed.length);
        if (waiting) await waiting;
        const payload = sealer.open(sealed, bindingOf(keyHash));
        return payload === undefined ? undefined : { payload, fetchedAt };
      },
      write: (entry) => {
        const waiting = { applicationId, ...entry };
        const written = writer.add(waiting);
        if (entry.isUrgent) void writer.settle(keyOf(waiting));
        return written;
      },
      refuse: async (connectionId) => {
        const { query } = engine.forApplication(applicationId);
        await query(REFUSE_CONNECTION, [applicationId, connectionId, now().toISOString()]);
      },
    }),
  };
}

function keyOf({ applicationId, connectionId, filterKey }: WaitingEntry): string {
  return toKey(applicationId, connectionId, filterKey());
}

function toKey(applicationId: string, connectionId: string, filterKey: string): string {
  return `${JSON.stringify([applicationId, connectionId])}${filterKey}`;
}

/**
 * What was fetched before the last change of the connection, or before the provider last refused to let its contacts
 * be read, is neither served nor stored.
 */
function isAfterChanges(entry: 'stored' | 'fresh'): string {
  return `${entry}.fetched_at >= connection.updated_at
    and ${entry}.fetched_at > coalesce(connection.refused_at, '-infinity')`;
}

/** Records that were fetched before the last write may have other values now. What describes the CRM has not. */
function isAfterWrites(entry: 'stored' | 'fresh', outlivesWrites: string): string {
  return `(${outlivesWrites} or ${entry}.fetched_at > coalesce(connection.written_at, '-infinity'))`;
}

const READ_CONTACT_CACHE = {
  name: 'read_contact_cache',
  text: `
select stored.sealed, stored.fetched_at as "fetchedAt"
from crossbook.contact_cache as stored
join crossbook.connections as connection
  on connection.id = stored.connection_id and connection.application_id = stored.application_id
where stored.application_id = $1::uuid and stored.key_hash = $2::text 
  and ${isAfterChanges('stored')} and ${isAfterWrites('stored', '$3::boolean')}`,
};

const REFUSE_CONNECTION = {
  name: 'refuse_connection',
  text: `
with refused as (
  update crossbook.connections set refused_at = $3::timestamptz
  where application_id = $1::uuid and id = $2::uuid
  returning id
)
delete from crossbook.contact_cache
where application_id = $1::uuid and connection_id in (select id from refused)`,
};

/** The binding of an entry to its key hash: a ciphertext only opens in its own row. */
function bindingOf(keyHash: string): string {
  return `contact_cache.sealed ${keyHash}`;
}

/**
 * The write-behind queue of the contact cache. Entries wait briefly, so that of several results of one query only the
 * last is serialized, encrypted and written, in small batches: under load responses take precedence. When the queue
 * is full new entries are dropped, because queued ones already occupy the old generation.
 */
function createContactCacheWriter({ engine, sealer, hash, maxEntryBytes, delayMs }: Deps) {
  /** Unwritten entries by key. */
  const queued = new Map<string, Queued>();
  let inFlight: readonly Queued[] = [];
  let weight = 0;
  let pausedUntil = 0;
  const idleThrottle = createIdleThrottle();
  const batcher = createBatcher<Queued>({
    // The timers do not keep the process alive; shutdown flushes.
    clock: backgroundClock,
    run: writeBatch,
    // One write at a time, so that a slow database is not overloaded.
    maxConcurrent: 1,
    maxSize: BATCH_RECORDS,
    createSizer: () => (one) => one.entry.weight,
    pauseMs: (_, next) => Math.max(next.due, pausedUntil) - backgroundClock.now(),
  });

  return {
    /** Resolves when it is written or dropped. */
    add(entry: WaitingEntry): Promise<void> {
      if (queued.size >= MAX_ENTRIES || weight + entry.weight > MAX_RECORDS) return DROPPED;
      const key = keyOf(entry);
      const existing = queued.get(key);
      if (!existing) return enqueue(key, entry);
      if (existing.entry.fetchedAt > entry.fetchedAt) return existing.written;
      // The entry keeps its position, or a frequently updated one would never be written.
      weight += entry.weight - existing.entry.weight;
      existing.entry = entry;
      return existing.written;
    },

    /** Writes the queued entry of this key now, or drops it. Never rejects. */
    async settle(key: string) {
      const one = queued.get(key) ?? inFlight.find((other) => other.key === key);
      if (!one) return;
      batcher.hurry(one);
      // A failed write does not fail the reader; it finds no entry.
      await one.written.catch(() => undefined);
    },

    async flush() {
      const all = [...inFlight, ...queued.values()];
      for (const one of queued.values()) batcher.hurry(one);
      await Promise.allSettled(all.map(({ written }) => written));
    },
  };

  function enqueue(key: string, entry: WaitingEntry): Promise<void> {
    let settle: Queued['settle'] = () => {};
    const written = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const due = backgroundClock.now() + delayMs;
    const one: Queued = { key, entry, written, settle, due };
    queued.set(key, one);
    weight += entry.weight;
    batcher.add(one);
    return written;
  }

  function dequeue(batch: readonly Queued[]): void {
    for (const one of batch) {
      queued.delete(one.key);
      weight -= one.entry.weight;
    }
  }

  async function writeBatch(batch: readonly Queued[]): Promise<void> {
    const began = backgroundClock.now();
    dequeue(batch);
    inFlight = batch;
    const written = write(batch);
    for (const { settle } of batch) settle(written);
    await written.catch((error) => {
      if (isUnavailable(error)) dropQueue(written);
    });
    inFlight = [];
    const ended = backgroundClock.now();
    pausedUntil = ended + idleThrottle.pauseAfter(ended - began);
  }

  /** Drops the whole queue after a failure: each further batch would fail the same way, and delay its readers. */
  function dropQueue(failed: Promise<void>): void {
    const dropped = batcher.removeWhere(() => true);
    dequeue(dropped);
    for (const { settle } of dropped) settle(failed);
  }

  async function write(batch: readonly Queued[]): Promise<void> {
    const rows: NonNullable<ReturnType<typeof seal>>[] = [];
    for (const one of batch) {
      const row = seal(one);
      if (row) rows.push(row);
    }
    if (rows.length > 0) await engine.query(WRITE_CONTACT_CACHE, [JSON.stringify(rows)]);
  }

  /** A record may be nested deeper than the call stack allows: it must not keep other entries from being written. */
  function serialize(entry: WaitingEntry): string | undefined {
    try {
      return entry.payload(maxEntryBytes);
    } catch {
      return undefined;
    }
  }

  /** The row for the statement. Undefined if it is too large. */
  function seal({ key, entry }: Queued) {
    const payload = serialize(entry);
    // Encryption only adds length, so an oversized payload can be skipped.
    if (payload === undefined || payload.length > maxEntryBytes) return undefined;
    const keyHash = hash(key);
    const sealed = sealer.seal(payload, bindingOf(keyHash));
    if (sealed.length > maxEntryBytes) return undefined;
    const { applicationId, connectionId, fetchedAt } = entry;
    const place = { application_id: applicationId, key_hash: keyHash, connection_id: connectionId };
    const outlivesWrites = entry.outlivesWrites ?? false;
    return { ...place, sealed, fetched_at: fetchedAt, outlives_writes: outlivesWrites };
  }
}

const DROPPED = Promise.resolve();

/** The maximum of queued entries. */
const MAX_ENTRIES = 250;
/** The maximum of their weights: some megabytes, which the garbage collector scans repeatedly. */
const MAX_RECORDS = 5_000;
/** The maximum of contacts per write, which blocks the event loop for some milliseconds. */
const BATCH_RECORDS = 200;

/**
 * Joins the connections, so that nothing is cached for one that is deleted, was changed meanwhile, or belongs to
 * another application. Ordered by key, so that two processes cannot deadlock.
 */
const WRITE_CONTACT_CACHE = {
  name: 'write_contact_cache',
  text: `
insert into crossbook.contact_cache as stored
  (application_id, key_hash, connection_id, sealed, bytes, fetched_at)
select fresh.application_id, fresh.key_hash, connection.id, fresh.sealed, length(fresh.sealed), fresh.fetched_at
from json_to_recordset($1::json) as fresh
  (application_id uuid, key_hash text, connection_id uuid, sealed text, fetched_at timestamptz, outlives_writes boolean)
join crossbook.connections as connection on connection.id = fresh.connection_id
  and connection.application_id = fresh.application_id and ${isAfterChanges('fresh')}
  and ${isAfterWrites('fresh', 'coalesce(fresh.outlives_writes, false)')}
order by fresh.application_id, fresh.key_hash
for key share of connection
on conflict (application_id, key_hash) do update
  set sealed = excluded.sealed, bytes = excluded.bytes, fetched_at = excluded.fetched_at
  where stored.fetched_at <= excluded.fetched_at`,
};

interface Deps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly hash: (value: string) => string;
  readonly maxEntryBytes: number;
  /** Wall-clock time. */
  now(): Date;
  /** How long an entry waits for others to be written with. */
  readonly delayMs: number;
}

interface WaitingEntry extends CacheEntry {
  readonly applicationId: string;
}

interface CachedRow {
  readonly sealed: string;
  readonly fetchedAt: Date;
}

interface Queued {
  readonly key: string;
  /** The newest result of the query. */
  entry: WaitingEntry;
  readonly written: Promise<void>;
  settle(written: Promise<void>): void;
  /** The earliest time of writing. */
  readonly due: number;
}
