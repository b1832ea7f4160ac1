import type { Clock } from '../lib/clock.ts';
import type { Engine } from './engine/engine.ts';
import { isAway } from './engine/failures.ts';
import type { ConnectionRow } from './rows.ts';
import { createStatementBatcher } from './statement-batcher.ts';
import type { GivenUpsert } from './upsert-given.ts';
import { type UpsertMode, upsertStatement } from './upsert-statement.ts';

/**
 * Upserts of one application that come at the same time are written together: a commit costs more than its rows. Those
 * that expect a version go alone, as do two of one customer.
 */
export function createUpsertWriter(deps: WriterDeps): UpsertWriter {
  const add = createStatementBatcher<GivenUpsert, WrittenRow | undefined>({
    keyOf: ({ customerId }) => customerId,
    sizeOf: ({ customer, entries = '' }) => customer.length + entries.length,
    execute: (_, given) => writeTogether(deps, given),
    isShared: isAway,
  });
  return (mode, given) =>
    mode === 'always' ? add(given.applicationId, given) : writeAlone(deps, mode, given);
}

async function writeTogether(deps: WriterDeps, given: readonly GivenUpsert[]) {
  try {
    const rows = await write(deps, 'always', given);
    const byCustomer = new Map(rows.map((row) => [row.customerId, row]));
    return given.map(({ customerId }) => byCustomer.get(customerId));
  } catch (error) {
    if (isAway(error) || given.length === 1) throw error;
    // The database refused them for the sake of one, and wrote nothing: each is tried for itself.
    return given.map((one) => writeAlone(deps, 'always', one));
  }
}

async function writeAlone(deps: WriterDeps, mode: UpsertMode, given: GivenUpsert) {
  const [row] = await write(deps, mode, [given]);
  return row;
}

/** All of one application. Where one of them names a connection, all take the longer statement. */
function write({ engine, clock }: WriterDeps, mode: UpsertMode, given: readonly GivenUpsert[]) {
  const linking = given.filter(({ entries }) => entries !== undefined);
  const customers = `[${given.map(({ customer }) => customer).join(',')}]`;
  const values = [given[0]?.applicationId, customers, new Date(clock.wall()).toISOString()];
  if (linking.length === 0) return engine.once(() => engine.query<WrittenRow>(ALONE[mode], values));
  const entries = linking.map(({ customerId, entries }) => `${JSON.stringify(customerId)}:${entries}`);
  const all = [...values, `{${entries.join(',')}}`];
  return engine.once(() => engine.query<WrittenRow>(LINKING[mode], all));
}

const toStatements = (linking: boolean) => ({
  always: upsertStatement('always', { linking }),
  absent: upsertStatement('absent', { linking }),
  present: upsertStatement('present', { linking }),
});
const ALONE = toStatements(false);
const LINKING = toStatements(true);

/** Undefined where the customer's version is not the one that was expected. */
export type UpsertWriter = (mode: UpsertMode, given: GivenUpsert) => Promise<WrittenRow | undefined>;

export interface WrittenRow {
  readonly customerId: string;
  readonly version: number;
  readonly versionBefore: number;
  readonly connections: readonly ConnectionRow[];
}

interface WriterDeps {
  readonly engine: Engine;
  readonly clock: Pick<Clock, 'wall'>;
}
