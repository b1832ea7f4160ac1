import type { Application } from '../domain/caller.ts';
import type { DeletedApplications } from '../domain/tenant.ts';
import type { Engine } from './engine/postgres.ts';
import { acquireJobLease } from './leases.ts';
import { inBatches } from './sweeps.ts';

/**
 * Deletes what applications that are marked as deleted have left, in statements of a bounded number of rows. What a
 * customer owns is deleted with it by cascade.
 */
export function createDeletedApplications(engine: Engine): DeletedApplications {
  return {
    acquireJobLease: (holder, leaseMs) => acquireJobLease(engine, { job: JOB, holder, leaseMs }),
    find: async (settledMs) => (await engine.query<Application>(FIND_DELETED, [settledMs]))[0],
    findCustomers: (applicationId) =>
      engine.query<{ customerId: string; hasGrant: boolean }>(FIND_CUSTOMERS, [
        applicationId,
        CUSTOMERS,
      ]),
    async deleteCustomers(applicationId, customerIds) {
      await engine.query(DELETE_CUSTOMERS, [applicationId, customerIds]);
    },
    async *deleteHistory(applicationId) {
      for (const statement of [DELETE_EVENTS, DELETE_USAGE]) {
        yield* inBatches(ROWS, async () => {
          const [row] = await engine.query<{ count: number }>(statement, [applicationId, ROWS]);
          return row?.count ?? 0;
        });
      }
    },
    async remove(applicationId) {
      await engine.query(REMOVE, [applicationId]);
    },
  };
}

const JOB = 'delete applications';
/** A customer may own thousands of rows: cached contacts, mapping problems, links. */
const CUSTOMERS = 100;
const ROWS = 2_000;

const FIND_DELETED = {
  name: 'find_deleted_application',
  text: `
select id, name from crossbook.applications
where deleted_at < clock_timestamp() - $1::int * interval '1 millisecond'
order by deleted_at, id limit 1`,
};

/**
 * Whether one of the customer's grants came by a connect link, and is ours to revoke. Not `exists`, for which
 * PostgreSQL may read the grants of all customers into a hash table.
 */
const HAS_GRANT = `coalesce((
  select true from crossbook.connections as connection
  join crossbook.credentials as stored
    on stored.application_id = connection.application_id and stored.connection_id = connection.id
  where connection.application_id = customer.application_id and connection.customer_id = customer.customer_id
    and stored.oauth_client_id is not null and stored.sealed is not null
  limit 1
), false)`;

const FIND_CUSTOMERS = {
  name: 'find_customers_to_delete',
  text: `
select customer_id as "customerId", ${HAS_GRANT} as "hasGrant"
from crossbook.customers as customer where application_id = $1::uuid
order by customer_id limit $2::int`,
};

/** A grant that was stored meanwhile is found, and revoked, with the next page. */
const DELETE_CUSTOMERS = {
  name: 'delete_customers_without_grants',
  text: `
delete from crossbook.customers as customer
where application_id = $1::uuid and customer_id = any ($2::text[]) and not ${HAS_GRANT}`,
};

const deleteRows = (table: string, key: string) => `
with deleted as (
  delete from crossbook.${table} where application_id = $1::uuid and (${key}) in (
    select ${key} from crossbook.${table} where application_id = $1::uuid limit $2::int
  ) returning 1
)
select count(*)::int as count from deleted`;

const DELETE_EVENTS = { name: 'delete_events_of_application', text: deleteRows('events', 'id') };
const DELETE_USAGE = {
  name: 'delete_usage_of_application',
  text: deleteRows('usage', 'customer_id, hour'),
};

/** What is left are a few rows. */
const REMOVE = {
  name: 'remove_application',
  text: 'delete from crossbook.applications where id = $1::uuid and deleted_at is not null',
};
