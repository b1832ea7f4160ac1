import type { SandboxAccount } from '../account.ts';
import type { CrmTypes } from '../imitation.ts';
import type { ConsentQuirks } from './quirks.ts';

/** The application of that client id: its home account knows the secret, and how the application is set up. */
export function findApplication<Crm extends CrmTypes>(
  accounts: readonly SandboxAccount<Crm>[],
  clientId: string | null,
): SandboxAccount<Crm> | undefined {
  return accounts.find((account) => account.clientId === clientId);
}

/**
 * To the letter, as the vendors compare. An application that has registered nothing has registered the product's callback
 * at every port of this machine: where the product listens is its own affair.
 */
export function isRegistered(redirectUri: string, { redirectUris }: ConsentQuirks, crm: string): boolean {
  if (redirectUris !== null) return redirectUris.includes(redirectUri);
  const [, provider] = CALLBACK.exec(redirectUri) ?? [];
  return provider === crm;
}

const CALLBACK =
  /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?\/connect\/callback\/([a-z0-9_-]+)$/;
