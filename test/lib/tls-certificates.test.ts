import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { findCertificateProblem, readPem, toPem } from '../../src/lib/tls-certificates.ts';
import { SELF_SIGNED, SELF_SIGNED_RSA } from '../fixtures/self-signed.ts';
import { der, toCertificate, toPemText, toRsaKey } from '../support/certificates.ts';

const UNSUPPORTED = expect.stringContaining('key is not supported');
const P256 = createPublicKey(SELF_SIGNED.key);
const toEcKey = (namedCurve: string, paramEncoding: 'named' | 'explicit' = 'named') =>
  generateKeyPairSync('ec', { namedCurve, paramEncoding }).publicKey;

describe('a certificate is accepted', () => {
  test('of each public authority', () => {
    const roots = rootCertificates.map((pem) => readPem(pem));
    expect(roots.length).toBeGreaterThan(100);
    expect(roots.filter((root) => findCertificateProblem(root))).toEqual([]);
  });

  test.each([
    ['P-256', P256],
    ['P-384', toEcKey('P-384')],
    ['P-521', toEcKey('P-521')],
    ['Ed25519', generateKeyPairSync('ed25519').publicKey],
    ['Ed448', generateKeyPairSync('ed448').publicKey],
    ['RSA', createPublicKey(SELF_SIGNED_RSA.key)],
    ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).publicKey],
    ['an RSA exponent of 32 bits', toRsaKey(4)],
  ])('with a key of the kind %s', (_, key) => {
    expect(findCertificateProblem([toCertificate(key)])).toBeUndefined();
  });
});

describe('a certificate is refused', () => {
  test.each([
    ['explicit parameters of its curve', toEcKey('P-256', 'explicit')],
    ['a curve over a binary field', toEcKey('sect571r1')],
    ['a curve that certificates of the web do not have', toEcKey('brainpoolP512r1')],
    ['DSA', generateKeyPairSync('dsa', { modulusLength: 1_024, divisorLength: 160 }).publicKey],
    ['a key that cannot sign', generateKeyPairSync('x25519').publicKey],
    ['a long RSA exponent', toRsaKey(6)],
    ['a key of an unknown kind', der(0x30, der(0x30, der(0x06, [42])), der(0x03, [0]))],
  ])('with %s, also after others', (_, key) => {
    const certificates = [toCertificate(P256), toCertificate(key)];
    expect(findCertificateProblem(certificates)).toEqual(UNSUPPORTED);
  });

  test('of a length that is not known, which OpenSSL reads', () => {
    const open = Buffer.from([0x30, 0x80, ...toCertificate(P256).subarray(3), 0, 0]);
    expect(new X509Certificate(open).raw).toEqual(toCertificate(P256));
    expect(findCertificateProblem([open])).toEqual(UNSUPPORTED);
  });

  test('wherever it is cut', () => {
    const whole = toCertificate(P256);
    for (let length = 0; length < whole.length; length += 1)
      expect(findCertificateProblem([whole.subarray(0, length)])).toEqual(UNSUPPORTED);
  });

  test.each([
    ['above 10', Array(11).fill(toCertificate(P256)), 'has more than 10 TLS certificates'],
    ['above 16 KiB', [toCertificate(P256, 8_192)], 'has TLS certificates of more than 16 KiB'],
  ])('%s in all', (_, certificates, problem) => {
    expect(findCertificateProblem(certificates)).toBe(problem);
    expect(findCertificateProblem([toCertificate(P256)])).toBeUndefined();
  });
});

test('the certificates of a PEM file are those that OpenSSL gets', () => {
  const pem = `A comment\n${SELF_SIGNED.cert}\r\n${toPemText(toCertificate(P256))}`;
  const [first, second, ...others] = readPem(pem).map((bytes) => new X509Certificate(toPem(bytes)));
  expect(first?.raw).toEqual(new X509Certificate(SELF_SIGNED.cert).raw);
  expect(second?.raw).toEqual(toCertificate(P256));
  expect(others).toEqual([]);
});

test('OpenSSL gets certificates of any length, also those that fill their last line of PEM', () => {
  const certificates = Array.from({ length: 100 }, (_, size) => toCertificate(P256, size));
  const lengths = new Set(certificates.map(({ length }) => length % 48));
  expect(lengths).toContain(0);
  for (const certificate of certificates)
    expect(new X509Certificate(toPem(certificate)).raw).toEqual(certificate);
});
