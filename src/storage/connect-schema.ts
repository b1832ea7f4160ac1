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
import type { ConnectFailure } from '../domain/connect-failure.ts';
import type {
  ConnectLink,
  ConnectLinkStatus,
  ConnectMode,
  FieldChoice,
} from '../domain/connect-link.ts';
import type { EventType } from '../domain/event.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { AccessLevel } from '../domain/record-access.ts';
import {
  createdAt,
  crossbook,
  momentColumn,
  ofApplication,
  ofCustomer,
  providerNameColumn,
  recordTypesColumn,
  textsColumn,
  updatedAt,
} from './schema.ts';

/** An application's OAuth client at a provider; the secret is encrypted. */
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
    id: uuid('id').notNull(),
    applicationId: uuid('application_id').notNull(),
    customerId: text('customer_id').notNull(),
    providers: text('providers').array().$type<readonly ProviderName[]>().notNull(),
    returnUrl: text('return_url').notNull(),
    mode: text('mode').$type<ConnectMode>().notNull(),
    confirm: boolean('confirm').notNull(),
    loginUrl: text('login_url'),
    optionalScopes: textsColumn('optional_scopes'),
    allowAccountChange: boolean('allow_account_change').notNull(),
    records: recordTypesColumn('records', ['CONTACT']),
    access: text('access').$type<AccessLevel>().notNull().default('READ'),
    purpose: text('purpose').$type<ConnectLink['purpose']>().notNull().default('CONNECT'),
    mapFields: boolean('map_fields').notNull().default(false),
    status: text('status').$type<ConnectLinkStatus>().notNull(),
    failure: text('failure').$type<ConnectFailure>(),
    providerName: providerNameColumn(),
    connectionId: uuid('connection_id'),
    /** The encrypted grant until the application has confirmed it. */
    sealedGrant: text('sealed_grant'),
    keyId: text('key_id'),
    /** The hash of the one-time code that confirms it. */
    codeHash: text('code_hash'),
    codeExpiresAt: momentColumn('code_expires_at'),
    /** The hash of the cookie of the browser that may match fields, and until when. */
    sessionHash: text('session_hash'),
    sessionExpiresAt: momentColumn('session_expires_at'),
    /** What the customer has chosen, until the application has confirmed the link. */
    fieldChoices: jsonb('field_choices').$type<readonly FieldChoice[]>(),
    createdAt: createdAt(),
    expiresAt: momentColumn('expires_at').notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ name: 'connect_links_pk', columns: [table.applicationId, table.id] }),
    // A page of a link knows only its id.
    index('connect_links_by_id').on(table.id).concurrently(),
    index('connect_links_by_customer').on(table.applicationId, table.customerId),
    index('connect_links_by_key').on(table.keyId),
    index('connect_links_by_end').on(table.expiresAt),
    ofCustomer('connect_links_customer', table),
  ],
);

/**
 * An OAuth flow from a link's page to the provider and back. A link may have several (two tabs); the first one that
 * completes wins.
 */
export const connectFlows = crossbook.table(
  'connect_flows',
  {
    applicationId: uuid('application_id').notNull(),
    stateHash: text('state_hash').notNull(),
    linkId: uuid('link_id').notNull(),
    providerName: providerNameColumn().notNull(),
    cookieHash: text('cookie_hash').notNull(),
    loginOrigin: text('login_origin').notNull(),
    oauthClientId: text('oauth_client_id').notNull(),
    /** The encrypted PKCE verifier. */
    sealedVerifier: text('sealed_verifier').notNull(),
    keyId: text('key_id').notNull(),
    createdAt: createdAt(),
    usedAt: momentColumn('used_at'),
  },
  (table) => [
    primaryKey({ name: 'connect_flows_pk', columns: [table.applicationId, table.stateHash] }),
    // The provider returns nothing but the state.
    index('connect_flows_by_state').on(table.stateHash).concurrently(),
    index('connect_flows_by_link').on(table.linkId),
    index('connect_flows_by_cookie').on(table.cookieHash),
    foreignKey({
      name: 'connect_flows_link',
      columns: [table.applicationId, table.linkId],
      foreignColumns: [connectLinks.applicationId, connectLinks.id],
    }).onDelete('cascade'),
  ],
);

