import type { KeyObject } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';
import { deriveKey } from './seal.ts';

/** Keys for signatures of one kind: the first of the ring signs, every one of it verifies. None of them seals. */
export function createSigningKeys(ring: KeyRing, purpose: string): SigningKeys {
  const keys = new Map([...ring.keys.values()].map((key) => [key.id, deriveKey(key, `sign/${purpose}`)]));
  return {
    current: { id: ring.current.id, secret: deriveKey(ring.current, `sign/${purpose}`) },
    find: (id) => keys.get(id),
  };
}

export interface SigningKeys {
  readonly current: { readonly id: string; readonly secret: KeyObject };
  find(id: string): KeyObject | undefined;
}
