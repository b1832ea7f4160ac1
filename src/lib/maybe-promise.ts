/**
 * A value that is usually there at once, because it is cached or needs no other process. Callers await it only where it
 * is a promise: `const value = found instanceof Promise ? await found : found`. Work that usually has nothing to wait
 * for returns undefined in place of a promise: `const waiting = work.begin(); if (waiting) await waiting`.
 */
export type MaybePromise<Value> = Value | Promise<Value>;
