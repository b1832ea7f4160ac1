import { loadKeyRing, loadOrCreateKeyRing } from './key-file.ts';
import { type KeyRing, parseKeyRing } from './key-ring.ts';

/** The default start makes its own keys; in production they are the operator's, and their absence stops the start. */
export function openKeyRing({ keys, production, dataDirectory }: KeyRingSource): OpenedKeyRing {
  if (keys !== undefined) return { ring: parseKeyRing(keys), notes: [] };
  if (production) throw new Error('CROSSBOOK_KEYS must be set in production: see .env.example.');
  const { ring, created, path } = loadOrCreateKeyRing(dataDirectory);
  return { ring, notes: created ? [`Keys       made in ${path}: who loses them loses the credentials`] : [] };
}

/** The same, but nothing is made: undefined where the first start is still to come. */
export function findKeyRing({ keys, production, dataDirectory }: KeyRingSource): KeyRing | undefined {
  const isGiven = keys !== undefined || production;
  return isGiven ? openKeyRing({ keys, production, dataDirectory }).ring : loadKeyRing(dataDirectory);
}

export interface KeyRingSource {
  /** `id:base64,…`; the first seals, all open. */
  readonly keys: string | undefined;
  readonly production: boolean;
  readonly dataDirectory: string;
}

export interface OpenedKeyRing {
  readonly ring: KeyRing;
  /** For the person who starts it. */
  readonly notes: readonly string[];
}
