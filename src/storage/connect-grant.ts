import type { Grant } from '../domain/authorization.ts';
import type { Sealer } from '../domain/sealer.ts';
import type { Engine } from './engine/engine.ts';
import { createSealedTable, type SealedTable } from './sealed-table.ts';
import { keyIdOf } from './sealing/seal.ts';

/** What was granted, until the application confirms it: sealed, and bound to its link. */
export function sealGrant(sealer: Sealer, linkId: string, kept: KeptGrant): SealedText {
  return sealText(sealer, JSON.stringify(kept), bindGrant(linkId));
}

export function openGrant(sealer: Sealer, linkId: string, sealed: string): KeptGrant {
  const opened = sealer.open(sealed, bindGrant(linkId));
  if (opened === undefined) throw new Error('A kept grant does not open: altered, moved, or its key is gone');
  return JSON.parse(opened) as KeptGrant;
}

/** The verifier of PKCE, bound to the state that it was made with. */
export function sealVerifier(sealer: Sealer, stateHash: string, verifier: string): SealedText {
  return sealText(sealer, verifier, bindVerifier(stateHash));
}

/** Undefined where its key is gone from the ring: the flow cannot be finished. */
export function openVerifier(sealer: Sealer, stateHash: string, sealed: string): string | undefined {
  return sealer.open(sealed, bindVerifier(stateHash));
}

/** For a change of keys: links wait for their confirmation, and customers for their way back. */
export function sealedConnectTables(engine: Engine, sealer: Sealer): readonly SealedTable[] {
  return [
    createSealedTable<{ readonly id: string }>(engine, {
      ...{ table: 'connect_links', key: ['id'], place: { id: 'id' }, columns: ['sealed_grant'], sealer },
      isShortLived: true,
      bindingOf: ({ id }) => bindGrant(id),
    }),
    createSealedTable<{ readonly stateHash: string }>(engine, {
      ...{ table: 'connect_flows', key: ['state_hash'], place: { stateHash: 'state_hash' } },
      ...{ columns: ['sealed_verifier'], sealer, bindingOf: ({ stateHash }) => bindVerifier(stateHash) },
      isShortLived: true,
    }),
  ];
}

function sealText(sealer: Sealer, text: string, binding: string): SealedText {
  const sealed = sealer.seal(text, binding);
  return { sealed, keyId: keyIdOf(sealed) };
}

function bindGrant(linkId: string): string {
  return JSON.stringify(['connect_links.sealed_grant', linkId]);
}

function bindVerifier(stateHash: string): string {
  return JSON.stringify(['connect_flows.sealed_verifier', stateHash]);
}

export interface KeptGrant {
  readonly grant: Grant;
  readonly oauthClientId: string;
}

interface SealedText {
  readonly sealed: string;
  readonly keyId: string;
}
