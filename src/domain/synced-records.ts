import { COMPANY } from './records/company.ts';
import { CONTACT } from './records/contact.ts';
import { DEAL } from './records/deal.ts';
import type { CrmRecord, RecordKind } from './records/record.ts';

/**
 * The types of records that are synced in the common shape, by the kinds of their syncs. The names of their settings, of
 * their objects and of their tables are the plural of the type: `companies`.
 */
export const SYNCED_RECORDS = {
  CONTACTS: CONTACT,
  COMPANIES: COMPANY,
  DEALS: DEAL,
} as const satisfies Readonly<Record<string, RecordKind<CrmRecord>>>;

export type SyncedKind = keyof typeof SYNCED_RECORDS;
export const SYNCED_KINDS = Object.keys(SYNCED_RECORDS) as readonly SyncedKind[];

/** Undefined: records of this kind are synced as the CRM has them. */
export function findSyncedRecord(kind: string): RecordKind<CrmRecord> | undefined {
  return Object.hasOwn(SYNCED_RECORDS, kind) ? SYNCED_RECORDS[kind as SyncedKind] : undefined;
}

/**
 * The tables of edges between records, by their names. The sync of the first type writes them with its rows, and that of
 * the second deletes the edges of its deleted records.
 */
export const EDGE_TABLES = {
  contact_companies: { from: 'CONTACTS', to: 'COMPANIES' },
  deal_contacts: { from: 'DEALS', to: 'CONTACTS' },
  deal_companies: { from: 'DEALS', to: 'COMPANIES' },
} as const satisfies Readonly<Record<string, EdgeEnds>>;

export type EdgeTable = keyof typeof EDGE_TABLES;

/** The tables of edges between types that are both synced. */
export function listEdgeTables(synced: readonly SyncedKind[]): readonly EdgeTable[] {
  const tables = Object.keys(EDGE_TABLES) as readonly EdgeTable[];
  return tables.filter((table) => {
    const { from, to } = EDGE_TABLES[table];
    return synced.includes(from) && synced.includes(to);
  });
}

/** Those of the tables whose edges begin at records of this kind. */
export function listOwnEdges(tables: readonly EdgeTable[], kind: string): readonly EdgeTable[] {
  return tables.filter((table) => EDGE_TABLES[table].from === kind);
}

interface EdgeEnds {
  readonly from: SyncedKind;
  readonly to: SyncedKind;
}
