/**
 * Why OpenSSL must not get certificates that another party has chosen, as the predicate of a sentence. OpenSSL decodes
 * all keys and verifies all signatures of a chain, even if it trusts none of them. A key on a curve with explicit
 * parameters can take 0.2 s to decode, and a signature by a 10,000-bit DSA key 7 ms to verify.
 */
export function findCertificateProblem(certificates: readonly Buffer[]): string | undefined {
  if (certificates.length > MAX_CERTIFICATES)
    return `has more than ${MAX_CERTIFICATES} TLS certificates`;
  const bytes = certificates.reduce((sum, { length }) => sum + length, 0);
  // Each name constraint is compared with each name in the chain.
  if (bytes > MAX_CERTIFICATE_BYTES)
    return `has TLS certificates of more than ${MAX_CERTIFICATE_BYTES / 1024} KiB`;
  return certificates.every(hasCheapKey) ? undefined : UNSUPPORTED_KEY;
}

/** The certificates of a PEM file. Other text is skipped. */
export function readPem(text: string): Buffer[] {
  return Array.from(text.matchAll(PEM), ([, base64 = '']) => Buffer.from(base64, 'base64'));
}

/** OpenSSL gets the bytes that were checked, because PEM parsers differ. */
export function toPem(certificate: Buffer): string {
  // OpenSSL accepts no empty line, also not at the end.
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----\n'].join('\n');
}

const PEM = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g;

/** Chains of public certificate authorities have at most 5 certificates and rarely more than 10 KiB. */
const MAX_CERTIFICATES = 10;
export const MAX_CERTIFICATE_BYTES = 16 * 1024;
const UNSUPPORTED_KEY =
  'has a TLS certificate whose key is not supported: use RSA with an exponent of at most 32 bits, P-256, P-384, P-521, Ed25519 or Ed448';

function hasCheapKey(certificate: Buffer): boolean {
  const [body] = readItems(certificate, SEQUENCE);
  const fields = readItems(body, SEQUENCE);
  // It is optional.
  if (fields[0]?.tag === VERSION) fields.shift();
  const [serial, signature, issuer, validity, subject, key] = fields;
  if (serial?.tag !== INTEGER) return false;
  if ([signature, issuer, validity, subject].some((field) => field?.tag !== SEQUENCE)) return false;
  const [algorithm, value] = readItems(key, SEQUENCE);
  const [name, parameters] = readItems(algorithm, SEQUENCE);
  if (name?.tag !== OBJECT_ID || value?.tag !== BIT_STRING) return false;
  const id = name.content.toString('hex');
  if (EDWARDS.has(id)) return true;
  if (id === EC)
    return parameters?.tag === OBJECT_ID && CURVES.has(parameters.content.toString('hex'));
  return RSA.has(id) && hasShortExponent(value.content);
}

/** OpenSSL limits the exponent only of keys above 3,072 bits. With a long one, each signature takes up to 8 ms. */
function hasShortExponent(bits: Buffer): boolean {
  const [key] = bits[0] === 0 ? readAll(bits.subarray(1)) : [];
  const [modulus, exponent] = readItems(key, SEQUENCE);
  const isNumber = modulus?.tag === INTEGER && exponent?.tag === INTEGER;
  return isNumber && exponent.content.length <= MAX_EXPONENT_BYTES;
}

/** 32 bits and a sign. */
const MAX_EXPONENT_BYTES = 5;

/** The items in an item with this tag. */
function readItems(item: Item | Buffer | undefined, tag: number): Item[] {
  const found = Buffer.isBuffer(item) ? readAll(item)[0] : item;
  return found?.tag === tag ? readAll(found.content) : [];
}

/** Reads DER. An indefinite length, which OpenSSL accepts, ends the list. */
function readAll(bytes: Buffer): Item[] {
  const items: Item[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const more = first < 0x80 ? 0 : first - 0x80;
    const start = at + 2 + more;
    if (first === 0x80 || more > 3 || start > bytes.length) break;
    const end = start + (more === 0 ? first : bytes.readUIntBE(at + 2, more));
    if (end > bytes.length) break;
    items.push({ tag, content: bytes.subarray(start, end) });
    at = end;
  }
  return items;
}

interface Item {
  readonly tag: number;
  readonly content: Buffer;
}

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_ID = 0x06;
const SEQUENCE = 0x30;
const VERSION = 0xa0;

const EC = '2a8648ce3d0201';
/** P-256, P-384, P-521. */
const CURVES: ReadonlySet<string> = new Set(['2a8648ce3d030107', '2b81040022', '2b81040023']);
/** The key of any RSA signature, and one for RSA-PSS only. */
const RSA: ReadonlySet<string> = new Set(['2a864886f70d010101', '2a864886f70d01010a']);
/** Ed25519 and Ed448. */
const EDWARDS: ReadonlySet<string> = new Set(['2b6570', '2b6571']);
