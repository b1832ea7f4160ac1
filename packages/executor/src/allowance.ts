import { type ToError, toLimitError } from './limit-error.ts';

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
  /** The error that was thrown, if a limit was exceeded. */
  exceeded: Error | undefined;
  #values = 0;
  #resultBytes = 0;
  #bytes = 0;
  #errors = 0;
  #errorBytes = 0;
  readonly #toError: ToError;
  /** The bytes that had been serialized at the last pause. */
  #bytesAtPause = 0;
  #pause: Promise<void> | undefined;

  /** `toError` makes the error for an exceeded limit. */
  constructor(bounds: ResponseBounds, toError: ToError = toLimitError) {
    this.bounds = bounds;
    this.#toError = toError;
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
  attempt<Value, Context, Result>(
    step: (value: Value, context: Context) => Result,
    value: Value,
    context: Context,
  ) {
    const values = this.#values;
    const resultBytes = this.#resultBytes;
    const bytes = this.#bytes;
    try {
      return step(value, context);
    } catch {
      if (this.exceeded) throw this.exceeded;
      this.#values = values;
      this.#resultBytes = resultBytes;
      this.#bytes = bytes;
      return undefined;
    }
  }

  /** Called when bytes of the body are serialized. */
  consumeBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  /**
   * Undefined until another megabyte was serialized. Then a promise that resolves after other requests have run, for all
   * that is serialized at the same time: check again before the next part.
   */
  pause(): Promise<void> | undefined {
    if (this.#bytes - this.#bytesAtPause < BYTES_PER_PAUSE) return undefined;
    this.#pause ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#bytesAtPause = this.#bytes;
        this.#pause = undefined;
        resolve();
      });
    });
    return this.#pause;
  }

  /** False if another error of this size exceeds the limit. */
  takeError(bytes: number): boolean {
    const { errors, errorBytes } = this.bounds;
    if (this.#errors >= errors || this.#errorBytes + bytes > errorBytes) return false;
    this.#errors += 1;
    this.#errorBytes += bytes;
    return true;
  }

  /** Exhausts all limits, so that other running operations of the batch stop too. */
  #stop(bound: string): never {
    this.exceeded ??= this.#toError(
      `The response is too large: it has more than ${bound}, which is the limit. Request fewer items, fields or aliases.`,
    );
    this.#values = Number.POSITIVE_INFINITY;
    this.#resultBytes = Number.POSITIVE_INFINITY;
    throw this.exceeded;
  }
}

const BYTES_PER_PAUSE = 1024 * 1024;
