import type {
  ApplicationUsage,
  ConnectionToRenew,
  CustomerUsage,
  EndpointFailing,
  FoundCustomer,
  ListedLink,
  ListedResponse,
  ListedRun,
  OperatorViews,
  PendingDelivery,
  SyncBehind,
} from '../domain/operator-views.ts';
import { MINUTE_TALLIES } from '../domain/usage.ts';
import { isStorable } from '../lib/text.ts';
import type { Engine } from './engine/postgres.ts';

/**
 * What operators look at, over all applications. Each statement reads ranges of indexes: its time does not depend on the
 * number of customers and events. `test/storage/operator-views.test.ts` checks their plans.
 */
export function createOperatorViews({ query }: Pick<Engine, 'query'>): OperatorViews {
  return {
    usageOfApplications: ({ since, until, applicationId }) => {
      const values = [
        since.toISOString(),
        until.toISOString(),
        applicationId ?? null,
        MINUTE_TALLIES,
      ];
      return query<ApplicationUsage>(USAGE_OF_APPLICATIONS, values);
    },
    usageOfCustomer: async ({ since, until, applicationId, customerId }) => {
      if (!isStorable(customerId)) return [];
      const values = [since.toISOString(), until.toISOString(), applicationId, customerId];
      return query<CustomerUsage>(USAGE_OF_CUSTOMER, values);
    },
    connectionsToRenew: (limit) => query<ConnectionToRenew>(CONNECTIONS_TO_RENEW, [limit]),
    syncsBehind: (limit) => query<SyncBehind>(SYNCS_BEHIND, [limit]),
    endpointsFailing: (limit) => query<EndpointFailing>(ENDPOINTS_FAILING, [limit]),
    searchCustomers: async ({ applicationId, prefix, status, after, limit }) => {
      const key = prefix.toLowerCase();
      if (!isStorable(prefix) || !isStorable(after?.key ?? '')) return [];
      if (status !== undefined) {
        const values = [applicationId, status, after?.customerId ?? '', limit, key];
        return query<FoundCustomer>(CUSTOMERS_BY_STATUS, values);
      }
      const values = [applicationId, toPattern(key), after?.key ?? '', after?.customerId ?? ''];
      const byId =
        after?.by === 'name' ? [] : await query<FoundCustomer>(CUSTOMERS_BY_ID, [...values, limit]);
      if (prefix === '' || byId.length >= limit) return byId;
      const [nameKey, nameId] = after?.by === 'name' ? [after.key, after.customerId] : ['', ''];
      const rest = [applicationId, toPattern(key), nameKey, nameId, limit - byId.length];
      return [...byId, ...(await query<FoundCustomer>(CUSTOMERS_BY_NAME, rest))];
    },
    linksOf: async ({ applicationId, customerId }, limit) =>
      isStorable(customerId)
        ? query<ListedLink>(LINKS_OF_CUSTOMER, [applicationId, customerId, limit])
        : [],
    syncRunsOf: async ({ applicationId, customerId }, limit) =>
      isStorable(customerId)
        ? query<ListedRun>(RUNS_OF_CUSTOMER, [applicationId, customerId, limit])
        : [],
    responses: ({ applicationId, endpointId, eventId, before, limit }) =>
      eventId === undefined
        ? query<ListedResponse>(RESPONSES_OF_ENDPOINT, [
            applicationId,
            endpointId,
            before?.toISOString() ?? 'infinity',
            limit,
          ])
        : query<ListedResponse>(RESPONSES_TO_EVENT, [applicationId, eventId, limit]),
    pendingDeliveries: ({ applicationId, endpointId }, limit) =>
      query<PendingDelivery>(PENDING_DELIVERIES, [applicationId, endpointId, limit]),
  };
}

