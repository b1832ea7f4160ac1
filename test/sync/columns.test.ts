import { expect, test } from 'vitest';
import type { SyncedRecord, SyncKind } from '../../src/domain/sync.ts';
import { SYNCED_KINDS, SYNCED_RECORDS } from '../../src/domain/synced-records.ts';
import { toStatements } from '../../src/sync/table.ts';

const KEYS =
  '"application_id" uuid not null, "provider_name" text not null, "customer_id" text not null, "id" text collate "C" not null, "is_deleted" boolean not null, "synced_at" timestamp with time zone not null';
const PRIMARY_KEY = '\n  primary key (application_id, provider_name, customer_id, id))';

const TIMES =
  '"created_at" timestamp with time zone, "updated_at" timestamp with time zone, "last_modified_at" timestamp with time zone';
const OWN = '"custom_fields" jsonb, "raw_data" jsonb, "omitted_fields" jsonb';

/** A table that was created by an earlier version has these columns: only further ones may be added. */
const COLUMNS: Readonly<Record<SyncKind, string>> = {
  CONTACTS: `"account_id" text, "owner_id" text, "first_name" text, "last_name" text, "addresses" jsonb, "email_addresses" jsonb, "phone_numbers" jsonb, "lifecycle_stage" text, "last_activity_at" timestamp with time zone, ${TIMES}, ${OWN}`,
  COMPANIES: `"name" text, "domain" text, "website" text, "phone_numbers" jsonb, "addresses" jsonb, "industry" text, "employee_count" integer, "annual_revenue" numeric, "annual_revenue_currency" text, "owner_id" text, "parent_id" text, "lifecycle_stage" text, ${TIMES}, ${OWN}`,
  DEALS: `"name" text, "amount" numeric, "amount_currency" text, "status" text, "pipeline_id" text, "pipeline_label" text, "stage_id" text, "stage_label" text, "stage_status" text, "stage_probability" double precision, "close_date" date, "owner_id" text, "next_step" text, ${TIMES}, ${OWN}`,
  STANDARD: '"last_modified_at" timestamp with time zone, "data" jsonb, "omitted_fields" jsonb',
  CUSTOM: '"last_modified_at" timestamp with time zone, "data" jsonb, "omitted_fields" jsonb',
};

test.each(Object.entries(COLUMNS) as [SyncKind, string][])(
  'the table of %s is created with these columns',
  (kind, columns) => {
    expect(toStatements(kind, 'crm', 'records').create).toBe(
      `create table if not exists "crm"."records" (${KEYS}, ${columns},${PRIMARY_KEY}`,
    );
  },
);

test.each(SYNCED_KINDS)('every field of %s is in its table, named as in REST', (kind) => {
  const columns = Object.keys(toStatements(kind, 'crm', 'records').types);
  const { fields } = SYNCED_RECORDS[kind].shape;
  for (const name of Object.keys(fields).filter((one) => one !== 'remoteId')) {
    const column = name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);
    const isThere = columns.some((one) => one === column || one.startsWith(`${column}_`));
    expect([name, isThere]).toEqual([name, true]);
  }
});

test('an amount of money is a number and its currency, and a list is JSON with the names of REST', () => {
  const { columns } = toStatements('COMPANIES', 'crm', 'companies');
  const record = {
    annualRevenue: { value: '1250000.5', currency: 'EUR' },
    addresses: [{ addressType: 'billing', street1: 'Square 1', postalCode: null }],
  };
  const synced = { id: '1', lastModifiedAt: null, record } as unknown as SyncedRecord;
  const read = (name: string, of = synced) => columns[name]?.[1](of);
  expect(read('annual_revenue')).toBe('1250000.5');
  expect(read('annual_revenue_currency')).toBe('EUR');
  expect(read('addresses')).toEqual([
    { address_type: 'billing', street_1: 'Square 1', postal_code: null },
  ]);
  const nothing = { ...synced, record: { annualRevenue: null } } as unknown as SyncedRecord;
  expect(read('annual_revenue', nothing)).toBeUndefined();
  expect(read('annual_revenue_currency', nothing)).toBeUndefined();
});
