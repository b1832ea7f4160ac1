import type { Contact, ContactOrigin } from '../../domain/contact.ts';
import { isProviderName } from '../../domain/provider-names.ts';
import { parseJson } from '../../lib/json.ts';

/** Longer than the id of any record. A text is decoded for each place that it stands in. */
const MAX_LENGTH = 3_072;

/** The format version of ids, incremented when their parts change meaning. */
const VERSION = 1;

/** A globally unique id, over applications, customers and providers, so that client caches never mix two records. */
export function toGlobalId(id: GlobalId): string {
  const { type, applicationId, customerId } = id;
  const record = type === 'Contact' ? [id.provider, id.remoteId] : [];
  return Buffer.from(
    JSON.stringify([VERSION, type, applicationId, customerId, ...record]),
  ).toString('base64url');
}

/** Undefined for anything that is not a valid id. */
export function readGlobalId(text: string): GlobalId | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parts = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(parts) || !parts.slice(1).every((part) => typeof part === 'string'))
    return undefined;
  const [version, type, applicationId, customerId, provider, remoteId] = parts as string[];
  if (Number(version) !== VERSION || applicationId === undefined || customerId === undefined)
    return undefined;
  if (type === 'Customer' && parts.length === 4) return { type, applicationId, customerId };
  if (type !== 'Contact' || parts.length !== 6 || remoteId === undefined) return undefined;
  if (provider === undefined || !isProviderName(provider)) return undefined;
  return { type, applicationId, customerId, provider, remoteId };
}

/**
 * The global id of a contact. Contacts of one search differ only in the CRM's id at the end; base64 encodes groups of
 * three bytes, so the common groups are encoded once and only the rest per contact.
 */
export function toContactId({ source, remoteId }: Pick<Contact, 'source' | 'remoteId'>): string {
  if (!isPlain(remoteId)) return toGlobalId({ type: 'Contact', ...source, remoteId });
  const { front, begun } = toBeginning(source);
  return front + encode(begun + remoteId + END);
}

/** Whether JSON needs no escapes and each character is one byte. */
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

/** Base64 for a few bytes, for which calling `Buffer` would cost more. */
function encode(bytes: string): string {
  let encoded = '';
  let at = 0;
  for (; at + 3 <= bytes.length; at += 3) {
    const bits =
      (bytes.charCodeAt(at) << 16) | (bytes.charCodeAt(at + 1) << 8) | bytes.charCodeAt(at + 2);
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
/** A table for twelve bits at a time. */
const PAIRS = Array.from(
  { length: 64 * 64 },
  (_, bits) => `${DIGITS[bits >> 6]}${DIGITS[bits & 0x3f]}`,
);
const END = '"]';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const remembered = new WeakMap<ContactOrigin, Beginning>();

interface Beginning {
  /** The complete groups, encoded. */
  readonly front: string;
  /** The bytes of the incomplete group, which the remote id continues. */
  readonly begun: string;
}

type GlobalId = CustomerId | ContactId;

interface CustomerId extends Omit<ContactOrigin, 'provider'> {
  readonly type: 'Customer';
}

interface ContactId extends ContactOrigin {
  readonly type: 'Contact';
  readonly remoteId: string;
}
