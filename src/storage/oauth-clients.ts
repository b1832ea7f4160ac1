import { and, asc, eq } from 'drizzle-orm';
import type { OAuthClientStore } from '../domain/oauth.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { Clock } from '../lib/clock.ts';
import { oauthClients } from './connect-schema.ts';
import type { Engine } from './engine/open.ts';
import { createSealedTable, type SealedTable } from './sealed-table.ts';
import { type Sealer, sealWithKeyId } from './sealing/seal.ts';

/** The function that it returns opens the store for one application. */
export function createOAuthClients({
  engine,
  sealer,
  clock,
}: Deps): (applicationId: string) => OAuthClientStore {
  const { orm } = engine;
  return (applicationId) => {
    const own = (provider: ProviderName) =>
      and(eq(oauthClients.applicationId, applicationId), eq(oauthClients.providerName, provider));
    return {
      find: async (provider) => {
        const [row] = await engine.repeatable(() =>
          orm.select(SEALED).from(oauthClients).where(own(provider)),
        );
        return row && { clientId: row.clientId, clientSecret: openSecret(sealer, row) };
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
        const place = { applicationId, providerName, clientId };
        const { sealed: sealedSecret, keyId } = sealWithKeyId(sealer, clientSecret, bindingOf(place));
        const updatedAt = new Date(clock.wall());
        const changed = { clientId, sealedSecret, keyId, updatedAt };
        const [stored] = await engine.repeatable(() =>
          orm
            .insert(oauthClients)
            .values({ ...place, ...changed, createdAt: updatedAt })
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
        const deleted = await engine.once(() =>
          orm.delete(oauthClients).where(own(provider)).returning({ clientId: oauthClients.clientId }),
        );
        return deleted.length > 0;
      },
    };
  };
}

/** For a change of keys. */
export function sealedOAuthClients(engine: Engine, sealer: Sealer): SealedTable {
  return createSealedTable<Place>(engine, {
    table: 'oauth_clients',
    key: ['application_id', 'provider_name'],
    place: { applicationId: 'application_id', providerName: 'provider_name', clientId: 'client_id' },
    columns: ['sealed_secret'],
    ...{ sealer, bindingOf },
  });
}

/** Bound to the id as well: a secret never serves another client. */
function bindingOf({ applicationId, providerName, clientId }: Place): string {
  return JSON.stringify(['oauth_clients.sealed_secret', applicationId, providerName, clientId]);
}

function openSecret(sealer: Sealer, row: Place & { readonly sealedSecret: string }): string {
  const secret = sealer.open(row.sealedSecret, bindingOf(row));
  if (secret !== undefined) return secret;
  throw new Error(
    'A stored client secret does not open: altered, moved, or sealed with a key that is not in the ring',
  );
}

const SHOWN = {
  providerName: oauthClients.providerName,
  clientId: oauthClients.clientId,
  createdAt: oauthClients.createdAt,
  updatedAt: oauthClients.updatedAt,
};

const SEALED = {
  applicationId: oauthClients.applicationId,
  providerName: oauthClients.providerName,
  clientId: oauthClients.clientId,
  sealedSecret: oauthClients.sealedSecret,
};

interface Place {
  readonly applicationId: string;
  readonly providerName: ProviderName;
  readonly clientId: string;
}

interface Deps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, 'wall'>;
}
