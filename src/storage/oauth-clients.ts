import type { OAuthClientStore, StoredOAuthClient } from '../domain/oauth.ts';
import type { StoreDeps } from './store-deps.ts';

/** The OAuth clients of one application. */
export function createOAuthClients(
  { engine, secrets, now }: StoreDeps,
  applicationId: string,
): OAuthClientStore {
  return {
    find: async (provider) => {
      const [row] = await engine.query<{ clientId: string; sealedSecret: string }>(FIND, [
        applicationId,
        provider,
      ]);
      if (!row) return undefined;
      const { clientId, sealedSecret } = row;
      const clientSecret = secrets.clientSecret.open(
        sealedSecret,
        applicationId,
        provider,
        clientId,
      );
      if (clientSecret !== undefined) return { clientId, clientSecret };
      throw new Error(
        'A stored client secret does not open: altered, moved, or sealed with a key that is not in the ring',
      );
    },
    list: () => engine.query(LIST, [applicationId]),
    set: async (providerName, { clientId, clientSecret }) => {
      const { sealed, keyId } = secrets.clientSecret.seal(
        clientSecret,
        applicationId,
        providerName,
        clientId,
      );
      const values = [applicationId, providerName, clientId, sealed, keyId, now().toISOString()];
      const [stored] = await engine.query<StoredOAuthClient>(SET, values);
      if (!stored) throw new Error('PostgreSQL returned nothing for an insert');
      return stored;
    },
    delete: async (provider) => {
      const deleted = await engine.query(DELETE, [applicationId, provider]);
      return deleted.length > 0;
    },
  };
}

/** The visible columns. */
const SHOWN = `provider_name as "providerName", client_id as "clientId", created_at as "createdAt",
  updated_at as "updatedAt"`;

const FIND = {
  name: 'find_oauth_client',
  text: `
select client_id as "clientId", sealed_secret as "sealedSecret" from crossbook.oauth_clients
where application_id = $1::uuid and provider_name = $2::text`,
};

const LIST = {
  name: 'list_oauth_clients',
  text: `select ${SHOWN} from crossbook.oauth_clients where application_id = $1::uuid order by provider_name`,
};

const SET = {
  name: 'set_oauth_client',
  text: `
insert into crossbook.oauth_clients
  (application_id, provider_name, client_id, sealed_secret, key_id, created_at, updated_at)
values ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::timestamptz, $6::timestamptz)
on conflict (application_id, provider_name) do update
  set client_id = excluded.client_id, sealed_secret = excluded.sealed_secret, key_id = excluded.key_id,
    updated_at = excluded.updated_at
returning ${SHOWN}`,
};

const DELETE = {
  name: 'delete_oauth_client',
  isOnce: true,
  text: `
delete from crossbook.oauth_clients where application_id = $1::uuid and provider_name = $2::text
returning provider_name`,
};
