/**
 * An array of text in PostgreSQL's binary format. Its bytes are written value by value, so that no piece of work is as
 * long as the array, and nothing has to be quoted.
 */
export class TextArray {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = HEADER_BYTES;
  #count = 0;

  /** Half of a surrogate pair becomes U+FFFD. PostgreSQL stores no U+0000. */
  add(value: string | null): void {
    this.#count += 1;
    const start = this.#length + LENGTH_BYTES;
    this.#makeRoom(start + (value === null ? 0 : value.length * MOST_BYTES_OF_A_UNIT));
    const written = value === null ? NULL : this.#bytes.write(value, start);
    this.#bytes.writeInt32BE(written, this.#length);
    this.#length = start + Math.max(written, 0);
  }

  get byteLength(): number {
    return this.#length;
  }

  /** Call it once, at the end. */
  toBuffer(): Buffer {
    const [dimensions, hasNulls, lowerBound] = [1, 1, 1];
    for (const [place, value] of [dimensions, hasNulls, TEXT, this.#count, lowerBound].entries())
      this.#bytes.writeInt32BE(value, place * 4);
    return this.#bytes.subarray(0, this.#length);
  }

  #makeRoom(length: number): void {
    if (length <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
    this.#bytes.copy(longer, 0, 0, this.#length);
    this.#bytes = longer;
  }
}

const FIRST_BYTES = 4_096;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;
/** Of UTF-8, for each code unit of UTF-16. */
const MOST_BYTES_OF_A_UNIT = 3;
/** The OID of the type. */
const TEXT = 25;
