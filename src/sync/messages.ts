/**
 * Takes the bytes of a destination's server, and returns whole messages that are safe to parse. The driver trusts its
 * server: a message that ends too early makes it loop or throw in the event loop, and it keeps all rows of a response.
 */
export class ServerMessages {
  /** What is left of the current response, by its limits. */
  #left: Limits;
  #buffer: Buffer = EMPTY;
  /** Bytes at the start of the buffer that are not passed on yet. */
  #bytes = 0;
  /** So many bytes have to be there until something can be passed on. */
  #needed = HEADER_BYTES;

  constructor(limits: Limits) {
    this.#left = limits;
  }

  /** A statement is sent: its response has these limits. */
  expect(limits: Limits): void {
    this.#left = limits;
  }

  /** The messages that this chunk completes. Throws if a server of PostgreSQL would not send it. */
  take(chunk: Buffer): Buffer {
    this.#spend({ bytes: chunk.length, rows: 0 });
    this.#append(chunk);
    if (this.#bytes < this.#needed) return EMPTY;
    let end = 0;
    this.#needed = HEADER_BYTES;
    while (this.#bytes - end >= HEADER_BYTES) {
      const length = this.#buffer.readUInt32BE(end + 1);
      // The length counts itself.
      if (length < 4 || length > this.#left.bytes + this.#bytes) throw new ProtocolError();
      if (this.#bytes - end < 1 + length) {
        this.#needed = 1 + length;
        break;
      }
      this.#check(this.#buffer.subarray(end, end + 1 + length));
      end += 1 + length;
    }
    return this.#remove(end);
  }

  #spend({ bytes, rows }: Limits): void {
    this.#left = { bytes: this.#left.bytes - bytes, rows: this.#left.rows - rows };
    if (this.#left.bytes < 0 || this.#left.rows < 0) throw new ResponseTooLarge();
  }

  /** Chunks may have one byte each, so the buffer doubles. */
  #append(chunk: Buffer): void {
    const bytes = this.#bytes + chunk.length;
    if (this.#bytes === 0) this.#buffer = chunk;
    else {
      if (bytes > this.#buffer.length) {
        const larger = Buffer.allocUnsafe(2 * bytes);
        this.#buffer.copy(larger, 0, 0, this.#bytes);
        this.#buffer = larger;
      }
      chunk.copy(this.#buffer, this.#bytes);
    }
    this.#bytes = bytes;
  }

  /** The driver keeps what it gets, so the rest has a buffer of its own. */
  #remove(end: number): Buffer {
    if (end === 0) return EMPTY;
    const whole = this.#buffer.subarray(0, end);
    const rest = this.#buffer.subarray(end, this.#bytes);
    this.#buffer = rest.length === 0 ? EMPTY : Buffer.from(rest);
    this.#bytes = rest.length;
    return whole;
  }

  #check(message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0);
    const isValid = MESSAGES.get(type);
    if (!isValid?.(message.subarray(HEADER_BYTES))) throw new ProtocolError();
    if (type === 'D') this.#spend({ bytes: 0, rows: 1 });
  }
}

/** A type and a length. */
const HEADER_BYTES = 5;
const EMPTY = Buffer.alloc(0);

/** The messages that are expected by their types, and whether their content is as long as it says. */
const MESSAGES: ReadonlyMap<string, (content: Buffer) => boolean> = new Map([
  ['R', isAuthentication],
  ['S', (content) => findEnd(content, 0, 2) === content.length],
  ['K', (content) => content.length === 8],
  ['Z', (content) => content.length === 1],
  ['E', isReport],
  ['N', isReport],
  ['T', isRowDescription],
  ['D', isRow],
  ['C', (content) => findEnd(content, 0, 1) === content.length],
  ['t', (content) => content.length >= 2 && content.length === 2 + 4 * content.readUInt16BE(0)],
  ...['1', '2', '3', 'I', 'n'].map((type) => [type, isEmpty] as const),
]);

function isEmpty(content: Buffer): boolean {
  return content.length === 0;
}

/** Which methods there are, the driver knows. The list of those of SASL ends with an empty text. */
function isAuthentication(content: Buffer): boolean {
  if (content.length < 4) return false;
  const method = content.readUInt32BE(0);
  if (method === 10) return content.length > 4 && content.at(-1) === 0;
  return AUTHENTICATION.has(method);
}

const AUTHENTICATION: ReadonlySet<number> = new Set([0, 3, 5, 11, 12]);

/** An error or a notice: types of fields with texts, and a zero at the end. */
function isReport(content: Buffer): boolean {
  let at = 0;
  while (at < content.length && content[at] !== 0) at = findEnd(content, at + 1, 1);
  return at === content.length - 1;
}

function isRowDescription(content: Buffer): boolean {
  if (content.length < 2) return false;
  const fields = content.readInt16BE(0);
  let at = 2;
  for (let count = 0; count < fields && at <= content.length; count += 1)
    at = findEnd(content, at, 1) + 18;
  return fields >= 0 && at === content.length;
}

function isRow(content: Buffer): boolean {
  if (content.length < 2) return false;
  const values = content.readInt16BE(0);
  let at = 2;
  for (let count = 0; count < values; count += 1) {
    if (at + 4 > content.length) return false;
    const length = content.readInt32BE(at);
    if (length < -1) return false;
    at += 4 + Math.max(0, length);
  }
  return values >= 0 && at === content.length;
}

/** The end of so many texts, each of which ends with a zero. Beyond the content where one does not end. */
function findEnd(content: Buffer, start: number, texts: number): number {
  let at = start;
  for (let count = 0; count < texts; count += 1) {
    const end = at < content.length ? content.indexOf(0, at) : -1;
    if (end < 0) return Number.POSITIVE_INFINITY;
    at = end + 1;
  }
  return at;
}

/** It is no PostgreSQL, or one that something between has changed. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

export interface Limits {
  readonly bytes: number;
  readonly rows: number;
}
