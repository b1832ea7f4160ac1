import { createDecipheriv, createHash, createHmac } from 'node:crypto';
import { findCertificateProblem, MAX_CERTIFICATE_BYTES } from './tls-certificates.ts';

/**
 * Reads what a server sends during a TLS handshake, and passes it on to OpenSSL, certificates only after
 * `findCertificateProblem`. TLS 1.3 encrypts them, with a secret that OpenSSL logs after the ServerHello.
 */
export class HandshakeReader {
  #state: State = 'hello';
  #held: Buffer = EMPTY;
  #suite: Suite | undefined;
  #decrypt: ((record: Buffer) => Buffer) | undefined;
  readonly #messages = new Messages();

  get isComplete(): boolean {
    return this.#state === 'complete';
  }

  /** Nothing is passed on until `useSecret`. */
  get needsSecret(): boolean {
    return this.#state === 'no key';
  }

  /** The bytes that may be passed on now. Throws HandshakeRefused. */
  take(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    let end = 0;
    try {
      while (READING.has(this.#state)) {
        const record = this.#readRecord(bytes, end);
        if (!record) break;
        end += record.length;
      }
    } catch (error) {
      // A number was read beyond the end.
      throw error instanceof RangeError ? new HandshakeRefused(INVALID) : error;
    }
    if (this.#state === 'complete') end = bytes.length;
    this.#held = this.#state === 'not TLS' ? EMPTY : bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  /** The traffic secret of the server's handshake messages. */
  useSecret(secret: Buffer): void {
    if (this.#state !== 'no key' || !this.#suite) return;
    this.#decrypt = toDecrypt(secret, this.#suite);
    this.#state = 'TLS 1.3';
  }

  /** Undefined until all of it is there. */
  #readRecord(bytes: Buffer, start: number): Buffer | undefined {
    if (bytes.length - start < HEADER) return undefined;
    const length = bytes.readUInt16BE(start + 3);
    if (bytes[start + 1] !== 3 || length > MAX_RECORD) {
      // OpenSSL reports what is wrong with the header, and gets nothing else.
      this.#state = 'not TLS';
      return bytes.subarray(start, start + HEADER);
    }
    const end = start + HEADER + length;
    if (bytes.length < end) return undefined;
    const record = bytes.subarray(start, end);
    this.#check(record);
    return record;
  }

  #check(record: Buffer): void {
    const type = record[0];
    if (type === HANDSHAKE && this.#state !== 'TLS 1.3') this.#add(record.subarray(HEADER));
    else if (type === HANDSHAKE) throw new HandshakeRefused(INVALID);
    // In TLS 1.2, no certificates can follow, because renegotiation is off. In TLS 1.3 it has no meaning.
    else if (type === CHANGE_CIPHER_SPEC && this.#state === 'TLS 1.2') this.#state = 'complete';
    else if (type === ENCRYPTED) {
      if (!this.#decrypt) throw new HandshakeRefused(INVALID);
      const content = this.#decrypt(record);
      const last = content.findLastIndex((byte) => byte !== 0);
      if (content[last] === HANDSHAKE) this.#add(content.subarray(0, last));
    }
  }

  #add(content: Buffer): void {
    this.#messages.add(content, (type, body) => this.#read(type, body));
    if (this.#state === 'no key' && !this.#messages.isEmpty) throw new HandshakeRefused(INVALID);
  }

  #read(type: number | undefined, body: Buffer): void {
    if (type === SERVER_HELLO) this.#readHello(body);
    if (type === FINISHED && this.#state === 'TLS 1.3') this.#state = 'complete';
    // It is not requested.
    if (type === COMPRESSED_CERTIFICATE) throw new HandshakeRefused(INVALID);
    if (type !== CERTIFICATE) return;
    const problem = findCertificateProblem(readCertificates(body, this.#state === 'TLS 1.3'));
    if (problem) throw new HandshakeRefused(problem);
  }

  #readHello(body: Buffer): void {
    const { isRetry, isTls13, suite } = readServerHello(body);
    if (this.#state !== 'hello') throw new HandshakeRefused(INVALID);
    if (isRetry) return;
    this.#state = isTls13 ? 'no key' : 'TLS 1.2';
    this.#suite = SUITES.get(suite);
    if (isTls13 && !this.#suite) throw new HandshakeRefused(INVALID);
  }
}

/** Puts messages together, which may be split among records. */
class Messages {
  readonly #bytes = Buffer.allocUnsafe(MESSAGE_HEADER + MAX_MESSAGE);
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(content: Buffer, onMessage: (type: number | undefined, body: Buffer) => void): void {
    for (let at = 0; at < content.length; ) {
      const end = at + this.#wanted() - this.#size;
      this.#size += content.copy(this.#bytes, this.#size, at, end);
      at = end;
      if (this.#size < MESSAGE_HEADER || this.#size < this.#wanted()) continue;
      const body = this.#bytes.subarray(MESSAGE_HEADER, this.#size);
      this.#size = 0;
      onMessage(this.#bytes[0], body);
    }
  }

  #wanted(): number {
    if (this.#size < MESSAGE_HEADER) return MESSAGE_HEADER;
    const length = this.#bytes.readUIntBE(1, 3);
    if (length > MAX_MESSAGE) throw new HandshakeRefused(TOO_LONG);
    return MESSAGE_HEADER + length;
  }
}

function readServerHello(body: Buffer) {
  const isRetry = body.subarray(2, 34).equals(RETRY);
  // After the id of the session.
  const at = 35 + body.readUInt8(34);
  const suite = body.readUInt16BE(at);
  let isTls13 = false;
  // After the compression method, and the length of all extensions.
  for (let next = at + 5; next < body.length; next += 4 + body.readUInt16BE(next + 2))
    if (body.readUInt16BE(next) === SUPPORTED_VERSIONS) isTls13 = true;
  return { isRetry, isTls13, suite };
}

function readCertificates(body: Buffer, isTls13: boolean): Buffer[] {
  const certificates: Buffer[] = [];
  // In TLS 1.3 a context comes first, and extensions follow each certificate.
  let at = 3 + (isTls13 ? 1 + body.readUInt8(0) : 0);
  while (at < body.length) {
    const start = at + 3;
    const end = start + body.readUIntBE(at, 3);
    certificates.push(body.subarray(start, end));
    at = end + (isTls13 ? 2 + body.readUInt16BE(end) : 0);
  }
  return certificates;
}

/** Decrypts records in their order (RFC 8446, section 5.2). */
function toDecrypt(secret: Buffer, { cipher, keyBytes, hash }: Suite): (record: Buffer) => Buffer {
  const key = expand(hash, secret, 'key', keyBytes);
  const nonce = expand(hash, secret, 'iv', NONCE);
  let count = 0;
  return (record) => {
    const iv = Buffer.from(nonce);
    iv.writeUInt32BE((iv.readUInt32BE(NONCE - 4) ^ count) >>> 0, NONCE - 4);
    count += 1;
    // OpenSSL verifies the tag.
    return createDecipheriv(cipher, key, iv).update(record.subarray(HEADER, -TAG));
  };
}

/** HKDF-Expand-Label (RFC 8446, section 7.1), for no more than one block. */
function expand(hash: string, secret: Buffer, name: string, bytes: number): Buffer {
  const label = `tls13 ${name}`;
  const info = Buffer.from([0, bytes, label.length, ...Buffer.from(label), 0, 1]);
  return createHmac(hash, secret).update(info).digest().subarray(0, bytes);
}

/** OpenSSL would take too long for this handshake. `problem` is the predicate of a sentence about the server. */
export class HandshakeRefused extends Error {
  override readonly name = 'HandshakeRefused';
  readonly problem: string;

  constructor(problem: string) {
    super(`The server ${problem}.`);
    this.problem = problem;
  }
}

const INVALID = 'violated the TLS protocol';
const TOO_LONG = 'sent a message of more than 16 KiB during the TLS handshake';
const MAX_MESSAGE = MAX_CERTIFICATE_BYTES;
const EMPTY = Buffer.alloc(0);

/** The states in which records are read. */
const READING: ReadonlySet<string> = new Set<State>(['hello', 'TLS 1.2', 'TLS 1.3']);

/** The type, version and length of a record. */
const HEADER = 5;
/** With the most that encryption adds. */
const MAX_RECORD = 16 * 1024 + 256;
const CHANGE_CIPHER_SPEC = 20;
const HANDSHAKE = 22;
/** The type is named application data, and TLS 1.3 uses it for encrypted handshake messages too. */
const ENCRYPTED = 23;

/** The type and length of a message. */
const MESSAGE_HEADER = 4;
const SERVER_HELLO = 2;
const CERTIFICATE = 11;
const FINISHED = 20;
const COMPRESSED_CERTIFICATE = 25;

/** An extension that only a ServerHello of TLS 1.3 has. */
const SUPPORTED_VERSIONS = 43;
/** The random bytes of a ServerHello that asks for another key share: the SHA-256 of "HelloRetryRequest". */
const RETRY = createHash('sha256').update('HelloRetryRequest').digest();

const NONCE = 12;
const TAG = 16;
const SUITES: ReadonlyMap<number, Suite> = new Map([
  [0x1301, { cipher: 'aes-128-gcm', keyBytes: 16, hash: 'sha256' }],
  [0x1302, { cipher: 'aes-256-gcm', keyBytes: 32, hash: 'sha384' }],
  [0x1303, { cipher: 'chacha20-poly1305', keyBytes: 32, hash: 'sha256' }],
]);

interface Suite {
  readonly cipher: string;
  readonly keyBytes: number;
  readonly hash: string;
}

type State = 'hello' | 'TLS 1.2' | 'no key' | 'TLS 1.3' | 'complete' | 'not TLS';
