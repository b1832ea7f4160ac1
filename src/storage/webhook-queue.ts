import {
  type ClaimedEndpoint,
  type Delivery,
  type Event,
  type FailingEndpoint,
  RETRIES_MS,
  type WebhookCounts,
  type WebhookQueue,
} from '../domain/event.ts';
import type { StoreDeps } from './database.ts';
import type { Engine } from './engine/open.ts';
import { inBatches } from './sweeps.ts';

/**
 * The queue of webhook deliveries. Each statement is its own transaction, so that none is open while an endpoint is
 * called.
 */
export function createWebhookQueue({ engine, secrets, now }: StoreDeps): WebhookQueue {
  const at = (offsetMs = 0) => new Date(now().getTime() + offsetMs).toISOString();
  const { query } = engine;
  return {
    look: async () => {
      const [row] = await query<Awaited<ReturnType<WebhookQueue['look']>>>(LOOK, [at()]);
      return row ?? { isDue: false, hasEndpoints: false };
    },
    claim: async ({ lease, leaseMs, healthy, failing }) => {
      const slots = [healthy, failing].flatMap(({ free, held }) => [
        free,
        JSON.stringify(Object.fromEntries(held)),
      ]);
      const values = [at(), lease, leaseMs, ...slots];
      const rows = await query<ClaimedRow>(CLAIM, values);
      return rows.map(({ sealedSecrets, ...endpoint }) => ({
        ...endpoint,
        secrets: sealedSecrets.flatMap(
          (sealed) => secrets.webhookSecret.open(sealed, endpoint.id) ?? [],
        ),
      }));
    },
    read: async (endpointId, limit) => {
      const rows = await query<DueRow>(READ_DUE, [endpointId, at(), limit]);
      return rows.map(toDelivery);
    },
    succeed: async ({ endpointId, eventId, rowVersion }, isRecovery) => {
      await query(SUCCEED, [endpointId, eventId, at(), isRecovery, rowVersion]);
    },
    fail: async ({ endpointId, eventId }, { reason, retryAfterMs, pauseMs, isGone }) => {
      const times = [at(retryAfterMs), at(pauseMs), isGone, at(-RETRIES_MS)];
      await query(FAIL, [endpointId, eventId, at(), reason, ...times]);
    },
    release: async (endpointId, lease) => {
      await query(RELEASE, [endpointId, lease]);
    },
    count: async () => {
      const [row] = await query<WebhookCounts>(COUNT, [at()]);
      return row ?? { pending: 0, overdueSeconds: 0, failing: 0, disabled: 0 };
    },
    listFailing: () => query<FailingEndpoint>(LIST_FAILING, []),
  };
}

/** Deletes expired events, and deliveries whose endpoint was deleted or disabled. */
export function createEventSweep(engine: Engine, batch = SWEPT_AT_ONCE) {
  return async function* (olderThan: Date) {
    const values = [olderThan.toISOString(), batch];
    yield* inBatches(batch, async () => {
      const [row] = await engine.query<{ readonly count: number }>(SWEEP_EVENTS, values);
      return row?.count ?? 0;
    });
  };
}

function toDelivery({
  type,
  connectionId,
  sequence,
  data,
  createdAt,
  ...delivery
}: DueRow): Delivery {
  const { customerId } = delivery;
  const subject = connectionId === null ? {} : { connection_id: connectionId, sequence };
  const body = {
    type,
    timestamp: createdAt.toISOString(),
    data: { customer_id: customerId, ...subject, ...data },
  };
  return { ...delivery, body: JSON.stringify(body) };
}

const SWEPT_AT_ONCE = 2_000;

/** Each part reads the first row of an index. */
const LOOK = {
  name: 'look_for_deliveries',
  text: `
select exists (select from crossbook.webhook_deliveries where next_attempt_at <= $1::timestamptz) as "isDue",
  exists (select from crossbook.webhook_endpoints) as "hasEndpoints"`,
};

/**
 * Processes claim endpoints instead of deliveries, so that a hanging endpoint takes one slot, and its events are sent
 * in order. The lease expires by the database's clock. Applications take turns, each with its least recently served
 * endpoint, and each slot is given by the rule of `shareOf`: twice of what its application holds (`place - 1`) is
 * less than what is free by then (`free - position + 1`).
 */
const claimable = (
  isHealthy: string,
  { free, held }: Readonly<Record<'free' | 'held', string>>,
) => `
  select endpoint.id from crossbook.webhook_endpoints as endpoint
  join (
    select id, place, row_number() over (order by place, leased_until nulls first) as position
    from (
      select id, leased_until, coalesce((${held}::jsonb ->> application_id::text)::int, 0)
        + row_number() over (partition by application_id order by leased_until nulls first) as place
      from crossbook.webhook_endpoints as endpoint
      where enabled and ${isHealthy} and (leased_until is null or leased_until <= clock_timestamp())
        and (paused_until is null or paused_until <= $1::timestamptz)
        and exists (
          select from crossbook.webhook_deliveries
          where endpoint_id = endpoint.id and next_attempt_at <= $1::timestamptz
        )
    ) as due
  ) as turn on turn.id = endpoint.id
  where 2 * (place - 1) <= ${free}::int - position
    and (endpoint.leased_until is null or endpoint.leased_until <= clock_timestamp())
  order by position for no key update of endpoint skip locked`;

