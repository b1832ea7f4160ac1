import type { Credentials } from '../domain/connection.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { Sealer } from '../domain/sealer.ts';
import { keyIdOf } from './sealing/seal.ts';

export function sealCredentials(
  sealer: Sealer,
  place: CredentialKey,
  credentials: Credentials,
): SealedCredentials {
  const sealed = sealer.seal(JSON.stringify(credentials), bindingOf(place));
  return { sealed, keyId: keyIdOf(sealed) };
}

export function openCredentials(sealer: Sealer, place: CredentialKey, sealed: string): Credentials {
  const opened = tryOpenCredentials(sealer, place, sealed);
  if (opened) return opened;
  throw new Error(
    'Stored credentials do not open: altered, moved, or sealed with a key that is not in the ring',
  );
}

export function tryOpenCredentials(
  sealer: Sealer,
  place: CredentialKey,
  sealed: string,
): Credentials | undefined {
  const opened = sealer.open(sealed, bindingOf(place));
  return opened === undefined ? undefined : JSON.parse(opened);
}

/**
 * Bound to its row by what names the row in the world (application, customer, provider: unique together), not by the
 * connection's id: an upsert seals before the database has decided whether the connection exists already.
 */
function bindingOf({ applicationId, customerId, providerName }: CredentialKey): string {
  return JSON.stringify(['credentials.sealed', applicationId, customerId, providerName]);
}

export interface CredentialKey {
  readonly applicationId: string;
  readonly customerId: string;
  readonly providerName: ProviderName;
}

interface SealedCredentials {
  readonly sealed: string;
  readonly keyId: string;
}