/** Events are kept for thirty days, even when their subject is deleted. */
export const events = crossbook.table(
  'events',
  {
    id: uuid('id').notNull(),
    applicationId: ofApplication(),
    customerId: text('customer_id').notNull(),
    connectionId: uuid('connection_id'),
    type: text('type').$type<EventType>().notNull(),
    sequence: integer('sequence'),
    data: jsonb('data').$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ name: 'events_pk', columns: [table.applicationId, table.id] }),
    // For statements of the previous version.
    index('events_by_id').on(table.id).concurrently(),
    index('events_by_time').on(table.applicationId, table.createdAt, table.id),
    index('events_by_customer').on(table.applicationId, table.customerId, table.createdAt),
    // Rows are inserted in order of time, so a BRIN index is cheap, and finds expired rows.
    index('events_by_age').using('brin', table.createdAt),
    uniqueIndex('events_of_connection')
      .on(table.applicationId, table.connectionId, table.sequence)
      .where(sql`${table.connectionId} is not null`)
      .concurrently(),
  ],
);

export const webhookEndpoints = crossbook.table(
  'webhook_endpoints',
  {
    id: uuid('id').notNull(),
    applicationId: ofApplication(),
    url: text('url').notNull(),
    /** Empty: all types. */
    eventTypes: text('event_types').array().$type<readonly EventType[]>().notNull(),
    enabled: boolean('enabled').notNull(),
    sealedSecret: text('sealed_secret').notNull(),
    /** After a rotation the previous secret also signs until then. */
    sealedPreviousSecret: text('sealed_previous_secret'),
    previousSecretUntil: momentColumn('previous_secret_until'),
    keyId: text('key_id').notNull(),
    lastFailure: text('last_failure'),
    lastFailureAt: momentColumn('last_failure_at'),
    /** Time of the first failure since the last success; null while healthy. */
    failingSince: momentColumn('failing_since'),
    /** Consecutive failures. */
    failures: integer('failures').notNull().default(0),
    /** Nothing is sent before this time: the endpoint asked for a pause, or fails. */
    pausedUntil: momentColumn('paused_until'),
    /** The lease of the process that sends to it, which expires by the database's clock. */
    lease: uuid('lease'),
    leasedUntil: momentColumn('leased_until'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ name: 'webhook_endpoints_pk', columns: [table.applicationId, table.id] }),
    // For statements of the previous version.
    index('webhook_endpoints_by_id').on(table.id).concurrently(),
    index('webhook_endpoints_by_key').on(table.keyId),
  ],
);

/** How endpoints responded, for the console, for seven days. */
export const webhookResponses = crossbook.table(
  'webhook_responses',
  {
    applicationId: uuid('application_id').notNull(),
    eventId: uuid('event_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    attempt: integer('attempt').notNull(),
    /** Null: there was no response. */
    status: integer('status'),
    reason: text('reason'),
    /** The first kilobyte, redacted. */
    body: text('body'),
    ms: integer('ms').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({
      name: 'webhook_responses_pk',
      columns: [table.applicationId, table.eventId, table.endpointId, table.createdAt],
    }),
    index('webhook_responses_of_endpoint').on(
      table.applicationId,
      table.endpointId,
      table.createdAt,
      table.eventId,
    ),
    index('webhook_responses_by_age').on(table.createdAt),
    foreignKey({
      name: 'webhook_responses_event',
      columns: [table.applicationId, table.eventId],
      foreignColumns: [events.applicationId, events.id],
    }).onDelete('cascade'),
  ],
);

/**
 * An undelivered event of an endpoint; the row is deleted after delivery. It has no foreign key to its endpoint: the
 * check would lock the endpoint's row for each event, and an event must not fail because of a concurrent deletion.
 */
export const webhookDeliveries = crossbook.table(
  'webhook_deliveries',
  {
    applicationId: uuid('application_id').notNull(),
    eventId: uuid('event_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    /** Incremented by a redelivery: one that was requested while the event is being sent is not lost. */
    version: integer('version').notNull().default(0),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: momentColumn('next_attempt_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({
      name: 'webhook_deliveries_pk',
      columns: [table.applicationId, table.eventId, table.endpointId],
    }),
    // For statements of the previous version.
    uniqueIndex('webhook_deliveries_of_event').on(table.eventId, table.endpointId).concurrently(),
    foreignKey({
      name: 'webhook_deliveries_event',
      columns: [table.applicationId, table.eventId],
      foreignColumns: [events.applicationId, events.id],
    }).onDelete('cascade'),
    index('webhook_deliveries_due').on(table.nextAttemptAt),
    index('webhook_deliveries_of_endpoint').on(table.endpointId, table.nextAttemptAt),
  ],
);
