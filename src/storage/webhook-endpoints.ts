import { randomBytes, randomUUID } from 'node:crypto';
import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { CrossbookError } from '../domain/errors.ts';
import {
  type Event,
  MAX_ENDPOINTS,
  MAX_REDELIVERED,
  type Redelivered,
  type Redelivery,
  ROTATION_MS,
  TEST_CUSTOMER_ID,
  type WebhookStore,
} from '../domain/event.ts';
import { webhookEndpoints as table } from './connect-schema.ts';
import { recordEvents } from './events.ts';
import { applications } from './schema.ts';
import type { SealedColumns } from './sealed-columns.ts';
import type { StoreDeps } from './store-deps.ts';

/** The webhook endpoints of one application. */
export function createWebhookEndpoints(deps: StoreDeps, applicationId: string): WebhookStore {
  const { engine, secrets, now } = deps;
  const { orm } = engine;
  const isOwn = eq(table.applicationId, applicationId);
  const own = (id: string) => and(isOwn, sql`${table.id}::text = ${id}`);
  return {
    list: () =>
      engine.repeatable(() =>
        orm.select(ENDPOINT).from(table).where(isOwn).orderBy(asc(table.createdAt), asc(table.id)),
      ),
    create: ({ url, eventTypes }) =>
      engine.once(() =>
        orm.transaction(async (tx) => {
          // Locks the application, or concurrent creations would both pass the maximum.
          const isApplication = eq(applications.id, applicationId);
          await tx
            .select({ id: applications.id })
            .from(applications)
            .where(isApplication)
            .for('no key update');
          if ((await tx.$count(table, isOwn)) >= MAX_ENDPOINTS) return undefined;
          const id = randomUUID();
          const secret = createWebhookSecret();
          const [endpoint] = await tx
            .insert(table)
            .values({
              id,
              applicationId,
              url,
              eventTypes,
              enabled: true,
              ...sealSecret(secrets, id, secret),
              createdAt: now(),
              updatedAt: now(),
            })
            .returning(ENDPOINT);
          return endpoint && { endpoint, secret };
        }),
      ),
    update: async (id, { url, eventTypes, enabled }) => {
      // A change resets the failures: sending resumes at once.
      const mended = { failures: 0, failingSince: null, pausedUntil: null, updatedAt: now() };
      const change = { url, eventTypes, enabled, ...mended };
      const [endpoint] = await engine.repeatable(() =>
        orm.update(table).set(change).where(own(id)).returning(ENDPOINT),
      );
      if (endpoint && !endpoint.enabled) await engine.query(FORGET_DELIVERIES, [applicationId, id]);
      return endpoint;
    },
    remove: async (id) => {
      // Repeated after a lost answer, it would find nothing and be reported as not found.
      const { rowCount } = await engine.once(() => orm.delete(table).where(own(id)));
      if (rowCount === 1) await engine.query(FORGET_DELIVERIES, [applicationId, id]);
      return rowCount === 1;
    },
    rotateSecret: (id) => rotateSecret(deps, id, own(id)),
    redeliver: (id, redelivery) => redeliver(deps, [applicationId, id], redelivery),
    sendTest: (id) => sendTest(deps, applicationId, id),
  };
}

/**
 * Re-encrypts the previous secret too: a row names one key, and key rotation would miss a column with another. A
 * previous secret whose key is gone is dropped.
 */
function rotateSecret({ engine, secrets, now }: StoreDeps, id: string, own: SQL | undefined) {
  const secret = createWebhookSecret();
  return engine.once(() =>
    engine.orm.transaction(async (tx) => {
      const [before] = await tx
        .select({ sealed: table.sealedSecret })
        .from(table)
        .where(own)
        .for('update');
      if (!before) return undefined;
      const previous = secrets.webhookSecret.open(before.sealed, id);
      const [endpoint] = await tx
        .update(table)
        .set({
          ...sealSecret(secrets, id, secret),
          sealedPreviousSecret:
            previous === undefined ? null : secrets.webhookSecret.seal(previous, id).sealed,
          previousSecretUntil: new Date(now().getTime() + ROTATION_MS),
          updatedAt: now(),
        })
        .where(own)
        .returning(ENDPOINT);
      return endpoint && { endpoint, secret };
    }),
  );
}

/** Redelivers events. Undefined if there is no such endpoint. */
async function redeliver(
  { engine, now, onAppended }: StoreDeps,
  place: readonly [applicationId: string, id: string],
  redelivery: Redelivery,
): Promise<Redelivered | undefined> {
  const values = [...place, now().toISOString()];
  const [row] = await ('since' in redelivery
    ? engine.query<RedeliveredRow>(REDELIVER_SINCE, [
        ...values,
        redelivery.since.toISOString(),
        MAX_REDELIVERED,
      ])
    : engine.query<RedeliveredRow>(REDELIVER_IDS, [...values, redelivery.eventIds]));
  if (row && !row.enabled) throw toDisabled();
  onAppended();
  return row && { scheduled: row.scheduled, nextSince: row.nextSince };
}