/** Of the text, `%` and `_` are meant literally. */
function toPattern(prefix: string): string {
  return `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Rows without a customer have the totals of the application. Of a long period, minutes are left out. `offset 0` makes
 * PostgreSQL look each application up by its index: it overestimates these rows, and would read all of the table.
 */
const USAGE_OF_APPLICATIONS = {
  name: 'usage_of_applications',
  text: `
select application.id as "applicationId", hour, tallies
from crossbook.applications as application
cross join lateral (
  select hour, case when $2::timestamptz - $1::timestamptz > interval '3 hours' then tallies - $4::text[]
    else tallies end as tallies from crossbook.usage
  where application_id = application.id and customer_id = ''
    and hour >= $1::timestamptz and hour < $2::timestamptz and tallies is not null
  offset 0
) as used
where deleted_at is null and ($3::uuid is null or application.id = $3::uuid)
order by hour`,
};

const USAGE_OF_CUSTOMER = {
  name: 'usage_of_customer',
  text: `
select hour, requests::float8, errors::float8, provider_calls::float8 as "providerCalls", cost::float8, tallies,
  recent_errors as "recentErrors"
from crossbook.usage
where application_id = $3::uuid and customer_id = $4::text and hour >= $1::timestamptz and hour < $2::timestamptz
order by hour`,
};

/** Of each application the first thousand by id: more of them need another tool. */
const CONNECTIONS_TO_RENEW = {
  name: 'connections_to_renew',
  text: `
select application.id as "applicationId", application.name as application, customer_id as "customerId",
  provider_name as "providerName", status, status_reason as "statusReason", status_changed_at as "statusChangedAt"
from crossbook.applications as application
cross join lateral (
  select customer_id, provider_name, status, status_reason, status_changed_at from crossbook.connections
  where application_id = application.id and status = 'reauthorize' order by customer_id limit 1000
) as connection
where deleted_at is null order by status_changed_at desc limit $1::int`,
};

const IS_RUNNABLE = 'not is_paused and pause_reason is null';

const SYNCS_BEHIND = {
  name: 'syncs_behind',
  text: `
with recursive intervals as (
  (select interval_seconds from crossbook.syncs
    where ${IS_RUNNABLE} and problem is null order by interval_seconds limit 1)
  union all
  select (
    select next.interval_seconds from crossbook.syncs as next
    where ${IS_RUNNABLE} and problem is null and next.interval_seconds > intervals.interval_seconds
    order by next.interval_seconds limit 1
  ) from intervals where intervals.interval_seconds is not null
), behind as (
  (select application_id, connection_id, kind, object from crossbook.syncs
    where failures > 0 order by application_id limit $1::int)
  union
  select late.* from intervals cross join lateral (
    select application_id, connection_id, kind, object from crossbook.syncs
    where ${IS_RUNNABLE} and problem is null and interval_seconds = intervals.interval_seconds
      and synced_until < now() - 3 * intervals.interval_seconds * interval '1 second'
    order by synced_until limit $1::int
  ) as late
)
select sync.application_id as "applicationId", application.name as application,
  connection.customer_id as "customerId", connection.provider_name as "providerName", sync.object,
  table_name as "table", failures, synced_until as "syncedUntil", coalesce(problem, run.error) as error
from behind
join crossbook.syncs as sync using (application_id, connection_id, kind, object)
join crossbook.connections as connection
  on connection.application_id = sync.application_id and connection.id = sync.connection_id
join crossbook.applications as application
  on application.id = sync.application_id and application.deleted_at is null
left join lateral (
  select error from crossbook.sync_runs as run
  where run.application_id = sync.application_id and run.connection_id = sync.connection_id
    and run.kind = sync.kind and run.object = sync.object
  order by finished_at desc limit 1
) as run on true
order by failures desc, synced_until nulls first limit $1::int`,
};

const ENDPOINTS_FAILING = {
  name: 'endpoints_failing',
  text: `
select application.id as "applicationId", application.name as application, endpoint.id, url, enabled, failures,
  failing_since as "failingSince", last_failure as "lastFailure"
from crossbook.applications as application
join crossbook.webhook_endpoints as endpoint on endpoint.application_id = application.id
where deleted_at is null and failures > 0 order by failing_since nulls last limit $1::int`,
};

/** Customers with their connections: `found` yields the customers, and how they were found. */
const withConnections = (found: string) => `
select found.by, found.key, found.customer_id as "customerId", name, email, coalesce(connections, '[]') as connections
from (${found}) as found
cross join lateral (
  select jsonb_agg(jsonb_build_object('providerName', provider_name, 'status', status,
    'statusReason', status_reason, 'statusChangedAt', status_changed_at) order by provider_name) as connections
  from crossbook.connections as connection
  where connection.application_id = $1::uuid and connection.customer_id = found.customer_id
) as connection
order by found.key, found.customer_id`;

const CUSTOMERS_BY_ID = {
  name: 'customers_by_id',
  text: withConnections(`
  select 'id' as by, lower(customer_id) collate "C" as key, customer_id, name, email from crossbook.customers
  where application_id = $1::uuid and lower(customer_id) collate "C" like $2::text
    and (lower(customer_id) collate "C", customer_id) > ($3::text, $4::text)
  order by lower(customer_id) collate "C", customer_id limit $5::int`),
};

/** Those that were found by their id are left out. */
const CUSTOMERS_BY_NAME = {
  name: 'customers_by_name',
  text: withConnections(`
  select 'name' as by, lower(name) collate "C" as key, customer_id, name, email from crossbook.customers
  where application_id = $1::uuid and lower(name) collate "C" like $2::text
    and lower(customer_id) collate "C" not like $2::text
    and (lower(name) collate "C", customer_id) > ($3::text, $4::text)
  order by lower(name) collate "C", customer_id limit $5::int`),
};

const CUSTOMERS_BY_STATUS = {
  name: 'customers_by_status',
  text: withConnections(`
  select distinct 'id' as by, connection.customer_id as key, connection.customer_id, name, email
  from crossbook.connections as connection
  join crossbook.customers as named
    on named.application_id = $1::uuid and named.customer_id = connection.customer_id
  where connection.application_id = $1::uuid and status = $2::text and connection.customer_id > $3::text
    and ($5::text = '' or starts_with(lower(named.customer_id), $5::text) or starts_with(lower(named.name), $5::text))
  order by connection.customer_id limit $4::int`),
};

const LINKS_OF_CUSTOMER = {
  name: 'links_of_customer',
  text: `
select id, purpose, case when expires_at <= now() and status in ('PENDING', 'STARTED') then 'EXPIRED' else status end as status,
  failure, providers, provider_name as "providerName", created_at as "createdAt", expires_at as "expiresAt"
from crossbook.connect_links
where application_id = $1::uuid and customer_id = $2::text order by created_at desc limit $3::int`,
};

const RUNS_OF_CUSTOMER = {
  name: 'runs_of_customer',
  text: `
select provider_name as "providerName", kind, object, started_at as "startedAt", finished_at as "finishedAt",
  is_full as "isFull", records, deleted, error
from crossbook.connections as connection
join crossbook.sync_runs as run
  on run.application_id = $1::uuid and run.connection_id = connection.id
where connection.application_id = $1::uuid and customer_id = $2::text
order by finished_at desc limit $3::int`,
};

/** A look-up for each row: the limit keeps PostgreSQL from joining the whole table. */
const EVENT =
  'select type, customer_id from crossbook.events where application_id = $1::uuid and id = event_id limit 1';

const selectResponses = (of: string) => `
select event_id as "eventId", endpoint_id as "endpointId", type, customer_id as "customerId", attempt, status, reason,
  body, ms, response.created_at as "createdAt"
from (
  select * from crossbook.webhook_responses where application_id = $1::uuid and ${of}
) as response
cross join lateral (${EVENT}) as event
order by response.created_at desc, event_id desc`;

const RESPONSES_OF_ENDPOINT = {
  name: 'responses_of_endpoint',
  text: selectResponses(`endpoint_id = $2::uuid and created_at < $3::timestamptz
  order by created_at desc limit $4::int`),
};

const RESPONSES_TO_EVENT = {
  name: 'responses_to_event',
  text: selectResponses('event_id = $2::uuid order by created_at desc limit $3::int'),
};

/** A range of endpoints, so that only the index by endpoint and time fits: see `webhook-queue.ts`. */
const PENDING_DELIVERIES = {
  name: 'pending_deliveries',
  text: `
select event_id as "eventId", type, customer_id as "customerId", attempts, next_attempt_at as "nextAttemptAt",
  delivery.created_at as "createdAt"
from (
  select * from crossbook.webhook_deliveries
  where application_id = $1::uuid and endpoint_id between $2::uuid and $2::uuid
  order by endpoint_id, next_attempt_at limit $3::int
) as delivery
cross join lateral (${EVENT}) as event
order by next_attempt_at`,
};
