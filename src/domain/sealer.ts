/** Authenticated encryption for one purpose. What is sealed opens only with the binding that it was sealed with. */
export interface Sealer {
  /** URL-safe text. */
  seal(plaintext: string, binding: string): string;
  /** Undefined when altered, bound elsewhere, or sealed under a key that is no longer known. */
  open(sealed: string, binding: string): string | undefined;
}
