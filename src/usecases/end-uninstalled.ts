import type {
  ConnectFlowStore,
  ConnectServices,
  GrantedConnection,
} from '../domain/connect-link.ts';
import type { Uninstall } from '../domain/oauth.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { isSame } from '../lib/digest.ts';

/**
 * Ends the connections that were granted to an app by the user who has uninstalled it, where the report has the secret
 * of the client by which their application calls the provider. The result is empty if none of them has that secret.
 */
export async function endUninstalled(
  { flows, connecting, endConnection }: UninstallDeps,
  provider: ProviderName,
  { client: { clientId, clientSecret }, ...grant }: Uninstall,
): Promise<readonly GrantedConnection[]> {
  const granted = await flows.findGranted(provider, { clientId, ...grant });
  const ended: GrantedConnection[] = [];
  for (const connection of granted) {
    const { applicationId, instanceUrl } = connection;
    const origin = instanceUrl === null ? '' : new URL(instanceUrl).origin;
    // One application can register another's client id, but not with its secret: each is checked on its own.
    const client = await connecting.findOAuthClient({ applicationId, provider, origin, clientId });
    if (client?.clientId !== clientId || !isSame(clientSecret, client.clientSecret)) continue;
    await endConnection(connection);
    ended.push(connection);
  }
  return ended;
}

export interface UninstallDeps {
  readonly flows: Pick<ConnectFlowStore, 'findGranted'>;
  readonly connecting: Pick<ConnectServices, 'findOAuthClient'>;
  /** Sets the status `reauthorize`, unless there are newer credentials. */
  endConnection(connection: GrantedConnection): Promise<void>;
}
