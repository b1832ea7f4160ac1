import { and, asc, eq } from 'drizzle-orm';
import type { OAuthClientStore } from '../domain/oauth.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { oauthClients } from './connect-schema.ts';
import type { StoreDeps } from './database.ts';

/** The OAuth clients of one application. */
export function createOAuthClients(
  { engine, secrets, now }: StoreDeps,
  applicationId: string,
): OAuthClientStore {
  const { orm } = engine;
  const own = (provider: ProviderName) =>
    and(eq(oauthClients.applicationId, applicationId), eq(oauthClients.providerName, provider));
  return {
    find: async (provider) => {
      const [row] = await engine.repeatable(() => orm.select().from(oauthClients).where(own(provider)));
      if (!row) return undefined;
      const { clientId, sealedSecret } = row;
      const clientSecret = secrets.clientSecret.open(sealedSecret, applicationId, provider, clientId);
      if (clientSecret !== undefined) return { clientId, clientSecret };
      throw new Error(
        'A stored client secret does not open: altered, moved, or sealed with a key that is not in the ring',
      );
    },
    list: () =>
      engine.repeatable(() =>
        orm
          .select(SHOWN)
          .from(oauthClients)
          .where(eq(oauthClients.applicationId, applicationId))
          .orderBy(asc(oauthClients.providerName)),
      ),
    set: async (providerName, { clientId, clientSecret }) => {
      const secret = secrets.clientSecret.seal(clientSecret, applicationId, providerName, clientId);
      const updatedAt = now();
      const changed = { clientId, sealedSecret: secret.sealed, keyId: secret.keyId, updatedAt };
      const [stored] = await engine.repeatable(() =>
        orm
          .insert(oauthClients)
          .values({ applicationId, providerName, ...changed, createdAt: updatedAt })
          .onConflictDoUpdate({
            target: [oauthClients.applicationId, oauthClients.providerName],
            set: changed,
          })
          .returning(SHOWN),
      );
      if (!stored) throw new Error('PostgreSQL returned nothing for an insert');
      return stored;
    },
    delete: async (provider) => {
      const { rowCount } = await engine.once(() => orm.delete(oauthClients).where(own(provider)));
      return rowCount === 1;
    },
  };
}

const SHOWN = {
  providerName: oauthClients.providerName,
  clientId: oauthClients.clientId,
  createdAt: oauthClients.createdAt,
  updatedAt: oauthClients.updatedAt,
};
