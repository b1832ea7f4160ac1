/**
 * Divides the work for one response into pieces, with a turn of other requests between them. Whoever works counts its
 * work in units of about a microsecond, and calls `next` between two steps. All concurrent work of the request shares
 * one pace, so that its operations and branches together are no longer than a piece.
 */
export class Pace {
  /** The units since the last turn. */
  #units = 0;
  #waiting: Waiting[] = [];
  readonly #takeTurn: TakeTurn;
  readonly #pieceUnits: number;
  readonly #onPiece: PaceOptions['onPiece'];

  constructor({ takeTurn, pieceUnits = PIECE_UNITS, onPiece }: PaceOptions) {
    this.#takeTurn = takeTurn;
    this.#onPiece = onPiece;
    this.#pieceUnits = pieceUnits;
  }

  count(units: number): void {
    this.#units += units;
  }

  countBytes(bytes: number): void {
    this.#units += bytes / BYTES_PER_UNIT;
  }

  /** The piece is full: `next` would wait. */
  get isFull(): boolean {
    return this.#units >= this.#pieceUnits;
  }

  /** A step that cannot be interrupted has exceeded its piece: it should stop, and go on in smaller steps. */
  get isLate(): boolean {
    return this.#units >= 2 * this.#pieceUnits;
  }

  /** Call before a step. Undefined: go on at once. A promise: wait for the next piece. */
  next(): Promise<void> | undefined {
    if (!this.isFull) return undefined;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#waiting.length === 1) void this.#serve();
    });
  }

  /** Resumes what waits in order, as much of it in each piece as fits. */
  async #serve(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (const { resolve, reject } of this.#waiting) {
      try {
        if (!failure && this.isFull) {
          await this.#takeTurn();
          this.#units = 0;
        }
      } catch (error) {
        failure = { error };
      }
      const began = performance.now();
      if (failure) reject(failure.error);
      else resolve();
      // The resumed step runs before this continues.
      await undefined;
      this.#onPiece?.(performance.now() - began);
    }
    this.#waiting = [];
  }
}

/** The work of one piece: some milliseconds. A step may take as much again before it is late. */
const PIECE_UNITS = 12_000;
/** JSON is measured, written and encoded: a few nanoseconds for each byte of long texts, ten times as many for objects. */
const BYTES_PER_UNIT = 32;

export type TakeTurn = () => Promise<void> | undefined;

export interface PaceOptions {
  /** Resolves when others have run; undefined: they need not. It may reject, which ends all work that waits. */
  readonly takeTurn: TakeTurn;
  readonly pieceUnits?: number | undefined;
  /** Called after each piece that had to wait, with its duration. */
  readonly onPiece?: ((ms: number) => void) | undefined;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}
