import type { Engine } from './engine/engine.ts';

/**
 * Cached answers on their way to the database. They wait for a moment and travel together: of many answers to one question
 * only the last is sealed and written. What the database cannot keep up with is let go, for a cache may.
 */
export function createContactCacheWriter({ engine, seal, delayMs }: WriterOptions): ContactCacheWriter {
  let waiting = new Map<string, WaitingEntry>();
  let records = 0;
  let next: { readonly written: Promise<void>; go(): void } | undefined;
  let underWay: { readonly keys: ReadonlySet<string>; readonly written: Promise<void> } | undefined;

  return {
    add(key, entry) {
      const known = waiting.get(key);
      if (known && known.fetchedAt > entry.fetchedAt) return Promise.resolve();
      records += entry.records - (known?.records ?? 0);
      waiting.delete(key);
      waiting.set(key, entry);
      for (const [oldest, { records: freed }] of waiting) {
        if (waiting.size <= MAX_ENTRIES && records <= MAX_RECORDS) break;
        waiting.delete(oldest);
        records -= freed;
      }
      next ??= schedule();
      return next.written;
    },

    async settle(key) {
      if (underWay?.keys.has(key)) await underWay.written.catch(ignore);
      if (waiting.has(key)) await writeNow();
    },

    async flush() {
      await underWay?.written.catch(ignore);
      await writeNow();
    },
  };

  async function writeNow(): Promise<void> {
    next?.go();
    await next?.written.catch(ignore);
  }

  function schedule() {
    let start = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const timer = setTimeout(start, delayMs);
    const go = () => {
      clearTimeout(timer);
      start();
    };
    return { written: started.then(write), go };
  }

  /** One after the other: a slow database is not given more at once. */
  async function write(): Promise<void> {
    await underWay?.written.catch(ignore);
    const entries = waiting;
    waiting = new Map();
    records = 0;
    next = undefined;
    const written = send([...entries.values()]);
    underWay = { keys: new Set(entries.keys()), written };
    try {
      await written;
    } finally {
      underWay = undefined;
    }
  }

  async function send(entries: readonly WaitingEntry[]): Promise<void> {
    const rows = entries.map(seal).filter((row) => row !== undefined);
    if (rows.length > 0) await engine.repeatable(() => engine.query(WRITE, [JSON.stringify(rows)]));
  }
}

/** Whoever added an answer is told what became of it. */
function ignore(): void {}

/**
 * Joined with the connections, so that nothing is kept for one that is gone, was changed meanwhile, or is another
 * application's. In the order of their keys, so that two processes do not wait for each other.
 */
const WRITE = {
  name: 'write_contact_cache',
  text: `
insert into crossbook.contact_cache as kept
  (application_id, key_hash, connection_id, sealed, bytes, fetched_at)
select fresh.application_id, fresh.key_hash, connections.id, fresh.sealed, length(fresh.sealed), fresh.fetched_at
from json_to_recordset($1::json) as fresh
  (application_id uuid, key_hash text, connection_id uuid, sealed text, fetched_at timestamptz)
join crossbook.connections on connections.id = fresh.connection_id
  and connections.application_id = fresh.application_id and connections.updated_at <= fresh.fetched_at
order by fresh.application_id, fresh.key_hash
for key share of connections
on conflict (application_id, key_hash) do update
  set sealed = excluded.sealed, bytes = excluded.bytes, fetched_at = excluded.fetched_at
  where kept.fetched_at <= excluded.fetched_at`,
};

/** Of one writing, and so of the second that it waits for. */
const MAX_ENTRIES = 250;
/** Contacts in all that waits: some tens of megabytes. */
const MAX_RECORDS = 20_000;

export interface ContactCacheWriter {
  /** Resolves when it has been written, or has been let go. */
  add(key: string, entry: WaitingEntry): Promise<void>;
  /** What waits under this key is written at once. */
  settle(key: string): Promise<void>;
  flush(): Promise<void>;
}

export interface WaitingEntry {
  readonly applicationId: string;
  readonly connectionId: string;
  readonly filterKey: string;
  readonly fetchedAt: Date;
  readonly records: number;
  payload(): string;
}

/** As the statement reads it. */
export interface CacheRow {
  readonly application_id: string;
  readonly key_hash: string;
  readonly connection_id: string;
  readonly sealed: string;
  readonly fetched_at: Date;
}

interface WriterOptions {
  readonly engine: Engine;
  /** Undefined where it is too large. */
  seal(entry: WaitingEntry): CacheRow | undefined;
  readonly delayMs: number;
}
