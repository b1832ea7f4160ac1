import type { Contact, ContactOrigin } from '../domain/contact.ts';
import { toGlobalId } from './global-id.ts';

/**
 * The global id of a contact. The contacts of one search share all of it but the CRM's own id at its end, and base64 goes
 * by groups of three bytes: the groups in front are encoded once, and for each contact only what is left.
 */
export function toContactId({ source, remoteId }: Pick<Contact, 'source' | 'remoteId'>): string {
  if (!isPlain(remoteId)) return toGlobalId({ type: 'Contact', ...source, remoteId });
  const { front, begun } = toBeginning(source);
  return front + encode(begun + remoteId + END);
}

/** JSON writes it as it is, and each character is a byte. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return false;
  }
  return true;
}

function toBeginning(source: ContactOrigin): Beginning {
  const known = remembered.get(source);
  if (known) return known;
  const whole = Buffer.from(toGlobalId({ type: 'Contact', ...source, remoteId: '' }), 'base64url');
  const shared = whole.subarray(0, whole.length - END.length);
  const inGroups = shared.length - (shared.length % 3);
  const beginning = {
    front: shared.subarray(0, inGroups).toString('base64url'),
    begun: shared.subarray(inGroups).toString('latin1'),
  };
  remembered.set(source, beginning);
  return beginning;
}

/** Of a few bytes: the call of a `Buffer` costs more than it does. */
function encode(bytes: string): string {
  let encoded = '';
  let at = 0;
  for (; at + 3 <= bytes.length; at += 3) {
    const bits = (bytes.charCodeAt(at) << 16) | (bytes.charCodeAt(at + 1) << 8) | bytes.charCodeAt(at + 2);
    encoded += `${PAIRS[bits >> 12]}${PAIRS[bits & 0xfff]}`;
  }
  const left = bytes.length - at;
  if (left === 1) encoded += PAIRS[bytes.charCodeAt(at) << 4];
  if (left === 2) {
    const bits = (bytes.charCodeAt(at) << 10) | (bytes.charCodeAt(at + 1) << 2);
    encoded += `${PAIRS[bits >> 6]}${DIGITS[bits & 0x3f]}`;
  }
  return encoded;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Twelve bits at a time. */
const PAIRS = Array.from({ length: 64 * 64 }, (_, bits) => `${DIGITS[bits >> 6]}${DIGITS[bits & 0x3f]}`);
const END = '"]';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const remembered = new WeakMap<ContactOrigin, Beginning>();

interface Beginning {
  /** Whole groups, encoded. */
  readonly front: string;
  /** The bytes of the group that the remote id goes on with. */
  readonly begun: string;
}
