/** Authenticated encryption for what leaves our hands: stored secrets and cached answers. */
export interface Sealer {
  /** The binding is not stored: what is sealed for one place opens only there. */
  seal(plaintext: string | Uint8Array, binding: string): string;
  /** Undefined when it was altered, is bound elsewhere, or its key is unknown. */
  open(sealed: string, binding: string): string | undefined;
}

/** The same for page cursors: many at once, of which each costs little. */
export interface CursorSealer {
  /** The binding is asked for when the first is sealed or opened. */
  bind(readBinding: () => string): BoundSealer;
}

export interface BoundSealer {
  seal(text: string): string;
  /** Undefined when it was altered, is bound elsewhere, or its key is unknown. */
  open(sealed: string): string | undefined;
}
