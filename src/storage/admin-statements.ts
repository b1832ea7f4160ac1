/** A key with another secret takes the place of one that still counts; that one ends at $4. */
export const ROTATE_KEY = {
  name: 'rotate_key',
  text: `
with old as (
  update crossbook.api_keys as kept set revoked_at = least(kept.revoked_at, $4::timestamptz)
  where public_id = $1::text and (revoked_at is null or revoked_at > $5::timestamptz)
  returning application_id, name
)
insert into crossbook.api_keys (public_id, application_id, name, secret_hash, created_at)
select $2::text, application_id, name, $3::text, $5::timestamptz from old
returning name`,
};
