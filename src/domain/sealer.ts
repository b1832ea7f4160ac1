/** Authenticated encryption for what is stored: secrets and cached answers. */
export interface Sealer {
  /** The binding is not stored: what is sealed for one place opens only there. */
  seal(plaintext: string | Uint8Array, binding: string): string;
  /** Undefined when it was altered, is bound elsewhere, or its key is unknown. */
  open(sealed: string, binding: string): string | undefined;
}
