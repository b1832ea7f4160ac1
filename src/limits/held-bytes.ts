import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { HELD_KINDS, type HeldBytes, type HeldKind, type Hold } from '../domain/resources.ts';
import { toSubnet } from '../lib/to-subnet.ts';

/** Counts what is held for others, in all and for each owner. */
export function createHeldBytes({ maxBytes }: { readonly maxBytes: number }): HeldBytesCounter {
  const process = new Account(maxBytes);
  const addresses = createAccounts(maxBytes * SHARES.address);
  const applications = createAccounts(maxBytes * SHARES.application);
  const connections = createAccounts(maxBytes * SHARES.connection);
  const kinds = Object.fromEntries(HELD_KINDS.map((kind) => [kind, { held: 0, refused: 0 }])) as Kinds;

  return {
    acquire({ address, application, connection }, kind, bytes) {
      const hold = new CountedHold(kinds[kind], {
        process,
        address: address === undefined ? undefined : addresses.open(toSubnet(address)),
        application: application === undefined ? undefined : applications.open(application),
        connection: connection === undefined ? undefined : connections.open(connection),
      });
      if (hold.grow(bytes)) return hold;
      hold.release();
      return undefined;
    },

    counts: () => ({ held: process.held, max: maxBytes, kinds }),
    countOwners: () => addresses.countHolding() + applications.countHolding() + connections.countHolding(),
    countAccounts: () => addresses.size() + applications.size() + connections.size(),
  };
}

class CountedHold implements Hold {
  readonly #kind: KindCounts;
  readonly #charged: Charged;
  #isReleased = false;
  bytes = 0;

  constructor(kind: KindCounts, charged: Charged) {
    this.#kind = kind;
    this.#charged = charged;
  }

  grow(bytes: number): boolean {
    if (!(bytes >= 0)) throw new RangeError(`A hold cannot grow by ${bytes} bytes.`);
    if (this.#isReleased) return false;
    const { process, address, application, connection } = this.#charged;
    const fits =
      process.fits(bytes) &&
      (address?.fits(bytes) ?? true) &&
      (application?.fits(bytes) ?? true) &&
      (connection?.fits(bytes) ?? true);
    if (fits) this.#add(bytes);
    else this.#kind.refused++;
    return fits;
  }

  shrink(bytes: number): void {
    if (!(bytes >= 0)) throw new RangeError(`A hold cannot shrink by ${bytes} bytes.`);
    if (!this.#isReleased) this.#add(-Math.min(bytes, this.bytes));
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#add(-this.bytes);
    const { address, application, connection } = this.#charged;
    if (address) address.holds--;
    if (application) application.holds--;
    if (connection) connection.holds--;
  }

  #add(bytes: number): void {
    const { process, address, application, connection } = this.#charged;
    this.bytes += bytes;
    this.#kind.held += bytes;
    process.held += bytes;
    if (address) address.held += bytes;
    if (application) application.held += bytes;
    if (connection) connection.held += bytes;
  }
}

class Account {
  held = 0;
  holds = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  fits(bytes: number): boolean {
    return this.held + bytes <= this.#max;
  }
}

function createAccounts(max: number): Accounts {
  const accounts = new Map<string, Account>();
  let nextSweep = KEPT_ACCOUNTS;
  return {
    open(name) {
      let account = accounts.get(name);
      if (!account) {
        if (accounts.size >= nextSweep) sweep();
        account = new Account(max);
        accounts.set(name, account);
      }
      account.holds++;
      return account;
    },
    countHolding: () => [...accounts.values()].filter(({ holds }) => holds !== 0).length,
    size: () => accounts.size,
  };

  /** An account that holds nothing is kept for the next request of its owner, as long as there are few. */
  function sweep(): void {
    for (const [name, { holds }] of accounts) if (holds === 0) accounts.delete(name);
    nextSweep = Math.max(KEPT_ACCOUNTS, accounts.size * 2);
  }
}

const KEPT_ACCOUNTS = 1_024;

/** One owner alone may have this part of the sum, so that something is always left for another. */
const SHARES = { address: 1 / 2, application: 3 / 4, connection: 1 / 2 } as const;

/**
 * How many bytes clients and providers may make the process hold, where no setting says it. Bodies are outside the heap
 * and what is parsed from them is inside: the smaller of both shares is the bound.
 */
export function defaultMaxHeldBytes(memory: Memory = readMemory()): number {
  return Math.floor(Math.min(memory.heapBytes / 3, memory.systemBytes / 4));
}

/** The container's limit (cgroup v1 or v2) where it has one, else the machine's memory. */
function readMemory(): Memory {
  return {
    heapBytes: getHeapStatistics().heap_size_limit,
    systemBytes: Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
  };
}

interface HeldBytesCounter extends HeldBytes {
  counts(): HeldBytesCounts;
  /** How many owners hold something. */
  countOwners(): number;
  /** How many owners are remembered. */
  countAccounts(): number;
}

interface HeldBytesCounts {
  readonly held: number;
  readonly max: number;
  readonly kinds: Readonly<Record<HeldKind, Readonly<KindCounts>>>;
}

type Kinds = Record<HeldKind, KindCounts>;

interface KindCounts {
  held: number;
  refused: number;
}

interface Charged {
  readonly process: Account;
  readonly address: Account | undefined;
  readonly application: Account | undefined;
  readonly connection: Account | undefined;
}

interface Accounts {
  open(name: string): Account;
  countHolding(): number;
  size(): number;
}

interface Memory {
  readonly heapBytes: number;
  readonly systemBytes: number;
}
