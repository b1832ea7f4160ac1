/** Unless another has the name: also one of before, whose id does not follow from it. */
export const CREATE_APPLICATION = {
  name: 'create_application',
  text: `
insert into crossbook.applications (id, name)
select $1::uuid, $2::text where not exists (select from crossbook.applications where name = $2::text)
on conflict do nothing
returning id`,
};

/** Unless another of the application that does not end has the name. */
export const CREATE_KEY = {
  name: 'create_key',
  text: `
insert into crossbook.api_keys (public_id, application_id, name, secret_hash)
select $1::text, $2::uuid, $3::text, $4::text where not exists (
  select from crossbook.api_keys where application_id = $2::uuid and name = $3::text and revoked_at is null
)
returning public_id`,
};

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
