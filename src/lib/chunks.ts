import type { TakeTurn } from '@crossbook/executor';
import { countJsonValues, VALUE_BYTES } from './json-pieces.ts';

/**
 * A body as it arrives, which may be JSON. Short chunks are copied together into blocks, because each kept buffer takes
 * some hundreds of bytes more than its content.
 */
export class Chunks {
  bytes = 0;
  readonly #list: Buffer[] = [];
  /** The block that short chunks are copied into. */
  #block = NO_BLOCK;
  #filled = 0;
  #nextBlock = SHORT_CHUNK;

  constructor(first?: Buffer) {
    if (first) this.add(first);
  }

  /** The memory that keeping this chunk takes. To be charged before it is added. */
  memoryFor({ length }: Buffer): number {
    if (this.#fits(length)) return 0;
    return this.#isKept(length) ? length : this.#nextBlock;
  }

  add(chunk: Buffer): void {
    if (this.#fits(chunk.length)) this.#copy(chunk);
    else {
      this.#close();
      if (this.#isKept(chunk.length)) this.#list.push(chunk);
      else {
        this.#block = Buffer.allocUnsafeSlow(this.#nextBlock);
        this.#nextBlock = Math.min(this.#nextBlock * 2, LARGEST_BLOCK);
        this.#copy(chunk);
      }
    }
    this.bytes += chunk.length;
  }

  get list(): readonly Buffer[] {
    this.#close();
    return this.#list;
  }

  /**
   * An upper bound of the memory after parsing as JSON: the text, and one value per comma and bracket. A list of empty
   * objects takes twenty times its text. Reads all bytes: for a body that is bounded.
   */
  measureParsed(): number {
    const values = this.list.reduce(
      (sum, chunk) => sum + countJsonValues(chunk.toString('latin1')),
      0,
    );
    return this.bytes + values * VALUE_BYTES;
  }

  /** One buffer, which is the only chunk itself if there is one. */
  toBuffer(): Buffer {
    const [first, second] = this.list;
    return first && !second ? first : Buffer.concat(this.#list, this.bytes);
  }

  /**
   * The same in pieces, because new memory of megabytes takes long to fill. The buffer takes the place of the chunks.
   */
  async join(takeTurn: TakeTurn): Promise<Buffer> {
    this.#close();
    const chunks = this.#list;
    if (chunks.length < 2) return this.toBuffer();
    const joined = Buffer.allocUnsafeSlow(this.bytes);
    let filled = 0;
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
      const turn = takeTurn();
      if (turn) await turn;
      joined.set(chunk, filled);
      filled += chunk.length;
    }
    chunks.push(joined);
    return joined;
  }

  /** The first chunk is kept as it is: most bodies arrive in one. */
  #isKept(length: number): boolean {
    return length >= SHORT_CHUNK || this.bytes === 0;
  }

  #fits(length: number): boolean {
    return this.#filled + length <= this.#block.length;
  }

  #copy(chunk: Buffer): void {
    this.#block.set(chunk, this.#filled);
    this.#filled += chunk.length;
  }

  #close(): void {
    if (this.#filled > 0) this.#list.push(this.#block.subarray(0, this.#filled));
    this.#block = NO_BLOCK;
    this.#filled = 0;
  }
}

const NO_BLOCK = Buffer.alloc(0);
/** Shorter chunks are copied. */
const SHORT_CHUNK = 4 * 1024;
const LARGEST_BLOCK = 64 * 1024;
