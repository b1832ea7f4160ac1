import { createHash } from 'node:crypto';
import { isAlive } from '../tokens.ts';
import type { SalesforceAccount, SalesforceCall } from './types.ts';

/** Validates the exchange of a code: the code, its redirect URI and its PKCE verifier. */
export function findExchangeProblem(
  call: SalesforceCall,
  form: URLSearchParams,
  application: SalesforceAccount,
): ExchangeProblem | undefined {
  const { grant, now } = call;
  if (grant?.kind !== 'code' || grant.approval.clientId !== application.clientId)
    return { error: 'invalid_grant', description: 'invalid authorization code' };
  if (!isAlive(grant, now))
    return { error: 'invalid_grant', description: 'expired authorization code' };
  if (grant.account.quirks.blocksUninstalledApps) return UNINSTALLED_APP;
  const { redirectUri, codeChallenge } = grant.approval.request ?? {};
  if (redirectUri !== form.get('redirect_uri'))
    return { error: 'redirect_uri_mismatch', description: 'redirect_uri must match configuration' };
  return findVerifierProblem(codeChallenge, form.get('code_verifier'), application);
}

/** The org's users may not approve an app that no administrator has installed. */
export const UNINSTALLED_APP: ExchangeProblem = {
  error: 'invalid_client',
  description: 'app must be installed into org',
};

/** The documents give each error a code of its own; which ones the live service sends is uncertain. */
function findVerifierProblem(
  challenge: string | undefined,
  verifier: string | null,
  { quirks }: SalesforceAccount,
): ExchangeProblem | undefined {
  if (challenge === undefined) return undefined;
  const [ofMissing, ofWrong] = ['invalid_grant', 'invalid_request'];
  const swapped = quirks.verifierErrorsSwapped;
  if (!verifier)
    return { error: swapped ? ofWrong : ofMissing, description: 'missing required code verifier' };
  const isRightLength =
    VERIFIER.test(verifier) || (quirks.takesLongVerifiers && LONG_VERIFIER.test(verifier));
  const isRight = createHash('sha256').update(verifier).digest('base64url') === challenge;
  return isRightLength && isRight
    ? undefined
    : { error: swapped ? ofMissing : ofWrong, description: 'invalid code verifier' };
}

const VERIFIER = /^[\w.~-]{43,128}$/;
const LONG_VERIFIER = /^[\w.~-]{43,256}$/;

interface ExchangeProblem {
  readonly error: string;
  readonly description: string;
}
