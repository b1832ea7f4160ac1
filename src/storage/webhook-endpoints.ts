import { randomBytes, randomUUID } from 'node:crypto';
import { and, asc, count, eq, type SQL, sql } from 'drizzle-orm';
import { CrossbookError } from '../domain/errors.ts';
import {
  type EndpointWithSecret,
  type EventType,
  MAX_ENDPOINTS,
  MAX_REDELIVERED,
  type Redelivered,
  type Redelivery,
  ROTATION_MS,
  type WebhookEndpoint,
  type WebhookStore,
} from '../domain/event.ts';
import type { Clock } from '../lib/clock.ts';
import { webhookEndpoints as table } from './connect-schema.ts';
import type { Engine } from './engine/open.ts';
import { applications } from './schema.ts';
import { createSealedTable, type SealedTable } from './sealed-table.ts';
import { type Sealer, sealWithKeyId } from './sealing/seal.ts';

/** The function that it returns opens the store for one application. */
export function createWebhookEndpoints(deps: WebhookDeps): (applicationId: string) => WebhookStore {
  const { engine, sealer, clock } = deps;
  const { orm } = engine;
  const now = () => new Date(clock.wall());
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
            const [found] = await tx
              .select({ number: count() })
              .from(table)
              .where(eq(table.applicationId, applicationId));
            if ((found?.number ?? 0) >= MAX_ENDPOINTS) return undefined;
            const id = randomUUID();
            const secret = createWebhookSecret();
            const [row] = await tx
              .insert(table)
              .values({
                ...{ id, applicationId, url, enabled: true },
                eventTypes: [...eventTypes],
                ...sealWebhookSecret(sealer, id, secret),
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
              ...(eventTypes !== undefined && { eventTypes: [...eventTypes] }),
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
function rotateSecret({ engine, sealer, clock }: WebhookDeps, { id, own }: Owned) {
  const secret = createWebhookSecret();
  return engine.once(() =>
    engine.orm.transaction(async (tx) => {
      const [before] = await tx.select({ sealed: table.sealedSecret }).from(table).where(own).for('update');
      if (!before) return undefined;
      const previous = openWebhookSecret(sealer, id, before.sealed);
      const [row] = await tx
        .update(table)
        .set({
          ...sealWebhookSecret(sealer, id, secret),
          sealedPreviousSecret:
            previous === undefined ? null : sealWebhookSecret(sealer, id, previous).sealedSecret,
          previousSecretUntil: new Date(clock.wall() + ROTATION_MS),
          updatedAt: new Date(clock.wall()),
        })
        .where(own)
        .returning();
      return withSecret(row, secret);
    }),
  );
}

/** Undefined where there is no such endpoint. */
async function redeliver(
  { engine, clock, onAppended }: WebhookDeps,
  { applicationId, id, wanted }: Wanted,
): Promise<Redelivered | undefined> {
  const at = new Date(clock.wall()).toISOString();
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
  const { id, url, enabled, lastFailure, lastFailureAt, createdAt, updatedAt } = row;
  const eventTypes = row.eventTypes as readonly EventType[];
  return { id, url, eventTypes, enabled, lastFailure, lastFailureAt, createdAt, updatedAt };
}

/** A new one, for one endpoint alone. */
function createWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

function sealWebhookSecret(sealer: Sealer, endpointId: string, secret: string) {
  const { sealed, keyId } = sealWithKeyId(sealer, secret, bindingOf(endpointId));
  return { sealedSecret: sealed, keyId };
}

/** Undefined where the key ring has no key for it. */
export function openWebhookSecret(sealer: Sealer, endpointId: string, sealed: string): string | undefined {
  return sealer.open(sealed, bindingOf(endpointId));
}

/** A change of keys seals both secrets of an endpoint anew. */
export function sealedWebhookSecrets(engine: Engine, sealer: Sealer): SealedTable {
  return createSealedTable<{ id: string }>(engine, {
    ...{ table: 'webhook_endpoints', key: ['id'], place: { id: 'id' }, sealer },
    columns: ['sealed_secret', 'sealed_previous_secret'],
    bindingOf: ({ id }) => bindingOf(id),
  });
}

function bindingOf(endpointId: string): string {
  return JSON.stringify(['webhook_endpoints.sealed_secret', endpointId]);
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

interface WebhookDeps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, 'wall'>;
  /** Something may be due that was not. */
  readonly onAppended: () => void;
}
