import { type ToError, toLimitError } from './limit-error.ts';
import { Pace, type PaceOptions, type TakeTurn } from './pace.ts';

/** Limits of the response to one HTTP request, independent of cost estimates. */
export interface ResponseBounds {
  /** The number of fields and list items. */
  readonly values: number;
  /** Uncompressed bytes of the body. */
  readonly bytes: number;
  /** The last error counts the omitted ones. */
  readonly errors: number;
  /** Serialized bytes of all errors. */
  readonly errorBytes: number;
}

/** For operations of clients that are known. */
export const DEFAULT_BOUNDS: ResponseBounds = {
  values: 400_000,
  bytes: 16 * 1024 * 1024,
  errors: 100,
  errorBytes: 256 * 1024,
};

/**
 * The remaining response limits of one HTTP request, including all operations of a batch. Consumed while the response is
 * produced, so it holds for any data. Each method throws above its limit.
 */
export class Allowance {
  readonly bounds: ResponseBounds;
  /** Divides the work for this response into pieces. */
  readonly pace: Pace;
  /** The error that was thrown, if a limit was exceeded. */
  exceeded: Error | undefined;
  #values = 0;
  #resultBytes = 0;
  #bytes = 0;
  #errors = 0;
  #errorBytes = 0;
  readonly #toError: ToError;

  /** `takeTurn` may reject, where the response is not needed any more: then its operations end. */
  constructor(bounds: ResponseBounds, options: AllowanceOptions = {}) {
    const { takeTurn = () => undefined, pieceUnits, onPiece, toError = toLimitError } = options;
    this.bounds = bounds;
    this.#toError = toError;
    const takeOwnTurn = async () => {
      try {
        await takeTurn();
      } catch (error) {
        this.#end(error as Error);
      }
    };
    this.pace = new Pace({ takeTurn: takeOwnTurn, pieceUnits, onPiece });
  }

  get consumed() {
    return { values: this.#values, bytes: this.#bytes };
  }

  /** Called before values are produced. */
  consumeValues(count: number): void {
    this.#values += count;
    if (this.#values > this.bounds.values) this.#stop(`${this.bounds.values} values`);
  }

  /** Called when long strings and JSON documents enter the result, before serialization. */
  consumeResultBytes(count: number): void {
    this.#resultBytes += count;
    if (this.#resultBytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  /** The result of one step, or undefined if it fails: then what it has consumed is taken back. Throws above a limit. */
  attempt<Value, Result>(step: (value: Value, allowance: this) => Result, value: Value) {
    const values = this.#values;
    const resultBytes = this.#resultBytes;
    try {
      return step(value, this);
    } catch {
      if (this.exceeded) throw this.exceeded;
      this.#values = values;
      this.#resultBytes = resultBytes;
      return undefined;
    }
  }

  /** Called when bytes of the body are serialized. */
  consumeBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  /** False if another error of this size exceeds the limit. */
  takeError(bytes: number): boolean {
    const { errors, errorBytes } = this.bounds;
    if (this.#errors >= errors || this.#errorBytes + bytes > errorBytes) return false;
    this.#errors += 1;
    this.#errorBytes += bytes;
    return true;
  }

  #stop(bound: string): never {
    return this.#end(
      this.exceeded ??
        this.#toError(
          `The response is too large: it has more than ${bound}, which is the limit. Request fewer items, fields or aliases.`,
        ),
    );
  }

  /** Exhausts all limits, so that other running operations of the batch stop too. */
  #end(error: Error): never {
    this.#values = Number.POSITIVE_INFINITY;
    this.#resultBytes = Number.POSITIVE_INFINITY;
    this.exceeded ??= error;
    throw this.exceeded;
  }
}

export interface AllowanceOptions extends Omit<PaceOptions, 'takeTurn'> {
  readonly takeTurn?: TakeTurn | undefined;
  /** Makes the error for an exceeded limit. */
  readonly toError?: ToError | undefined;
}
