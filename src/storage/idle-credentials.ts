import type { IdleConnection, IdleCredentials } from '../domain/tenant.ts';
import { acquireJobLease } from './leases.ts';
import type { StoreDeps } from './store-deps.ts';

/**
 * Claims set the last use to a time after which the credentials become due again, so that a crash after a claim only
 * delays them. The claim alone prevents double work; the lease keeps processes from working in parallel.
 */
export function createIdleCredentials({ engine, now }: StoreDeps): IdleCredentials {
  return {
    acquireJobLease: (holder, leaseMs) => acquireJobLease(engine, { job: JOB, holder, leaseMs }),
    claim: ({ providers, idleBefore, claimedAs, limit }) =>
      engine.query<IdleConnection>(CLAIM, [
        providers,
        idleBefore.toISOString(),
        claimedAs.toISOString(),
        now().toISOString(),
        limit,
      ]),
    async passOver({ applicationId, connectionId, generation }) {
      const values = [applicationId, connectionId, generation, now().toISOString()];
      await engine.query(PASS_OVER, values);
    },
  };
}

const JOB = 'renew idle tokens';

/** The expression of the index. */
const IDLE_SINCE = 'greatest(updated_at, idle_since)';

/** Updates all due rows, so that those that cannot be refreshed are not selected repeatedly. */
const CLAIM = {
  name: 'claim_idle_credentials',
  text: `
with due as (
  select application_id, connection_id from crossbook.credentials
  where ${IDLE_SINCE} < $2::timestamptz
  order by ${IDLE_SINCE} limit $5::int for no key update skip locked
), named as (
  select application_id, id, customer_id, provider_name, status = 'connected' and provider_name = any ($1::text[]) as renewable
  from crossbook.connections
  where (application_id, id) in (select application_id, connection_id from due)
), claimed as (
  update crossbook.credentials as stored
  set idle_since = case when named.renewable and stored.sealed is not null then $3::timestamptz else $4::timestamptz end
  from named where stored.application_id = named.application_id and stored.connection_id = named.id
  returning stored.connection_id, stored.application_id, stored.generation,
    named.renewable and stored.sealed is not null as renewable
)
select claimed.application_id as "applicationId", claimed.connection_id as "connectionId",
  named.customer_id as "customerId", named.provider_name as "providerName", claimed.generation
from claimed
join named on named.application_id = claimed.application_id and named.id = claimed.connection_id
where claimed.renewable`,
};

const PASS_OVER = {
  name: 'pass_over_idle_credentials',
  text: `
update crossbook.credentials set idle_since = $4::timestamptz
where application_id = $1::uuid and connection_id = $2::uuid and generation = $3::int`,
};
