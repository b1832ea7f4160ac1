import { sql } from 'drizzle-orm';
import {
  MAX_RECENT_ERRORS,
  type UsageCounts,
  type UsageRow,
  type UsageStore,
} from '../domain/usage.ts';
import type { CustomerKey } from './customer-rows.ts';
import type { Engine } from './engine/postgres.ts';
import type { Transaction } from './events.ts';
import { inBatches } from './sweeps.ts';

/** The usage of all applications: for the operator only. */
export function createUsage(engine: Engine): UsageStore {
  return {
    async add(rows) {
      await engine.query(ADD_USAGE, [JSON.stringify(rows.map(toJson))]);
    },
    byApplication: ({ since, until, limit }) =>
      engine.query(USAGE_BY_APPLICATION, [since.toISOString(), until.toISOString(), limit]),
    byCustomer: ({ applicationId, since, until, limit }) =>
      engine.query(USAGE_BY_CUSTOMER, [
        since.toISOString(),
        until.toISOString(),
        applicationId,
        limit,
      ]),
    byHour: ({ applicationId, customerId = null, since, until }) =>
      engine.query(USAGE_BY_HOUR, [
        since.toISOString(),
        until.toISOString(),
        applicationId,
        customerId,
      ]),
  };
}

function toJson({ hour, ...row }: UsageRow) {
  return { ...row, hour: new Date(hour).toISOString() };
}

/** Deletes the usage of hours before, and yields the number of deleted rows after each statement. */
export function createUsageSweep(engine: Engine) {
  return (olderThan: Date, batch = BATCH) =>
    inBatches(batch, async () => {
      const values = [olderThan.toISOString(), batch];
      const [row] = await engine.query<{ count: number }>(SWEEP_USAGE, values);
      return row?.count ?? 0;
    });
}

const BATCH = 2_000;

/**
 * Moves the usage of a customer that is being deleted to the row without a customer: the sums of the application stay
 * true, and nothing personal is left. The customer is locked, so no process adds to its rows meanwhile.
 */
export async function anonymizeUsage(
  tx: Transaction,
  { applicationId, customerId }: CustomerKey,
): Promise<void> {
  await tx.execute(sql`
    with moved as (
      delete from crossbook.usage where application_id = ${applicationId}::uuid and customer_id = ${customerId}
      returning *
    )
    insert into crossbook.usage as stored (application_id, customer_id, hour, requests, errors, provider_calls, cost)
    select application_id, '', hour, requests, errors, provider_calls, cost from moved order by hour
    on conflict (application_id, customer_id, hour) do update set ${sql.raw(ADDED)}`);
}

const COUNTS = {
  requests: 'requests',
  errors: 'errors',
  providerCalls: 'provider_calls',
  cost: 'cost',
} as const satisfies Record<keyof UsageCounts, string>;
const columns = (toColumn: (column: string, name: string) => string) =>
  Object.entries(COUNTS)
    .map(([name, column]) => toColumn(column, name))
    .join(', ');

/** Adds up lists of tallies, which are objects of numbers, by name. `list` is a query of them. */
const mergeTallies = (list: string) =>
  `(select jsonb_object_agg(name, total) from (
    select name, sum(value::text::numeric) as total
    from (${list}) as list (tallies), jsonb_each(tallies) as entry (name, value) group by name
  ) as merged)`;
/** The latest of both. */
const mergeErrors = (list: string) =>
  `(select jsonb_agg(error order by error ->> 'at') from (
    select error from (${list}) as list (errors), jsonb_array_elements(errors) as error
    order by error ->> 'at' desc limit ${MAX_RECENT_ERRORS}
  ) as latest)`;

const ADDED = columns((column) => `${column} = stored.${column} + excluded.${column}`);
const ADDED_DETAILS = `
  tallies = ${mergeTallies('values (stored.tallies), (excluded.tallies)')},
  recent_errors = ${mergeErrors('values (stored.recent_errors), (excluded.recent_errors)')}`;
const SUMS = columns((column, name) => `sum(${column})::float8 as "${name}"`);

/**
 * Customers that do not exist are counted without one. A customer's row is locked as a foreign key would, so that none
 * is deleted between this check and the commit. Rows are written in one order, so that processes cannot deadlock.
 */
const ADD_USAGE = {
  name: 'add_usage',
  isOnce: true,
  text: `
with given as materialized (
  select * from json_to_recordset($1::json) as given ("applicationId" uuid, "customerId" text, hour timestamptz,
    ${columns((_column, name) => `"${name}" bigint`)}, tallies jsonb, recent jsonb)
), known as materialized (
  select customer.application_id, customer.customer_id from crossbook.customers as customer
  where (customer.application_id, customer.customer_id) in (select "applicationId", "customerId" from given)
  order by customer.application_id, customer.customer_id
  for key share of customer
)
insert into crossbook.usage as stored
  (application_id, customer_id, hour, ${columns((column) => column)}, tallies, recent_errors)
select application_id, customer_id, hour, ${columns((_column, name) => `"${name}"`)},
  ${mergeTallies('select unnest(tallies)')}, ${mergeErrors('select unnest(recent)')}
from (
  select "applicationId" as application_id, coalesce(known.customer_id, '') as customer_id, hour,
    ${columns((_column, name) => `sum("${name}") as "${name}"`)},
    array_agg(tallies) filter (where "customerId" = '' or known.customer_id is not null) as tallies,
    array_agg(recent) as recent
  from given
  join crossbook.applications as application on application.id = "applicationId" and application.deleted_at is null
  left join known on known.application_id = "applicationId" and known.customer_id = "customerId"
  group by 1, 2, 3
) as summed
order by application_id, customer_id, hour
on conflict (application_id, customer_id, hour) do update set ${ADDED}, ${ADDED_DETAILS}`,
};

const IN_RANGE = 'hour >= $1::timestamptz and hour < $2::timestamptz';

const USAGE_BY_APPLICATION = {
  name: 'usage_by_application',
  text: `
select application.id as "applicationId", application.name, ${SUMS}
from crossbook.usage join crossbook.applications as application on application.id = application_id
where ${IN_RANGE} and application.deleted_at is null
group by application.id
order by sum(requests) desc, application.id limit $3::int`,
};

const USAGE_BY_CUSTOMER = {
  name: 'usage_by_customer',
  text: `
select customer_id as "customerId", ${SUMS}
from crossbook.usage where ${IN_RANGE} and application_id = $3::uuid
group by customer_id
having sum(requests) > 0 or sum(provider_calls) > 0
order by sum(requests) desc, customer_id limit $4::int`,
};

/** At most the hours of 90 days. */
const USAGE_BY_HOUR = {
  name: 'usage_by_hour',
  text: `
select hour, ${SUMS}
from crossbook.usage
where ${IN_RANGE} and application_id = $3::uuid and ($4::text is null or customer_id = $4::text)
group by hour
order by hour`,
};

const SWEEP_USAGE = {
  name: 'sweep_usage',
  text: `
with deleted as (
  delete from crossbook.usage where (application_id, customer_id, hour) in (
    select application_id, customer_id, hour from crossbook.usage
    where hour < $1::timestamptz order by hour limit $2::int
  ) returning 1
)
select count(*)::int as count from deleted`,
};
