import { randomBytes, randomUUID } from 'node:crypto';
import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { CrossbookError } from '../domain/errors.ts';
import {
  type EndpointWithSecret,
  MAX_ENDPOINTS,
  MAX_REDELIVERED,
  type Redelivered,
  type Redelivery,
  ROTATION_MS,
  type WebhookEndpoint,
  type WebhookStore,
} from '../domain/event.ts';
import { webhookEndpoints as table } from './connect-schema.ts';
import type { StoreDeps } from './database.ts';
import { applications } from './schema.ts';
import type { SealedColumns } from './sealed-columns.ts';

/** The function that it returns opens the store for one application. */
export function createWebhookEndpoints(deps: StoreDeps): (applicationId: string) => WebhookStore {
  const { engine, secrets, now } = deps;
  const { orm } = engine;
  return (applicationId) => {
    const own = (id: string) => and(eq(table.applicationId, applicationId), sql`${table.id}::text = ${id}`);
    return {
      list: async () => {
        const rows = await engine.repeatable(() =>
          orm
            .select()
            .from(table)
            .where(eq(table.applicationId, applicationId))
            .orderBy(asc(table.createdAt), asc(table.id)),
        );
        return rows.map(toEndpoint);
      },
      create: ({ url, eventTypes }) =>
        engine.once(() =>
          orm.transaction(async (tx) => {
            // Two that are made at once would both find room for one more.
            const isApplication = eq(applications.id, applicationId);
            await tx
              .select({ id: applications.id })
              .from(applications)
              .where(isApplication)
              .for('no key update');
            const endpoints = await tx.$count(table, eq(table.applicationId, applicationId));
            if (endpoints >= MAX_ENDPOINTS) return undefined;
            const id = randomUUID();
            const secret = createWebhookSecret();
            const [row] = await tx
              .insert(table)
              .values({
                ...{ id, applicationId, url, eventTypes, enabled: true },
                ...sealSecret(secrets, id, secret),
                createdAt: now(),
                updatedAt: now(),
              })
              .returning();
            return withSecret(row, secret);
          }),
        ),
      update: async (id, { url, eventTypes, enabled }) => {
        const [row] = await engine.repeatable(() =>
          orm
            .update(table)
            .set({
              ...(url !== undefined && { url }),
              ...(eventTypes !== undefined && { eventTypes }),
              ...(enabled !== undefined && { enabled }),
              // Whoever changes it has mended it, or will see.
              ...{ failures: 0, failingSince: null, pausedUntil: null, updatedAt: now() },
            })
            .where(own(id))
            .returning(),
        );
        if (row && !row.enabled) await engine.repeatable(() => engine.query(FORGET_DELIVERIES, [row.id]));
        return row && toEndpoint(row);
      },
      remove: async (id) => {
        const [row] = await engine.repeatable(() => orm.delete(table).where(own(id)).returning());
        if (row) await engine.repeatable(() => engine.query(FORGET_DELIVERIES, [row.id]));
        return row !== undefined;
      },
      rotateSecret: (id) => rotateSecret(deps, { id, own: own(id) }),
      redeliver: (id, wanted) => redeliver(deps, { applicationId, id, wanted }),
    };
  };
}

/**
 * The secret before it is sealed anew too: a row names one key, and what another one had sealed would be passed over by a
 * change of keys. Where its key is gone, it signs no more.
 */
function rotateSecret({ engine, secrets, now }: StoreDeps, { id, own }: Owned) {
  const secret = createWebhookSecret();
  return engine.once(() =>
    engine.orm.transaction(async (tx) => {
      const [before] = await tx.select({ sealed: table.sealedSecret }).from(table).where(own).for('update');
      if (!before) return undefined;
      const previous = secrets.webhookSecret.open(before.sealed, id);
      const [row] = await tx
        .update(table)
        .set({
          ...sealSecret(secrets, id, secret),
          sealedPreviousSecret:
            previous === undefined ? null : secrets.webhookSecret.seal(previous, id).sealed,
          previousSecretUntil: new Date(now().getTime() + ROTATION_MS),
          updatedAt: now(),
        })
        .where(own)
        .returning();
      return withSecret(row, secret);
    }),
  );
}

