import type { IdleConnection, IdleCredentials } from '../domain/tenant.ts';
import type { StoreDeps } from './database.ts';

/**
 * Claims set the last use to a time after which the credentials become due again, so that a crash after a claim only
 * delays them. The claim alone prevents double work; the lease keeps processes from working in parallel.
 */
export function createIdleCredentials({ engine, now }: StoreDeps): IdleCredentials {
  return {
    async holdLease(holder, leaseMs) {
      const taken = await engine.query(TAKE_LEASE, [JOB, holder, leaseMs]);
      return taken.length > 0;
    },
    claim: ({ providers, idleBefore, claimedAs, limit }) =>
      engine.query<IdleConnection>(CLAIM, [
        providers,
        idleBefore.toISOString(),
        claimedAs.toISOString(),
        now().toISOString(),
        limit,
      ]),
    async passOver({ connectionId, generation }) {
      await engine.query(PASS_OVER, [connectionId, generation, now().toISOString()]);
    },
  };
}

const JOB = 'renew idle tokens';

const TAKE_LEASE = {
  name: 'take_job_lease',
  text: `
insert into crossbook.job_leases as stored (job, holder, until)
values ($1::text, $2::uuid, clock_timestamp() + $3::int * interval '1 millisecond')
on conflict (job) do update set holder = excluded.holder, until = excluded.until
  where stored.holder = excluded.holder or stored.until <= clock_timestamp()
returning holder`,
};

/** The expression of the index. */
const IDLE_SINCE = 'greatest(updated_at, idle_since)';

/** Updates all due rows, so that those that cannot be refreshed are not selected repeatedly. */
const CLAIM = {
  name: 'claim_idle_credentials',
  text: `
with due as (
  select connection_id from crossbook.credentials
  where ${IDLE_SINCE} < $2::timestamptz
  order by ${IDLE_SINCE} limit $5::int for no key update skip locked
), named as (
  select id, customer_id, provider_name, status = 'connected' and provider_name = any ($1::text[]) as renewable
  from crossbook.connections where id in (select connection_id from due)
), claimed as (
  update crossbook.credentials as stored
  set idle_since = case when named.renewable and stored.sealed is not null then $3::timestamptz else $4::timestamptz end
  from named where stored.connection_id = named.id
  returning stored.connection_id, stored.application_id, stored.generation,
    named.renewable and stored.sealed is not null as renewable
)
select claimed.application_id as "applicationId", claimed.connection_id as "connectionId",
  named.customer_id as "customerId", named.provider_name as "providerName", claimed.generation
from claimed join named on named.id = claimed.connection_id
where claimed.renewable`,
};

const PASS_OVER = {
  name: 'pass_over_idle_credentials',
  text: `
update crossbook.credentials set idle_since = $3::timestamptz
where connection_id = $1::uuid and generation = $2::int`,
};
