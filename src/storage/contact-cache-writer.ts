import { systemClock } from '../lib/clock.ts';
import { createSpareTime } from '../lib/spare-time.ts';
import { type CacheRow, WRITE_CONTACT_CACHE } from './contact-cache-statement.ts';
import type { Engine } from './engine/engine.ts';
import { isAway } from './engine/failures.ts';

/**
 * Cached answers on their way to the database. They wait for a moment, so that of many answers to one question only the
 * last is made, sealed and written, and go a few at a time: under load the answers come first, and the process has little
 * time for this. What does not fit among those that wait is let go, for a cache may. It is the newcomer that goes: it has
 * cost nothing yet, while what was kept for long costs the garbage collector dearly.
 */
export function createContactCacheWriter(options: WriterOptions): ContactCacheWriter {
  const { engine, seal, keyOf, delayMs } = options;
  const waiting = new Map<string, Waiting>();
  const spareTime = createSpareTime();
  let records = 0;
  let underWay: ReadonlyMap<string, Waiting> = new Map();
  let turn: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isSlicing = false;

  return {
    add(entry) {
      if (waiting.size >= MAX_ENTRIES || records + entry.records > MAX_RECORDS) return LET_GO;
      const key = keyOf(entry);
      const known = waiting.get(key);
      if (known && known.entry.fetchedAt > entry.fetchedAt) return known.written;
      records += entry.records - (known?.entry.records ?? 0);
      // Asked again and again it keeps its place, else it would never be written.
      const joined = known ? { ...known, entry } : join(entry);
      waiting.set(key, joined);
      if (!isSlicing) wakeIn(delayMs);
      return joined.written;
    },

    async settle(key) {
      const one = waiting.get(key) ?? underWay.get(key);
      if (waiting.has(key)) void inTurn(() => write(take([key])));
      // Whether it can be read is for the reader to find out.
      await one?.written.catch(() => undefined);
    },

    flush() {
      clearTimeout(timer);
      timer = undefined;
      return inTurn(() => write(take([...waiting.keys()])));
    },
  };

  function join(entry: WaitingEntry): Waiting {
    let settle: Waiting['settle'] = () => {};
    const written = new Promise<void>((resolve) => {
      settle = resolve;
    });
    return { entry, written, settle, due: systemClock.now() + delayMs };
  }

  /** Keeps no process alive: one that ends flushes. */
  function wakeIn(ms: number): void {
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      isSlicing = true;
      void inTurn(writeSlice);
    }, ms).unref();
  }

  /** One after the other: a slow database is not given more at once. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    turn = turn.then(work);
    return turn;
  }

  async function writeSlice(): Promise<void> {
    const began = systemClock.now();
    await write(take(nextKeys(began)));
    const ended = systemClock.now();
    isSlicing = false;
    const [first] = waiting.values();
    if (first) wakeIn(Math.max(first.due - ended, spareTime.restAfter(ended - began)));
  }

  function nextKeys(now: number): readonly string[] {
    const keys: string[] = [];
    let size = 0;
    for (const [key, { entry, due }] of waiting) {
      if (due > now || (size > 0 && size + entry.records > SLICE_RECORDS)) break;
      keys.push(key);
      size += entry.records;
    }
    return keys;
  }

  function take(keys: readonly string[]): ReadonlyMap<string, Waiting> {
    const taken = new Map<string, Waiting>();
    for (const key of keys) {
      const one = waiting.get(key);
      if (!one) continue;
      waiting.delete(key);
      records -= one.entry.records;
      taken.set(key, one);
    }
    return taken;
  }

  /** Never rejects: whoever added an answer is told what became of it. */
  async function write(entries: ReadonlyMap<string, Waiting>): Promise<void> {
    underWay = entries;
    const written = send(entries);
    for (const { settle } of entries.values()) settle(written);
    await written.catch((error) => {
      if (isAway(error)) letGo(written);
    });
    underWay = new Map();
  }

  /** One after the other they would all find out the same, and keep whoever asks for them waiting for that. */
  function letGo(failed: Promise<void>): void {
    for (const { settle } of take([...waiting.keys()]).values()) settle(failed);
  }

  async function send(entries: ReadonlyMap<string, Waiting>): Promise<void> {
    const rows = [...entries].map(([key, { entry }]) => seal(key, entry)).filter((row) => row !== undefined);
    if (rows.length > 0)
      await engine.repeatable(() => engine.query(WRITE_CONTACT_CACHE, [JSON.stringify(rows)]));
  }
}

const LET_GO = Promise.resolve();

/** Of what waits. */
const MAX_ENTRIES = 250;
/** Contacts in all that waits: some megabytes, which the garbage collector goes through again and again. */
const MAX_RECORDS = 5_000;
/** Contacts that are written together: some milliseconds in which nothing else is done. */
const SLICE_RECORDS = 200;

export interface ContactCacheWriter {
  /** Resolves when it has been written, or has been let go. */
  add(entry: WaitingEntry): Promise<void>;
  /** What waits under this key is written at once, or let go. Never rejects. */
  settle(key: string): Promise<void>;
  flush(): Promise<void>;
}

export interface WaitingEntry {
  readonly applicationId: string;
  readonly connectionId: string;
  readonly fetchedAt: Date;
  readonly records: number;
  filterKey(): string;
  payload(): string;
}

interface Waiting {
  readonly entry: WaitingEntry;
  readonly written: Promise<void>;
  settle(written: Promise<void>): void;
  /** Not written before. */
  readonly due: number;
}

interface WriterOptions {
  readonly engine: Engine;
  /** Undefined where it is too large. */
  seal(key: string, entry: WaitingEntry): CacheRow | undefined;
  keyOf(entry: WaitingEntry): string;
  readonly delayMs: number;
}
