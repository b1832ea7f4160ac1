/** A key with another secret takes the place of one that still counts; that one goes on for $4 ms. */
export const ROTATE_KEY = {
  name: 'rotate_key',
  text: `
with old as (
  update crossbook.api_keys as kept set revoked_at = least(kept.revoked_at, now() + $4::float8 * interval '1 millisecond')
  where public_id = $1::text and (revoked_at is null or revoked_at > now())
  returning application_id, name, revoked_at
)
insert into crossbook.api_keys (public_id, application_id, name, secret_hash)
select $2::text, application_id, name, $3::text from old
returning (select revoked_at from old) as "endsAt"`,
};
