import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Key, KeyRing } from './key-ring.ts';

/** Keys for signatures of one kind: the first of the ring signs, every one of it verifies. None of them seals. */
export function createSigningKeys(ring: KeyRing, purpose: string): SigningKeys {
  const keys = new Map([...ring.keys.values()].map((key) => [key.id, derive(key, purpose)]));
  return {
    current: { id: ring.current.id, secret: derive(ring.current, purpose) },
    find: (id) => keys.get(id),
  };
}

function derive(key: Key, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key.secret, '', `crossbook/sign/${purpose}`, 32)));
}

export interface SigningKeys {
  readonly current: { readonly id: string; readonly secret: KeyObject };
  find(id: string): KeyObject | undefined;
}
