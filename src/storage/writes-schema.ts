import { isNotNull } from 'drizzle-orm';
import { boolean, index, integer, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, crossbook, momentColumn, ofCustomer, providerNameColumn } from './schema.ts';

/**
 * What was written to CRMs: for idempotency, for the job that settles outcomes, and as the audit. The results are sealed
 * and have no values of fields. Deleted with the customer; a removed connection leaves them.
 */
export const writes = crossbook.table(
  'writes',
  {
    applicationId: uuid('application_id').notNull(),
    id: uuid('id').notNull(),
    customerId: text('customer_id').notNull(),
    connectionId: uuid('connection_id').notNull(),
    providerName: providerNameColumn().notNull(),
    operation: text('operation').notNull(),
    /** The public id of the API key or token. */
    credentialId: text('credential_id').notNull(),
    /** A keyed hash of the idempotency key with its connection and operation. Null: none, or it has expired. */
    keyHash: text('key_hash'),
    /** A keyed hash of the input. */
    inputHash: text('input_hash').notNull(),
    sealed: text('sealed').notNull(),
    keyId: text('key_id').notNull(),
    createdAt: createdAt(),
    /** All outcomes are final. */
    completedAt: momentColumn('completed_at'),
    /** A call with the same key goes on with it. */
    isOpen: boolean('is_open').notNull(),
    lease: uuid('lease'),
    leasedUntil: momentColumn('leased_until'),
    /** When the job looks for the outcome. */
    lookAgainAt: momentColumn('look_again_at'),
    attempts: integer('attempts').notNull().default(0),
  },
  (table) => [
    primaryKey({ name: 'writes_pk', columns: [table.applicationId, table.id] }),
    uniqueIndex('writes_by_idempotency_key')
      .on(table.applicationId, table.keyHash)
      .where(isNotNull(table.keyHash)),
    index('writes_by_customer').on(
      table.applicationId,
      table.customerId,
      table.createdAt,
      table.id,
    ),
    index('writes_by_look').on(table.lookAgainAt).where(isNotNull(table.lookAgainAt)),
    index('writes_by_age').on(table.createdAt),
    index('writes_by_key').on(table.keyId),
    ofCustomer('writes_customer', table),
  ],
);
