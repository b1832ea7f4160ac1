import { isProviderName } from '../../domain/provider-names.ts';
import type { CrmRecord, RecordOrigin } from '../../domain/records/record.ts';
import { type RecordType, recordType } from '../../domain/records/record-type.ts';
import { wordsOf } from '../../domain/shape.ts';
import { parseJson } from '../../lib/json.ts';

/** Longer than the id of any record. A text is decoded for each place that it stands in. */
const MAX_LENGTH = 3_072;

/** The format version of ids, incremented when their parts change meaning. */
const VERSION = 1;

/** A globally unique id, over applications, customers and providers, so that client caches never mix two records. */
export function toGlobalId(id: GlobalId): string {
  const { type, applicationId, customerId } = id;
  const record = type === 'Customer' ? [] : [id.provider, id.remoteId];
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
  if (!isRecordName(type) || parts.length !== 6 || remoteId === undefined) return undefined;
  if (provider === undefined || !isProviderName(provider)) return undefined;
  return { type, applicationId, customerId, provider, remoteId };
}

/** The types of records by their names in GraphQL. */
export const RECORD_NAMES = {
  CONTACT: 'Contact',
  COMPANY: 'Company',
  DEAL: 'Deal',
} as const satisfies Record<RecordType, string>;
export type RecordName = (typeof RECORD_NAMES)[RecordType];

function isRecordName(type: string | undefined): type is RecordName {
  return Object.values<string | undefined>(RECORD_NAMES).includes(type);
}

export function recordNameOf({ type }: RecordOrigin): RecordName {
  return RECORD_NAMES[type];
}

/** The type of record with this name in GraphQL. */
export function recordTypeOf(name: RecordName): RecordType {
  return wordsOf(recordType).find((type) => RECORD_NAMES[type] === name) ?? 'CONTACT';
}

/**
 * The global id of a record. Records of one search differ only in the CRM's id at the end; base64 encodes groups of
 * three bytes, so the common groups are encoded once and only the rest per record.
 */
export function toRecordId({ source, remoteId }: RecordKey): string {
  if (!isPlain(remoteId))
    return toGlobalId({ ...source, type: RECORD_NAMES[source.type], remoteId });
  let beginning = remembered.get(source);
  if (!beginning) {
    beginning = toBeginning(source);
    remembered.set(source, beginning);
  }
  const { front, begun } = beginning;
  return front + encode(begun + remoteId + END);
}

const remembered = new WeakMap<RecordOrigin, Beginning>();

/** Whether JSON needs no escapes and each character is one byte. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return false;
  }
  return true;
}

function toBeginning(source: RecordOrigin): Beginning {
  const id = toGlobalId({ ...source, type: RECORD_NAMES[source.type], remoteId: '' });
  const whole = Buffer.from(id, 'base64url');
  const shared = whole.subarray(0, whole.length - END.length);
  const inGroups = shared.length - (shared.length % 3);
  return {
    front: shared.subarray(0, inGroups).toString('base64url'),
    begun: shared.subarray(inGroups).toString('latin1'),
  };
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

interface Beginning {
  /** The complete groups, encoded. */
  readonly front: string;
  /** The bytes of the incomplete group, which the remote id continues. */
  readonly begun: string;
}

type GlobalId = CustomerId | RecordId;

interface CustomerId extends Omit<RecordOrigin, 'provider' | 'type'> {
  readonly type: 'Customer';
}

interface RecordId extends Omit<RecordOrigin, 'type'> {
  readonly type: RecordName;
  readonly remoteId: string;
}

type RecordKey = Pick<CrmRecord, 'source' | 'remoteId'>;
