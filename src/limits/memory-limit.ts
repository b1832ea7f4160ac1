import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { HELD_KINDS, type HeldKind, type HeldOwners, type Hold } from '../domain/resources.ts';

/** Accounts for the memory that clients and providers make the process hold, in total and per owner. */
export function createMemoryLimit({ maxBytes }: { readonly maxBytes: number }) {
  const process: Account = { held: 0, holds: 0, max: maxBytes };
  const addresses = createAccounts(maxBytes * SHARES.address);
  const strangers: Account = { held: 0, holds: 0, max: maxBytes * SHARES.strangers };
  const strangerAddresses = createAccounts(maxBytes * SHARES.strangerAddress);
  const applications = createAccounts(maxBytes * SHARES.application);
  const connections = createAccounts(maxBytes * SHARES.connection);
  const owners = [addresses, strangerAddresses, applications, connections];
  const kinds = Object.fromEntries(
    HELD_KINDS.map((kind) => [kind, { held: 0, refused: 0 }]),
  ) as Kinds;

  return {
    open,

    acquire(held: HeldOwners, kind: HeldKind, bytes: number): Hold | undefined {
      const hold = open(held, kind);
      if (hold.grow(bytes)) return hold;
      hold.release();
      return undefined;
    },

    counts: () => ({ held: process.held, max: maxBytes, kinds }),
    /** The number of owners that hold something. */
    countOwners: () => sum(owners, ({ countHolding }) => countHolding()),
    /** The number of accounts in memory. */
    countAccounts: () => sum(owners, ({ size }) => size()),
  };

  function open({ address, application, connection }: HeldOwners, kind: HeldKind): Hold {
    const isStranger = address !== undefined && application === undefined;
    return new CountedHold(kinds[kind], [
      process,
      (isStranger ? strangerAddresses : addresses).find(address),
      isStranger ? strangers : applications.find(application),
      connections.find(connection),
    ]);
  }
}

class CountedHold implements Hold {
  readonly #kind: Kinds[HeldKind];
  readonly #accounts: readonly Account[];
  isReleased = false;
  bytes = 0;

  constructor(kind: Kinds[HeldKind], accounts: readonly Account[]) {
    this.#kind = kind;
    this.#accounts = accounts;
    for (const account of accounts) account.holds += 1;
  }

  grow(bytes: number): boolean {
    if (!(bytes >= 0)) throw new RangeError(`A hold cannot grow by ${bytes} bytes.`);
    if (this.isReleased) return false;
    for (const { held, max } of this.#accounts) {
      if (held + bytes <= max) continue;
      this.#kind.refused += 1;
      return false;
    }
    this.#add(bytes);
    return true;
  }

  shrink(bytes: number): void {
    if (!(bytes >= 0)) throw new RangeError(`A hold cannot shrink by ${bytes} bytes.`);
    if (!this.isReleased) this.#add(-Math.min(bytes, this.bytes));
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.#add(-this.bytes);
    for (const account of this.#accounts) account.holds -= 1;
  }

  #add(bytes: number): void {
    this.bytes += bytes;
    this.#kind.held += bytes;
    for (const account of this.#accounts) account.held += bytes;
  }
}

function createAccounts(max: number) {
  const accounts = new Map<string, Account>();
  /** The account for holds without an owner of this kind. */
  const unowned: Account = { held: 0, holds: 0, max: Number.POSITIVE_INFINITY };
  let nextSweep = KEPT_ACCOUNTS;
  return {
    find(name: string | undefined): Account {
      if (name === undefined) return unowned;
      const known = accounts.get(name);
      if (known) return known;
      if (accounts.size >= nextSweep) sweep();
      const account = { held: 0, holds: 0, max };
      accounts.set(name, account);
      return account;
    },
    countHolding: () => [...accounts.values()].filter(({ holds }) => holds !== 0).length,
    size: () => accounts.size,
  };

  /** Empty accounts are kept for reuse while there are few. */
  function sweep(): void {
    for (const [name, { holds }] of accounts) if (holds === 0) accounts.delete(name);
    nextSweep = Math.max(KEPT_ACCOUNTS, accounts.size * 2);
  }
}

function sum<Item>(items: readonly Item[], read: (item: Item) => number): number {
  return items.reduce((total, item) => total + read(item), 0);
}

const KEPT_ACCOUNTS = 1_024;

export type MemoryLimit = ReturnType<typeof createMemoryLimit>;

/**
 * The share of the total that one owner may hold, so that others always find some left. Unauthenticated clients share
 * one account, because an attacker may have many addresses.
 */
const SHARES = {
  address: 1 / 2,
  strangers: 1 / 4,
  strangerAddress: 1 / 8,
  application: 3 / 4,
  connection: 1 / 2,
} as const;

/**
 * The default limit. Bodies are outside of the heap and parsed values inside, so the smaller share of both is the
 * limit.
 */
export function defaultMaxHeldBytes(memory: Memory = readMemory()): number {
  return Math.floor(Math.min(memory.heapBytes / 3, memory.systemBytes / 4));
}

/** The container's memory limit (cgroup v1 or v2) where it has one, else the machine's memory. */
function readMemory(): Memory {
  return {
    heapBytes: getHeapStatistics().heap_size_limit,
    systemBytes: Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
  };
}

type Kinds = Record<HeldKind, { held: number; refused: number }>;

interface Account {
  held: number;
  /** The number of open holds. */
  holds: number;
  readonly max: number;
}

interface Memory {
  readonly heapBytes: number;
  readonly systemBytes: number;
}
