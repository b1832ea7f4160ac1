import type { Sealer } from '../domain/sealer.ts';
import { type Place, sealCredentials, tryOpenCredentials } from './credential-seal.ts';
import type { Engine } from './engine/engine.ts';
import * as statements from './maintenance-statements.ts';
import type { SealCounts, SealedTable } from './sealed-table.ts';
import type { KeyRing } from './sealing/key-ring.ts';

/** What is done to the database as a whole, beside the requests. */
export function createMaintenance({ engine, sealer, ring, sealedTables }: Deps): Maintenance {
  const count = async (statement: { name: string; text: string }, value: unknown) => {
    const [row] = await engine.repeatable(() => engine.query<{ count: number }>(statement, [value]));
    return row?.count ?? 0;
  };
  return {
    sweepContactCache: async ({ olderThan, maxBytesPerApplication }) => {
      const aged = await count(statements.SWEEP_AGED, olderThan.toISOString());
      return aged + (await count(statements.SWEEP_SURPLUS, maxBytesPerApplication));
    },
    findUnreadableKeys: async () => {
      const rows = await engine.repeatable(() => engine.query<SealedRow>(statements.SAMPLE_KEYS, []));
      const readable = new Set(rows.filter((row) => toOpened(sealer, row)).map(({ keyId }) => keyId));
      const unreadable = rows.map(({ keyId }) => keyId).filter((keyId) => !readable.has(keyId));
      const others = await Promise.all(sealedTables.map((table) => table.findUnreadableKeys()));
      return [...new Set([...unreadable, ...others.flat()])];
    },
    rotateSeals: async (batchSize = 200) => {
      await count(statements.FORGET_OTHER_KEYS, ring.current.id);
      const total = { resealed: 0, unreadable: 0 };
      for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
        const values: readonly unknown[] = [ring.current.id, after, batchSize];
        const rows = await engine.repeatable(() =>
          engine.query<SealedRow>(statements.WITH_OTHER_KEYS, values),
        );
        const resealed = rows.flatMap((row) => reseal(sealer, row));
        await count(statements.RESEAL, JSON.stringify(resealed));
        total.resealed += resealed.length;
        total.unreadable += rows.length - resealed.length;
        after = rows.at(-1)?.connectionId;
      }
      for (const table of sealedTables) {
        const { resealed, unreadable } = await table.rotate(ring.current.id, batchSize);
        total.resealed += resealed;
        total.unreadable += unreadable;
      }
      return total;
    },
  };
}

function reseal(sealer: Sealer, row: SealedRow) {
  const opened = toOpened(sealer, row);
  if (!opened) return [];
  const { connectionId, generation } = row;
  return [{ connectionId, generation, ...sealCredentials(sealer, row, opened) }];
}

function toOpened(sealer: Sealer, row: SealedRow) {
  return tryOpenCredentials(sealer, row, row.sealed);
}

export interface Maintenance {
  /** Drops what is too old, then of each application's the oldest above its share. Says how many. */
  sweepContactCache(bounds: { olderThan: Date; maxBytesPerApplication: number }): Promise<number>;
  /** Ids of keys that something stored was sealed with, and that the ring does not have or has another key for. */
  findUnreadableKeys(): Promise<readonly string[]>;
  /** Seals everything with the ring's first key, batch after batch, while requests go on. */
  rotateSeals(batchSize?: number): Promise<SealCounts>;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface SealedRow extends Place {
  readonly connectionId: string;
  readonly keyId: string;
  readonly sealed: string;
  readonly generation: number;
}

interface Deps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly ring: KeyRing;
  /** What is sealed beside credentials and cached answers. */
  readonly sealedTables: readonly SealedTable[];
}
