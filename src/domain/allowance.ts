import { CrossbookError } from './errors.ts';

/** How large the response to one HTTP request may become, whatever was estimated before. */
export interface ResponseBounds {
  /** Fields and list items. */
  readonly values: number;
  /** Of the body, uncompressed. */
  readonly bytes: number;
  /** The last of them says how many more there were. */
  readonly errors: number;
  /** Of all errors together, as they are written. */
  readonly errorBytes: number;
}

export const RESPONSE_BOUNDS = {
  caller: { values: 400_000, bytes: 16 * 1024 * 1024, errors: 100, errorBytes: 256 * 1024 },
  stranger: { values: 100_000, bytes: 1024 * 1024, errors: 20, errorBytes: 32 * 1024 },
} as const satisfies Record<string, ResponseBounds>;

/**
 * What one HTTP request, all operations of a batch included, may still have made for its response. It is consumed while
 * the response is made, so it holds whatever the data turns out to be. Each method throws once its bound is passed.
 */
export interface Allowance {
  readonly bounds: ResponseBounds;
  /** Before they are made. */
  consumeValues(count: number): void;
  /** Of long strings and JSON documents, when they are put into the result: before they are written. */
  consumeResultBytes(count: number): void;
  /** Of the body, when they are written. */
  consumeBytes(count: number): void;
  /** Has much been made? */
  readonly isLarge: boolean;
  /** False where there is no room for another error of this size. */
  takeError(bytes: number): boolean;
  /** The one error that was thrown, if a bound was passed. */
  readonly exceeded: CrossbookError | undefined;
  readonly consumed: { readonly values: number; readonly bytes: number };
}

export function createAllowance(bounds: ResponseBounds): Allowance {
  return new ConsumedAllowance(bounds);
}

/** In values. */
const LARGE = 10_000;

class ConsumedAllowance implements Allowance {
  readonly bounds: ResponseBounds;
  exceeded: CrossbookError | undefined;
  #values = 0;
  #resultBytes = 0;
  #bytes = 0;
  #errors = 0;
  #errorBytes = 0;

  constructor(bounds: ResponseBounds) {
    this.bounds = bounds;
  }

  get consumed() {
    return { values: this.#values, bytes: this.#bytes };
  }

  get isLarge() {
    return this.#values > LARGE;
  }

  consumeValues(count: number): void {
    this.#values += count;
    if (this.#values > this.bounds.values) this.#stop(`${this.bounds.values} values`);
  }

  consumeResultBytes(count: number): void {
    this.#resultBytes += count;
    if (this.#resultBytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  consumeBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  takeError(bytes: number): boolean {
    const { errors, errorBytes } = this.bounds;
    if (this.#errors >= errors || this.#errorBytes + bytes > errorBytes) return false;
    this.#errors += 1;
    this.#errorBytes += bytes;
    return true;
  }

  #stop(bound: string): never {
    // Whichever bound it was: what else of a batch is under way makes no more either.
    this.#values = Number.POSITIVE_INFINITY;
    this.#resultBytes = Number.POSITIVE_INFINITY;
    this.exceeded ??= new CrossbookError(
      'BAD_REQUEST',
      `The answer is too large: it has more than ${bound}, which is the bound. Ask for fewer items, fields or aliases.`,
    );
    throw this.exceeded;
  }
}
