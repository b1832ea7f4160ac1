/** Signs page cursors, so that one counts only unaltered, and only in the search that gave it. It hides nothing. */
export interface CursorSigner {
  /** The binding is not part of a cursor. It is asked for when the first is signed or verified. */
  bind(readBinding: () => string): BoundCursorSigner;
}

export interface BoundCursorSigner {
  sign(payload: string): string;
  /** The payload. Undefined when it was altered, is bound elsewhere, or its key is unknown. */
  verify(cursor: string): string | undefined;
}
