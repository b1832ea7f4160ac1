import {
  type ClaimedEndpoint,
  type Delivery,
  type Event,
  type FailingEndpoint,
  RETRIES_MS,
  type WebhookCounts,
  type WebhookQueue,
} from '../domain/event.ts';
import type { Engine } from './engine/postgres.ts';
import { isFree, isWithinShare, RELEASE_ROW, takeRow } from './leases.ts';
import type { StoreDeps } from './store-deps.ts';
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
    read: async ({ applicationId, id }, limit) => {
      const rows = await query<DueRow>(READ_DUE, [id, at(), limit, applicationId]);
      return rows.map(toDelivery);
    },
    succeed: async ({ applicationId, endpointId, eventId, version }, isRecovery) => {
      await query(SUCCEED, [endpointId, eventId, at(), isRecovery, version, applicationId]);
    },
    fail: async (
      { applicationId, endpointId, eventId },
      { reason, retryAfterMs, pauseMs, isGone },
    ) => {
      const times = [at(retryAfterMs), at(pauseMs), isGone, at(-RETRIES_MS)];
      await query(FAIL, [endpointId, eventId, at(), reason, ...times, applicationId]);
    },
    keepResponse: async (
      { applicationId, endpointId, eventId },
      { attempt, status, reason, body, ms },
    ) => {
      const key = [applicationId, endpointId, eventId, at()];
      await query(KEEP_RESPONSE, [...key, attempt, status, reason, body, ms]);
    },
    release: async ({ applicationId, id }, lease) => {
      await query(RELEASE, [applicationId, id, lease]);
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

/** Each part reads the first row of an index: for `exists`, a generic plan may read the whole table. */
const LOOK = {
  name: 'look_for_deliveries',
  text: `
select coalesce((
    select next_attempt_at <= $1::timestamptz from crossbook.webhook_deliveries order by next_attempt_at limit 1
  ), false) as "isDue",
  exists (select from crossbook.webhook_endpoints) as "hasEndpoints"`,
};

/**
 * The earliest delivery of an endpoint. It is a range of endpoints, ordered by endpoint, so that only the index by
 * endpoint and time fits: with `endpoint_id =` a generic plan may use the one by time, and pass all earlier deliveries
 * of others.
 */
const FIRST_ATTEMPT = `
  select next_attempt_at from crossbook.webhook_deliveries as delivery
  where delivery.application_id = endpoint.application_id and delivery.endpoint_id between endpoint.id and endpoint.id
  order by delivery.endpoint_id, next_attempt_at limit 1`;

/**
 * Processes claim endpoints instead of deliveries, so that a hanging endpoint takes one slot, and its events are sent
 * in order. Applications take turns, each with its least recently served endpoint, within their shares of the slots.
 */
const claimable = (
  isHealthy: string,
  { free, held }: Readonly<Record<'free' | 'held', string>>,
) => `
  select endpoint.application_id, endpoint.id from crossbook.webhook_endpoints as endpoint
  join (
    select application_id, id, place, row_number() over (order by place, leased_until nulls first) as position
    from (
      select application_id, id, leased_until, coalesce((${held}::jsonb ->> application_id::text)::int, 0)
        + row_number() over (partition by application_id order by leased_until nulls first) as place
      from crossbook.webhook_endpoints as endpoint
      where enabled and ${isHealthy} and ${isFree('endpoint')}
        and (paused_until is null or paused_until <= $1::timestamptz)
        and (${FIRST_ATTEMPT}) <= $1::timestamptz
    ) as due
  ) as turn on turn.application_id = endpoint.application_id and turn.id = endpoint.id
  where ${isWithinShare(free)} and ${isFree('endpoint')}
  order by position for no key update of endpoint skip locked`;

const CLAIM = {
  name: 'claim_endpoints',
  // Not retried: a second execution would not return the rows that the first one has claimed.
  isOnce: true,
  text: `
with healthy as (${claimable('failures = 0', { free: '$4', held: '$5' })}),
failing as (${claimable('failures > 0', { free: '$6', held: '$7' })})
update crossbook.webhook_endpoints as stored
set ${takeRow('$2', '$3')}
where (application_id, id) in (
  select application_id, id from healthy union all select application_id, id from failing
)
returning id, application_id as "applicationId", url, failures, array_remove(array[
  sealed_secret, case when previous_secret_until > $1::timestamptz then sealed_previous_secret end
], null) as "sealedSecrets"`,
};

/** An event that was deleted meanwhile has none. */
const KEEP_RESPONSE = {
  name: 'keep_response',
  text: `
insert into crossbook.webhook_responses
  (application_id, endpoint_id, event_id, created_at, attempt, status, reason, body, ms)
select $1::uuid, $2::uuid, id, $4::timestamptz, $5::int, $6::int, $7::text, $8::text, $9::int
from crossbook.events where application_id = $1::uuid and id = $3::uuid
on conflict do nothing`,
};

/** Deletes responses of before, and yields the number of deleted rows after each statement. */
export function createResponseSweep(engine: Engine) {
  return (olderThan: Date, batch = SWEPT_AT_ONCE) =>
    inBatches(batch, async () => {
      const values = [olderThan.toISOString(), batch];
      const [row] = await engine.query<{ count: number }>(SWEEP_RESPONSES, values);
      return row?.count ?? 0;
    });
}

const SWEEP_RESPONSES = {
  name: 'sweep_responses',
  text: `
with deleted as (
  delete from crossbook.webhook_responses where (application_id, event_id, endpoint_id, created_at) in (
    select application_id, event_id, endpoint_id, created_at from crossbook.webhook_responses
    where created_at < $1::timestamptz order by created_at limit $2::int
  ) returning 1
)
select count(*)::int as count from deleted`,
};

/** Releases the lease and keeps the time of the last service. */
const RELEASE = {
  name: 'release_endpoint',
  text: `
update crossbook.webhook_endpoints set ${RELEASE_ROW}
where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid`,
};

/**
 * Orders by time of the event, and events of one connection at the same time by sequence. An index (see
 * `FIRST_ATTEMPT`) selects the rows, and only these are joined: after an outage of days millions may be queued. Rows
 * that were created together (by one statement, or one redelivery) differ only in their events.
 */
export const READ_DUE = {
  name: 'read_due_deliveries',
  text: `
with delivery as (
  select application_id, event_id, endpoint_id, attempts, version from crossbook.webhook_deliveries
  where application_id = $4::uuid and endpoint_id between $1::uuid and $1::uuid and next_attempt_at <= $2::timestamptz
  order by endpoint_id, next_attempt_at, created_at fetch first ($3::int) rows with ties
)
select delivery.application_id as "applicationId", delivery.event_id as "eventId",
  delivery.endpoint_id as "endpointId", delivery.attempts, delivery.version,
  event.type, event.customer_id as "customerId", event.connection_id as "connectionId", event.sequence,
  event.data, event.created_at as "createdAt"
from delivery
join crossbook.events as event
  on event.application_id = delivery.application_id and event.id = delivery.event_id
order by event.created_at, event.sequence nulls first, event.id limit $3::int`,
};

/**
 * A delivery that was redelivered while being sent has another version and is sent again. After an outage failed
 * deliveries become due at their own time, so that they precede later ones.
 */
const SUCCEED = {
  name: 'delivery_succeeded',
  text: `
with arrived as (
  delete from crossbook.webhook_deliveries
  where application_id = $6::uuid and endpoint_id = $1::uuid and event_id = $2::uuid and version = $5::int
), due as (
  update crossbook.webhook_deliveries set next_attempt_at = least(created_at, $3::timestamptz)
  where $4::boolean and application_id = $6::uuid and endpoint_id = $1::uuid and event_id <> $2::uuid
    and next_attempt_at > $3::timestamptz
)
update crossbook.webhook_endpoints set failures = 0, failing_since = null, paused_until = null
where application_id = $6::uuid and id = $1::uuid and failures > 0`,
};

/**
 * $3: time, $4: reason, $5: next attempt of this delivery, $6: end of the endpoint's pause, $7: whether the endpoint
 * is gone, $8: the endpoint is disabled without a success since then, $9: application.
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
  where application_id = $9::uuid and id = $1::uuid returning enabled
), given_up as (
  delete from crossbook.webhook_deliveries
  where application_id = $9::uuid and endpoint_id = $1::uuid and (
    (select not enabled from endpoint) or (event_id = $2::uuid and created_at <= $8::timestamptz)
  )
)
update crossbook.webhook_deliveries set attempts = attempts + 1, next_attempt_at = $5::timestamptz
where application_id = $9::uuid and endpoint_id = $1::uuid and event_id = $2::uuid
  and (select enabled from endpoint)
  and created_at > $8::timestamptz`,
};

/** A count of all rows takes as long as there are rows. */
const MAX_COUNTED = 100_000;

const COUNT = {
  name: 'count_webhooks',
  text: `
select (
    select count(*)::int from (select from crossbook.webhook_deliveries limit ${MAX_COUNTED}) as counted
  ) as pending,
  coalesce(extract(epoch from $1::timestamptz - (
    select min(first.next_attempt_at) from crossbook.webhook_endpoints as endpoint
    cross join lateral (${FIRST_ATTEMPT}) as first
    where endpoint.enabled and endpoint.failures = 0 and first.next_attempt_at <= $1::timestamptz
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

/**
 * Deletes at most $2 events and as many deliveries, and returns the larger number. Steps from endpoint to endpoint in
 * the index of the deliveries, because most of a long queue is to be kept.
 */
const SWEEP_EVENTS = {
  name: 'sweep_events',
  text: `
with recursive queued as (
  (select endpoint_id from crossbook.webhook_deliveries order by endpoint_id limit 1)
  union all
  select (
    select next.endpoint_id from crossbook.webhook_deliveries as next
    where next.endpoint_id > queued.endpoint_id order by next.endpoint_id limit 1
  ) from queued where queued.endpoint_id is not null
), unused as materialized (
  select endpoint_id from queued where endpoint_id is not null and not exists (
    select from crossbook.webhook_endpoints as endpoint where endpoint.id = queued.endpoint_id and enabled
  )
), swept as (
  delete from crossbook.events where (application_id, id) in (
    select application_id, id from crossbook.events where created_at < $1::timestamptz limit $2::int
  ) returning 1
), orphaned as (
  delete from crossbook.webhook_deliveries where (application_id, event_id, endpoint_id) in (
    select delivery.application_id, delivery.event_id, delivery.endpoint_id from unused
    cross join lateral (
      select * from crossbook.webhook_deliveries where endpoint_id = unused.endpoint_id limit $2::int
    ) as delivery limit $2::int
  ) returning 1
)
select greatest((select count(*) from swept), (select count(*) from orphaned))::int as count`,
};

interface ClaimedRow extends Omit<ClaimedEndpoint, 'secrets'> {
  readonly sealedSecrets: readonly string[];
}

type DueRow = Omit<Event, 'id'> & Omit<Delivery, 'body'>;
