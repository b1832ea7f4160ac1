/**
 * JSON that is bytes already, on its way through promises. Those were made when the request came, and by now they are
 * old; what is old keeps what it refers to until the next full collection, long after everybody is through with it. So
 * they bring this, and whoever takes the bytes leaves nothing behind.
 */
export class JsonBytes {
  /** In bytes. */
  readonly length: number;
  #pieces: readonly Uint8Array[] | undefined;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Once. */
  take(): readonly Uint8Array[] {
    const pieces = this.#pieces;
    if (!pieces) throw new Error('These bytes have been taken already.');
    this.#pieces = undefined;
    return pieces;
  }

  /** For whoever needs them in one piece. */
  toBuffer(): Buffer<ArrayBuffer> {
    return Buffer.concat(this.take());
  }

  /** Part of something that is written by the engine after all. */
  toJSON(): unknown {
    return JSON.parse(this.toBuffer().toString());
  }
}
