/** Unless another has the name: also one of before, whose id does not follow from it. */
export const CREATE_APPLICATION = {
  name: 'create_application',
  text: `
insert into crossbook.applications (id, name)
select $1::uuid, $2::text where not exists (select from crossbook.applications where name = $2::text)
on conflict do nothing
returning id`,
};

/** A key with another secret takes the place of one that has no end; that one goes on for $4 ms. */
export const ROTATE_KEY = {
  name: 'rotate_key',
  text: `
with old as (
  update crossbook.api_keys set revoked_at = now() + $4::float8 * interval '1 millisecond'
  where public_id = $1::text and revoked_at is null
  returning application_id, name, revoked_at
)
insert into crossbook.api_keys (public_id, application_id, name, secret_hash)
select $2::text, application_id, name, $3::text from old
returning (select revoked_at from old) as "endsAt"`,
};
