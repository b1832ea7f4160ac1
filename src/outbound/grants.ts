import type { FindOAuthClient, FindSandboxLogin, Grant } from '../domain/authorization.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { HeldBytes, HeldOwners } from '../domain/held-bytes.ts';
import type { ProviderCall } from '../domain/log.ts';
import type { Provider } from '../domain/provider.ts';
import type { Clock } from '../lib/clock.ts';
import { exchangeCode, type GivenCode } from './access-token/exchange-code.ts';
import { callTokenEndpoint, type GivenGrant, revokeGrant } from './access-token/token-endpoint.ts';
import type { Transport } from './http/transport.ts';
import { type CallEvent, withCallEvents } from './send-once.ts';
import type { OutboundSettings } from './settings.ts';

/** The way out for what begins and ends a grant, with the guards of every other call. */
export function createGrants(deps: GrantsDeps): Grants {
  const { sandboxOrigins, findSandboxLogin, clock } = deps;
  return {
    async exchangeCode(exchange) {
      const { provider } = exchange;
      const { authorization } = provider;
      if (!authorization) throw notOffered(provider);
      return exchangeCode(
        {
          ...{ provider: provider.name, authorization, findSandboxLogin, wall: clock.wall },
          hosts: provider.instanceHosts,
          ...open(exchange, { application: exchange.applicationId }),
        },
        exchange,
      );
    },

    async revokeGrant(grant) {
      const { provider, applicationId, connectionId } = grant;
      const revocation = provider.authorization?.revocation;
      if (!revocation) throw notOffered(provider);
      const owners = { application: applicationId, connection: connectionId };
      return revokeGrant(
        { revocation, hosts: provider.instanceHosts, sandboxOrigins, ...open(grant, owners) },
        grant,
      );
    },
  };

  function open(
    { provider, applicationId, oauthClientId, connectionId, onCall }: GrantCall,
    owners: HeldOwners,
  ) {
    const { random, heldBytes, settings } = deps;
    const transport = withCallEvents(deps.transport, {
      ...{ clock, onCall: deps.onCall, provider: provider.name, connectionId },
    });
    const endpoint = { ...{ clock, random, heldBytes, owners, transport }, deadlineMs: settings.deadlineMs };
    return {
      findClient: (origin: string) =>
        deps.findOAuthClient({ applicationId, provider: provider.name, origin, clientId: oauthClientId }),
      ask: (origin: string, request: Parameters<typeof callTokenEndpoint>[1]['request']) =>
        callTokenEndpoint(endpoint, { origin, request, onCall }),
    };
  }
}

function notOffered({ name }: Pick<Provider, 'name'>): CrossbookError {
  return new CrossbookError('NOT_IMPLEMENTED', `${name} cannot be connected by a link.`);
}

export interface Grants {
  /**
   * Rejects with an AuthorizationFailure, whatever goes wrong: its message and its cause are for the log. Whose account it
   * is, and that all required scopes are there, is settled when it resolves.
   */
  exchangeCode(exchange: GrantCall & GivenCode): Promise<Grant>;
  /** False: the provider says that the grant goes on. Rejects with a CrossbookError where that is unknown. */
  revokeGrant(grant: GrantCall & GivenGrant): Promise<boolean>;
}

interface GrantCall {
  readonly provider: Pick<Provider, 'name' | 'instanceHosts' | 'authorization'>;
  readonly applicationId: string;
  /** The client that asked for consent; null: whichever the application uses now. */
  readonly oauthClientId: string | null;
  /** Where there is one already. */
  readonly connectionId?: string | undefined;
  /** Told of each call that is made, after it. */
  readonly onCall?: ((call: ProviderCall) => void) | undefined;
}

interface GrantsDeps {
  readonly sandboxOrigins: readonly string[];
  readonly findSandboxLogin?: FindSandboxLogin | undefined;
  readonly findOAuthClient: FindOAuthClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly settings: OutboundSettings;
  readonly heldBytes: HeldBytes;
  readonly transport: Pick<Transport, 'send'>;
  readonly onCall?: ((event: CallEvent) => void) | undefined;
}
