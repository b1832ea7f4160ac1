import { createHash } from 'node:crypto';
import { nameOf } from '../account-names.ts';
import type { AccountIdentity } from '../simulation.ts';
import type { TokenKind } from '../tokens.ts';
import { indexOfRecord, recordId } from './contact-view.ts';

/** Portals are numbered; the instance URL is only a label, not an API host. */
export function identify(number: number): AccountIdentity {
  const portalId = String(48_000_100 + number);
  return {
    id: portalId,
    ...nameOf(number),
    instanceUrl: `https://app.hubspot.com/contacts/${portalId}`,
    clientId: uuidOf(`client ${portalId}`),
    clientSecret: uuidOf(`secret ${portalId}`),
    recordId,
    indexOf: indexOfRecord,
  };
}

/** Deterministic by account and serial, so that tokens stored by a client survive a restart of the sandbox. */
export function mintToken(kind: TokenKind, { id }: AccountIdentity, serial: number): string {
  const seed = `${kind} ${id} ${serial}`;
  if (kind === 'static') return `pat-na1-${uuidOf(seed)}`;
  if (kind === 'code') return uuidOf(seed);
  if (kind === 'refresh') return `na1-${uuidOf(seed)}`;
  return `C${createHash('sha256').update(seed).digest('base64url')}`;
}

function uuidOf(seed: string): string {
  const hex = createHash('sha256').update(`sandbox hubspot ${seed}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}
