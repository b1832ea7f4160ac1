import { hash, timingSafeEqual } from 'node:crypto';
import type { CursorSealer } from '../../domain/sealer.ts';
import type { KeyRing } from './key-ring.ts';
import { deriveKey, keyIdOf } from './seal.ts';

/**
 * Authenticated encryption for short texts that many are made of at once, as a page's cursors are. The key is derived once
 * for each binding; after that a text costs two hashes. Its tag is at the same time what its key stream starts from, so the
 * same text is sealed alike each time, and only that is told. SHA-512/256 may take a key in front: nobody who knows a
 * tag can go on from it. Sealed text is `<key id>.<base64url of tag, ciphertext>`.
 */
export function createCursorSealer(ring: KeyRing): CursorSealer {
  const subkeys = new Map(
    [...ring.keys.values()].map((key) => [key.id, deriveKey(key, 'cursor').toString('base64url')]),
  );
  const current = ring.current.id;
  return {
    bind(readBinding) {
      let binding: string | undefined;
      const keys = new Map<string, string>();
      const keyFor = (id: string): string | undefined => {
        const subkey = subkeys.get(id);
        const known = keys.get(id);
        if (known !== undefined || !subkey) return known;
        binding ??= readBinding();
        const key = hash('sha512-256', `${subkey} key ${binding}`, 'base64url');
        keys.set(id, key);
        return key;
      };
      let last: { readonly text: string; readonly sealed: string } | undefined;
      return {
        seal(text) {
          // A page of one begins and ends at the same place.
          if (last?.text !== text) last = { text, sealed: `${current}.${seal(keyFor(current) ?? '', text)}` };
          return last.sealed;
        },
        open(sealed) {
          const id = keyIdOf(sealed);
          const key = keyFor(id);
          return key === undefined ? undefined : open(key, sealed.slice(id.length + 1));
        },
      };
    },
  };
}

function seal(key: string, text: string): string {
  const tag = toTag(key, text);
  return Buffer.concat([tag, mask(key, tag, Buffer.from(text, 'utf8'))]).toString('base64url');
}

function open(key: string, encoded: string): string | undefined {
  const box = Buffer.from(encoded, 'base64url');
  // Lenient decoding would let several spellings of one sealed text pass.
  if (box.length < TAG_BYTES || box.toString('base64url') !== encoded) return undefined;
  const tag = box.subarray(0, TAG_BYTES);
  const text = mask(key, tag, box.subarray(TAG_BYTES)).toString('utf8');
  return timingSafeEqual(toTag(key, text), tag) ? text : undefined;
}

function toTag(key: string, text: string): Buffer {
  return hash('sha512-256', `${key} tag ${text}`, 'buffer').subarray(0, TAG_BYTES);
}

/** With the stream that starts from the tag: the same again takes it off. */
function mask(key: string, tag: Buffer, bytes: Buffer): Buffer {
  const masked = Buffer.allocUnsafe(bytes.length);
  let block: Buffer | undefined;
  for (let index = 0; index < bytes.length; index += 1) {
    const at = index % BLOCK_BYTES;
    if (at === 0 || !block) block = toBlock(key, tag, index);
    masked[index] = (bytes[index] as number) ^ (block[at] as number);
  }
  return masked;
}

function toBlock(key: string, tag: Buffer, from: number): Buffer {
  return hash('sha512-256', `${key} stream ${from} ${tag.toString('base64url')}`, 'buffer');
}

const TAG_BYTES = 16;
const BLOCK_BYTES = 32;