/** Sends a test event. Undefined if there is no such endpoint. */
async function sendTest(
  { engine, now, onAppended }: StoreDeps,
  applicationId: string,
  id: string,
): Promise<Event | undefined> {
  const createdAt = now();
  const values = [applicationId, id, createdAt.toISOString(), randomUUID(), TEST_CUSTOMER_ID];
  const [row] = await engine.query<TestRow>(SEND_TEST, values);
  if (!row) return undefined;
  if (row.eventId === null) throw toDisabled();
  onAppended();
  return {
    id: row.eventId,
    type: 'webhook.test',
    customerId: TEST_CUSTOMER_ID,
    connectionId: null,
    sequence: null,
    data: { endpoint_id: id },
    createdAt,
  };
}

function toDisabled() {
  return new CrossbookError('CONFLICT', 'The endpoint is disabled: enable it first.');
}

/** Generates the secret of one endpoint. */
function createWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

function sealSecret(secrets: SealedColumns, endpointId: string, secret: string) {
  const { sealed: sealedSecret, keyId } = secrets.webhookSecret.seal(secret, endpointId);
  return { sealedSecret, keyId };
}

/** The visible columns of an endpoint. */
const ENDPOINT = {
  id: table.id,
  url: table.url,
  eventTypes: table.eventTypes,
  enabled: table.enabled,
  lastFailure: table.lastFailure,
  lastFailureAt: table.lastFailureAt,
  createdAt: table.createdAt,
  updatedAt: table.updatedAt,
};

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

/**
 * $1: application, $2: endpoint, $3: time. Returns no row if there is no such endpoint. The endpoint is locked, so
 * that two requests do not schedule one event at once.
 */
const redelivery = (chosen: string, nextSince: string) => `
with endpoint as (
  select id, enabled from crossbook.webhook_endpoints where application_id = $1::uuid and id::text = $2::text
  for no key update
), chosen as (${chosen}), scheduled as (
  insert into crossbook.webhook_deliveries as stored
    (application_id, event_id, endpoint_id, next_attempt_at, created_at)
  select $1::uuid, chosen.id, endpoint.id, $3::timestamptz, $3::timestamptz
  from chosen cross join endpoint where endpoint.enabled
  on conflict (application_id, event_id, endpoint_id) do update
    set next_attempt_at = excluded.next_attempt_at, version = stored.version + 1
  returning 1
)
select (select count(*)::int from scheduled) as scheduled, ${nextSince} as "nextSince", enabled from endpoint`;

const FORGET_DELIVERIES = {
  name: 'forget_deliveries',
  text: `
delete from crossbook.webhook_deliveries
where application_id = $1::uuid and endpoint_id = $2::uuid`,
};

const REDELIVER_IDS = {
  name: 'redeliver_ids',
  text: redelivery(
    'select id from crossbook.events where application_id = $1::uuid and id::text = any ($4::text[])',
    'null::timestamptz',
  ),
};

/** The oldest first: the next request continues from `nextSince`. A test event is for one endpoint only. */
const REDELIVER_SINCE = {
  name: 'redeliver_since',
  text: redelivery(
    `select id from crossbook.events
    where application_id = $1::uuid and created_at >= $4::timestamptz and type <> 'webhook.test'
    order by created_at, id limit $5::int`,
    `(select created_at from crossbook.events
    where application_id = $1::uuid and created_at >= $4::timestamptz and type <> 'webhook.test'
    order by created_at, id offset $5::int limit 1)`,
  ),
};

/**
 * $1: application, $2: endpoint, $3: time, $4: id, $5: customer id. Returns no row if there is no such endpoint, and no
 * event if it is disabled.
 */
const SEND_TEST = {
  name: 'send_test_event',
  // Not retried: a second execution would send another event.
  isOnce: true,
  text: `
with tested as (
  select id, enabled from crossbook.webhook_endpoints where application_id = $1::uuid and id::text = $2::text
), ${recordEvents(
    `select $4::uuid as id, $5::text as customer_id, null::uuid as connection_id, 'webhook.test' as type,
    null::int as sequence, jsonb_build_object('endpoint_id', tested.id) as data
  from tested where enabled`,
    '$3::timestamptz',
    'endpoint.id = (select id from tested)',
  )}
select (select id from happened) as "eventId" from tested`,
};

interface TestRow {
  readonly eventId: string | null;
}

interface RedeliveredRow extends Redelivered {
  readonly enabled: boolean;
}