const CLAIM = {
  name: 'claim_endpoints',
  // Not retried: a second execution would not return the rows that the first one has claimed.
  isOnce: true,
  text: `
with healthy as (${claimable('failures = 0', { free: '$4', held: '$5' })}),
failing as (${claimable('failures > 0', { free: '$6', held: '$7' })})
update crossbook.webhook_endpoints as stored
set lease = $2::uuid, leased_until = clock_timestamp() + $3::int * interval '1 millisecond'
where id in (select id from healthy union all select id from failing)
returning id, application_id as "applicationId", url, failures, array_remove(array[
  sealed_secret, case when previous_secret_until > $1::timestamptz then sealed_previous_secret end
], null) as "sealedSecrets"`,
};

/** Releases the lease and keeps the time of the last service. */
const RELEASE = {
  name: 'release_endpoint',
  text: `
update crossbook.webhook_endpoints set lease = null, leased_until = clock_timestamp()
where id = $1::uuid and lease = $2::uuid`,
};

/**
 * Orders by time of the event, and events of one connection at the same time by sequence. An index selects the rows,
 * and only these are joined: after an outage of days millions may be queued. Rows that were created together (by one
 * statement, or one redelivery) differ only in their events.
 */
export const READ_DUE = {
  name: 'read_due_deliveries',
  text: `
with delivery as (
  select event_id, endpoint_id, attempts, xmin::text as row_version from crossbook.webhook_deliveries
  where endpoint_id = $1::uuid and next_attempt_at <= $2::timestamptz
  order by next_attempt_at, created_at fetch first ($3::int) rows with ties
)
select delivery.event_id as "eventId", delivery.endpoint_id as "endpointId", delivery.attempts,
  delivery.row_version as "rowVersion",
  event.type, event.customer_id as "customerId", event.connection_id as "connectionId", event.sequence,
  event.data, event.created_at as "createdAt"
from delivery join crossbook.events as event on event.id = delivery.event_id
order by event.created_at, event.sequence nulls first, event.id limit $3::int`,
};

/**
 * A delivery that was redelivered while being sent has another row version and is sent again. After an outage failed
 * deliveries become due at their own time, so that they precede later ones.
 */
const SUCCEED = {
  name: 'delivery_succeeded',
  text: `
with arrived as (
  delete from crossbook.webhook_deliveries
  where endpoint_id = $1::uuid and event_id = $2::uuid and xmin::text = $5::text
), due as (
  update crossbook.webhook_deliveries set next_attempt_at = least(created_at, $3::timestamptz)
  where $4::boolean and endpoint_id = $1::uuid and event_id <> $2::uuid and next_attempt_at > $3::timestamptz
)
update crossbook.webhook_endpoints set failures = 0, failing_since = null, paused_until = null
where id = $1::uuid and failures > 0`,
};

/**
 * $3: time, $4: reason, $5: next attempt of this delivery, $6: end of the endpoint's pause, $7: whether the endpoint
 * is gone, $8: the endpoint is disabled without a success since then.
 */
const FAIL = {
  name: 'delivery_failed',
  isOnce: true,
  text: `
with endpoint as (
  update crossbook.webhook_endpoints
  set failures = failures + 1, failing_since = coalesce(failing_since, $3::timestamptz),
    paused_until = $6::timestamptz, last_failure = $4::text, last_failure_at = $3::timestamptz,
    enabled = enabled and not ($7::boolean or coalesce(failing_since <= $8::timestamptz, false))
  where id = $1::uuid returning enabled
), given_up as (
  delete from crossbook.webhook_deliveries
  where endpoint_id = $1::uuid and (
    (select not enabled from endpoint) or (event_id = $2::uuid and created_at <= $8::timestamptz)
  )
)
update crossbook.webhook_deliveries set attempts = attempts + 1, next_attempt_at = $5::timestamptz
where endpoint_id = $1::uuid and event_id = $2::uuid and (select enabled from endpoint)
  and created_at > $8::timestamptz`,
};

const COUNT = {
  name: 'count_webhooks',
  text: `
select (select count(*)::int from crossbook.webhook_deliveries) as pending,
  coalesce(extract(epoch from $1::timestamptz - (
    select min(delivery.next_attempt_at) from crossbook.webhook_deliveries as delivery
    join crossbook.webhook_endpoints as endpoint on endpoint.id = delivery.endpoint_id
    where endpoint.enabled and endpoint.failures = 0 and delivery.next_attempt_at <= $1::timestamptz
  )), 0)::float8 as "overdueSeconds",
  (select count(*)::int from crossbook.webhook_endpoints where enabled and failures > 0) as failing,
  (select count(*)::int from crossbook.webhook_endpoints where not enabled and failures > 0) as disabled`,
};

const LIST_FAILING = {
  name: 'list_failing_endpoints',
  text: `
select endpoint.id, application.name as application, enabled, last_failure as "lastFailure"
from crossbook.webhook_endpoints as endpoint
join crossbook.applications as application on application.id = endpoint.application_id
where failures > 0 order by enabled, last_failure_at desc limit 20`,
};

/** Deletes at most $2 events and as many deliveries, and returns the larger number. */
const SWEEP_EVENTS = {
  name: 'sweep_events',
  text: `
with swept as (
  delete from crossbook.events where id = any (array(
    select id from crossbook.events where created_at < $1::timestamptz limit $2::int
  )) returning 1
), orphaned as (
  delete from crossbook.webhook_deliveries where ctid = any (array(
    select delivery.ctid from crossbook.webhook_deliveries as delivery
    where not exists (
      select from crossbook.webhook_endpoints where id = delivery.endpoint_id and enabled
    ) limit $2::int
  )) returning 1
)
select greatest((select count(*) from swept), (select count(*) from orphaned))::int as count`,
};

interface ClaimedRow extends Omit<ClaimedEndpoint, 'secrets'> {
  readonly sealedSecrets: readonly string[];
}

type DueRow = Omit<Event, 'id'> & Omit<Delivery, 'body'>;