/** Undefined where there is no such endpoint. */
async function redeliver(
  { engine, now, onAppended }: StoreDeps,
  { applicationId, id, wanted }: Wanted,
): Promise<Redelivered | undefined> {
  const at = now().toISOString();
  const [statement, values] =
    'since' in wanted
      ? [REDELIVER_SINCE, [applicationId, id, at, wanted.since.toISOString(), MAX_REDELIVERED]]
      : [REDELIVER_IDS, [applicationId, id, at, wanted.eventIds]];
  const [row] = await engine.repeatable(() => engine.query<RedeliveredRow>(statement, values));
  if (row && !row.enabled) throw new CrossbookError('CONFLICT', 'The endpoint is disabled: enable it first.');
  onAppended();
  return row && { scheduled: row.scheduled, nextSince: row.nextSince };
}

function withSecret(row: Row | undefined, secret: string): EndpointWithSecret | undefined {
  return row && { endpoint: toEndpoint(row), secret };
}

function toEndpoint(row: Row): WebhookEndpoint {
  const { id, url, eventTypes, enabled, lastFailure, lastFailureAt, createdAt, updatedAt } = row;
  return { id, url, eventTypes, enabled, lastFailure, lastFailureAt, createdAt, updatedAt };
}

/** A new one, for one endpoint alone. */
function createWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

function sealSecret(secrets: SealedColumns, endpointId: string, secret: string) {
  const { sealed: sealedSecret, keyId } = secrets.webhookSecret.seal(secret, endpointId);
  return { sealedSecret, keyId };
}

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

/** $1 is the application, $2 the endpoint, $3 the time. Nothing comes back where there is no such endpoint. */
const redelivery = (chosen: string, nextSince: string) => `
with endpoint as (
  select id, enabled from crossbook.webhook_endpoints where application_id = $1::uuid and id::text = $2::text
), chosen as (${chosen}), scheduled as (
  insert into crossbook.webhook_deliveries as kept (event_id, endpoint_id, next_attempt_at, created_at)
  select chosen.id, endpoint.id, $3::timestamptz, $3::timestamptz
  from chosen cross join endpoint where endpoint.enabled
  on conflict (event_id, endpoint_id) do update set next_attempt_at = excluded.next_attempt_at
  returning 1
)
select (select count(*)::int from scheduled) as scheduled, ${nextSince} as "nextSince", enabled from endpoint`;

const FORGET_DELIVERIES = {
  name: 'forget_deliveries',
  text: 'delete from crossbook.webhook_deliveries where endpoint_id = $1::uuid',
};

const REDELIVER_IDS = {
  name: 'redeliver_ids',
  text: redelivery(
    'select id from crossbook.events where application_id = $1::uuid and id::text = any ($4::text[])',
    'null::timestamptz',
  ),
};

/** The oldest first: whoever asks goes on from where it ended. */
const REDELIVER_SINCE = {
  name: 'redeliver_since',
  text: redelivery(
    `select id from crossbook.events
    where application_id = $1::uuid and created_at >= $4::timestamptz
    order by created_at, id limit $5::int`,
    `(select created_at from crossbook.events
    where application_id = $1::uuid and created_at >= $4::timestamptz
    order by created_at, id offset $5::int limit 1)`,
  ),
};

interface RedeliveredRow extends Redelivered {
  readonly enabled: boolean;
}

type Row = typeof table.$inferSelect;

interface Owned {
  readonly id: string;
  readonly own: SQL | undefined;
}

interface Wanted {
  readonly applicationId: string;
  readonly id: string;
  readonly wanted: Redelivery;
}
