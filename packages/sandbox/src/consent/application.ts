import type { SandboxAccount } from '../account.ts';
import type { CrmTypes } from '../simulation.ts';
import type { ConsentQuirks } from './quirks.ts';

/** The application with that client id. Its home account has the secret and the application's settings. */
export function findApplication<Crm extends CrmTypes>(
  accounts: readonly SandboxAccount<Crm>[],
  clientId: string | null,
): SandboxAccount<Crm> | undefined {
  return accounts.find((account) => account.clientId === clientId);
}

/**
 * Compares the whole string, as the vendors do. An application without registered URIs accepts the product's
 * callback at every loopback port and below every path, because the sandbox does not know the product's URL.
 */
export function isRegistered(
  redirectUri: string,
  { redirectUris }: ConsentQuirks,
  crm: string,
): boolean {
  if (redirectUris !== null) return redirectUris.includes(redirectUri);
  const [, provider] = CALLBACK.exec(redirectUri) ?? [];
  return provider === crm;
}

const CALLBACK =
  /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(?:\/[\w.~-]+)*\/connect\/callback\/([a-z0-9_-]+)$/;
