/**
 * A body as it arrives. The first chunk is kept as it is, because most bodies arrive in one; further ones are copied
 * into a buffer that doubles, because each kept chunk takes some hundreds of bytes more than its content.
 */
export class ByteBuffer {
  length = 0;
  #buffer = EMPTY;

  constructor(first = EMPTY) {
    this.#buffer = first;
    this.length = first.length;
  }

  add(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (this.length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      this.#buffer.set(chunk, this.length);
    }
    this.length = length;
  }

  /** Without a copy: it is overwritten by nothing that is added later. */
  get bytes(): Buffer {
    return this.#buffer.length === this.length
      ? this.#buffer
      : this.#buffer.subarray(0, this.length);
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, 2 * length));
    grown.set(this.bytes);
    this.#buffer = grown;
  }
}

const EMPTY: Buffer = Buffer.alloc(0);
const LEAST_BYTES = 4 * 1024;
