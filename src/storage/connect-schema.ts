import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { ConnectFailure, ConnectLinkStatus, ConnectMode } from '../domain/connect-link.ts';
import type { EventType } from '../domain/event.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import {
  createdAt,
  crossbook,
  customers,
  momentColumn,
  ofApplication,
  providerNameColumn,
  updatedAt,
} from './schema.ts';

/** What an application is registered as with a provider; the secret is sealed. */
export const oauthClients = crossbook.table(
  'oauth_clients',
  {
    applicationId: ofApplication(),
    providerName: providerNameColumn().notNull(),
    clientId: text('client_id').notNull(),
    sealedSecret: text('sealed_secret').notNull(),
    keyId: text('key_id').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.providerName] }),
    index('oauth_clients_by_key').on(table.keyId),
  ],
);

export const connectLinks = crossbook.table(
  'connect_links',
  {
    id: uuid('id').primaryKey(),
    applicationId: uuid('application_id').notNull(),
    customerId: text('customer_id').notNull(),
    providers: text('providers').array().$type<readonly ProviderName[]>().notNull(),
    returnUrl: text('return_url').notNull(),
    mode: text('mode').$type<ConnectMode>().notNull(),
    confirm: boolean('confirm').notNull(),
    loginUrl: text('login_url'),
    optionalScopes: text('optional_scopes').array().$type<readonly string[]>().notNull().default([]),
    allowAccountChange: boolean('allow_account_change').notNull(),
    status: text('status').$type<ConnectLinkStatus>().notNull(),
    failure: text('failure').$type<ConnectFailure>(),
    providerName: providerNameColumn(),
    connectionId: uuid('connection_id'),
    /** What was granted, sealed, until the application has confirmed it. */
    sealedGrant: text('sealed_grant'),
    keyId: text('key_id'),
    /** Of the one-time code that confirms it. */
    codeHash: text('code_hash'),
    codeExpiresAt: momentColumn('code_expires_at'),
    createdAt: createdAt(),
    expiresAt: momentColumn('expires_at').notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('connect_links_by_customer').on(table.applicationId, table.customerId),
    index('connect_links_by_key').on(table.keyId),
    index('connect_links_by_end').on(table.expiresAt),
    foreignKey({
      name: 'connect_links_customer',
      columns: [table.applicationId, table.customerId],
      foreignColumns: [customers.applicationId, customers.customerId],
    }).onDelete('cascade'),
  ],
);

/** One way from a link's page to the provider and back; a link may have several (two tabs), and the first that ends wins. */
export const connectFlows = crossbook.table(
  'connect_flows',
  {
    stateHash: text('state_hash').primaryKey(),
    linkId: uuid('link_id')
      .notNull()
      .references(() => connectLinks.id, { onDelete: 'cascade' }),
    providerName: providerNameColumn().notNull(),
    cookieHash: text('cookie_hash').notNull(),
    loginOrigin: text('login_origin').notNull(),
    oauthClientId: text('oauth_client_id').notNull(),
    /** Of PKCE. */
    sealedVerifier: text('sealed_verifier').notNull(),
    keyId: text('key_id').notNull(),
    createdAt: createdAt(),
    usedAt: momentColumn('used_at'),
  },
  (table) => [
    index('connect_flows_by_link').on(table.linkId),
    index('connect_flows_by_cookie').on(table.cookieHash),
  ],
);

/** Kept for thirty days, also where what they are about is gone. */
export const events = crossbook.table(
  'events',
  {
    id: uuid('id').primaryKey(),
    applicationId: ofApplication(),
    customerId: text('customer_id').notNull(),
    connectionId: uuid('connection_id'),
    type: text('type').$type<EventType>().notNull(),
    sequence: integer('sequence'),
    data: jsonb('data').$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('events_by_time').on(table.applicationId, table.createdAt, table.id),
    index('events_by_customer').on(table.applicationId, table.customerId, table.createdAt),
    // Rows come in the order of their time: this costs next to nothing, and finds what is too old.
    index('events_by_age').using('brin', table.createdAt),
    uniqueIndex('events_sequence')
      .on(table.connectionId, table.sequence)
      .where(sql`${table.connectionId} is not null`),
  ],
);

export const webhookEndpoints = crossbook.table(
  'webhook_endpoints',
  {
    id: uuid('id').primaryKey(),
    applicationId: ofApplication(),
    url: text('url').notNull(),
    /** Empty: all. */
    eventTypes: text('event_types').array().$type<readonly EventType[]>().notNull(),
    enabled: boolean('enabled').notNull(),
    sealedSecret: text('sealed_secret').notNull(),
    /** Signs as well until then, after a rotation. */
    sealedPreviousSecret: text('sealed_previous_secret'),
    previousSecretUntil: momentColumn('previous_secret_until'),
    keyId: text('key_id').notNull(),
    lastFailure: text('last_failure'),
    lastFailureAt: momentColumn('last_failure_at'),
    /** Of the first failure since the last success; null while it is healthy. */
    failingSince: momentColumn('failing_since'),
    /** In a row. */
    failures: integer('failures').notNull().default(0),
    /** Nothing is sent before: it asked for less, or fails. */
    pausedUntil: momentColumn('paused_until'),
    /** The process that sends to it, and until when that counts by the database's clock. */
    lease: uuid('lease'),
    leasedUntil: momentColumn('leased_until'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('webhook_endpoints_by_application').on(table.applicationId),
    index('webhook_endpoints_by_key').on(table.keyId),
  ],
);

/**
 * An event on its way to an endpoint. The row goes when it has arrived. It refers to its endpoint without a foreign key:
 * the check would lock the endpoint's row for each event, and an event must not fail because an endpoint is just deleted.
 */
export const webhookDeliveries = crossbook.table(
  'webhook_deliveries',
  {
    eventId: uuid('event_id')
      .notNull()
      .references(() => events.id, { onDelete: 'cascade' }),
    endpointId: uuid('endpoint_id').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: momentColumn('next_attempt_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.endpointId] }),
    index('webhook_deliveries_due').on(table.nextAttemptAt),
    index('webhook_deliveries_of_endpoint').on(table.endpointId, table.nextAttemptAt),
  ],
);
