import { type KeyObject, randomBytes } from 'node:crypto';
import { toPem } from '../../src/lib/tls-certificates.ts';

/** A certificate with this key, which no one has signed. OpenSSL decodes it and verifies its signature all the same. */
export function toCertificate(key: KeyObject | Buffer, size = 0): Buffer {
  const spki = Buffer.isBuffer(key) ? key : key.export({ type: 'spki', format: 'der' });
  const name = der(0x30, der(0x31, der(0x30, OF_A_NAME, der(0x0c, 'x'.repeat(size + 1)))));
  const validity = der(0x30, der(0x17, '200101000000Z'), der(0x17, '400101000000Z'));
  const version = der(0xa0, der(0x02, [2]));
  const body = der(0x30, version, der(0x02, [1]), SIGNED_BY, name, validity, name, spki);
  return der(0x30, body, SIGNED_BY, der(0x03, [0], der(0x30, der(2, [5]), der(2, [7]))));
}

/** A public RSA key with an exponent of so many bits. */
export function toRsaKey(exponentBytes: number): Buffer {
  const modulus = Buffer.concat([Buffer.from([0, 0x80]), randomBytes(383)]);
  const key = der(0x30, der(0x02, modulus), der(0x02, Buffer.alloc(exponentBytes, 1)));
  return der(0x30, der(0x30, der(0x06, RSA), der(0x05)), der(0x03, [0], key));
}

export function toPemText(...certificates: readonly Buffer[]): string {
  return certificates.map(toPem).join('');
}

/** An item of DER. */
export function der(tag: number, ...parts: readonly (Buffer | string | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)));
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  const bytes = length < 0x80 ? [length] : long;
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

const RSA = Buffer.from('2a864886f70d010101', 'hex');
const OF_A_NAME = der(0x06, Buffer.from('550403', 'hex'));
/** ECDSA with SHA-256. */
const SIGNED_BY = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
