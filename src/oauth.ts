import type { Config } from './config.ts';
import type { FindOAuthClient } from './domain/oauth-client.ts';
import type { OAuthClient, Provider } from './domain/provider.ts';
import { listRedirectUris } from './domain/redirect-uri.ts';
import type { Database } from './storage/database.ts';

/**
 * What this installation is registered as: the sandbox knows a client of its own, and never learns the secret of a real
 * one; an application's own client goes before that of the environment.
 */
export function createFindOAuthClient({
  config,
  database,
  findSandboxClient,
}: ClientSources): FindOAuthClient {
  return async ({ applicationId, provider, origin, clientId }) => {
    const imitated = findSandboxClient(origin);
    if (imitated) return imitated;
    const own = await database.forApplication(applicationId).oauthClients.find(provider);
    const known = [own, config.oauthClients[provider]].filter((client) => client !== undefined);
    return clientId === null ? known[0] : known.find((client) => client.clientId === clientId);
  };
}

/** What has to be registered with the vendors, for whoever has an app there or tries the sandbox. */
export function toRedirectNotes(
  { publicUrl, sandbox, oauthClients }: Config,
  providers: Iterable<Provider>,
): readonly string[] {
  if (!sandbox && Object.keys(oauthClients).length === 0) return [];
  if (publicUrl === undefined) return [NO_PUBLIC_URL];
  return listRedirectUris(publicUrl, providers).map(({ uri }) => `Redirect   ${uri}`);
}

const NO_PUBLIC_URL = 'Redirect   customers cannot be sent to a CRM: PUBLIC_URL is not set';

interface ClientSources {
  readonly config: Pick<Config, 'oauthClients'>;
  readonly database: Pick<Database, 'forApplication'>;
  findSandboxClient(origin: string): OAuthClient | undefined;
}
