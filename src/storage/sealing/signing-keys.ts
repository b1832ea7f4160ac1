import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { CursorSigner } from '../../domain/cursor-signer.ts';
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

/**
 * `version.key id.payload.mac`: HMAC-SHA-256 over the first three parts, as they are spelled, and the binding. The same
 * payload is signed alike each time. The binding enters as its hash, because a list of a thousand emails can be one, and
 * a page has a thousand cursors.
 */
export function createCursorSigner({ current, find }: SigningKeys): CursorSigner {
  const head = `${VERSION}.${current.id}.`;
  return {
    bind(readBinding) {
      let binding: string | undefined;
      const toMac = (key: KeyObject, signed: string): string => {
        binding ??= hash('sha256', readBinding(), 'base64url');
        const mac = createHmac('sha256', key).update(`${signed}.${binding}`, 'utf8').digest('base64url');
        return mac.slice(0, MAC_LENGTH);
      };
      let last: { readonly payload: string; readonly cursor: string } | undefined;
      return {
        sign(payload) {
          // The first and the last cursor of a page of one are the same.
          if (last?.payload !== payload) {
            const signed = head + Buffer.from(payload, 'utf8').toString('base64url');
            last = { payload, cursor: `${signed}.${toMac(current.secret, signed)}` };
          }
          return last.cursor;
        },
        verify(cursor) {
          const [version, keyId, payload, mac, ...rest] = cursor.split('.');
          if (version !== VERSION || !keyId || !payload || !mac || rest.length > 0) return undefined;
          const key = find(keyId);
          if (!key) return undefined;
          const isRight = isSame(mac, toMac(key, `${version}.${keyId}.${payload}`));
          return isRight ? Buffer.from(payload, 'base64url').toString('utf8') : undefined;
        },
      };
    },
  };
}

/** In constant time, and letter by letter: a MAC has one spelling. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given, 'utf8'), Buffer.from(expected, 'utf8')];
  return left.length === right.length && timingSafeEqual(left, right);
}

const VERSION = 'v2';
/** In characters, of six bits each: nobody tries out 2^128. */
const MAC_LENGTH = 22;

interface SigningKeys {
  readonly current: { readonly id: string; readonly secret: KeyObject };
  find(id: string): KeyObject | undefined;
}
