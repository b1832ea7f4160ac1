import { AuthorizationFailure, type Grant } from '../domain/authorization.ts';
import type { ConnectFlow } from '../domain/connect-flow.ts';
import type { ConnectLink } from '../domain/connect-link.ts';
import type { ConnectServices } from '../domain/connect-services.ts';
import type { Provider } from '../domain/provider.ts';
import { toRedirectUri } from '../domain/redirect-uri.ts';

/** Trades a code for a grant, with what was stored when the flow began. A failure that has a name is an answer. */
export async function exchangeGrant(
  deps: ExchangeGrantDeps,
  { provider, flow, link, code }: ResponseHandler,
): Promise<Grant | AuthorizationFailure> {
  const publicUrl = deps.connecting.publicUrl();
  if (code === null || code.length > MAX_CODE_LENGTH || publicUrl === undefined) {
    return new AuthorizationFailure('VENDOR_REFUSED', 'The callback has neither a code nor an error.');
  }
  const { loginOrigin, codeVerifier, oauthClientId } = flow;
  const { applicationId } = link;
  const redirectUri = toRedirectUri(publicUrl, provider.name);
  try {
    return await deps.exchangeCode({
      ...{ provider, applicationId, oauthClientId, loginOrigin, code, redirectUri, codeVerifier },
    });
  } catch (thrown) {
    if (thrown instanceof AuthorizationFailure) return thrown;
    throw thrown;
  }
}

const MAX_CODE_LENGTH = 4_096;

/** The guarded way out. Rejects with an AuthorizationFailure where no usable grant came of it. */
export type ExchangeCode = (exchange: {
  readonly provider: Provider;
  readonly applicationId: string;
  readonly oauthClientId: string;
  /** As it was kept with the state. */
  readonly loginOrigin: string;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}) => Promise<Grant>;

export interface ExchangeGrantDeps {
  readonly connecting: Pick<ConnectServices, 'publicUrl'>;
  readonly exchangeCode: ExchangeCode;
}

interface ResponseHandler {
  readonly provider: Provider;
  readonly flow: ConnectFlow;
  readonly link: ConnectLink;
  readonly code: string | null;
}
