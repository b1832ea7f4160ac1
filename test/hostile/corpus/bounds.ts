import type { Caller } from '../target/open-target.ts';

const MEGABYTE = 1024 * 1024;

/** The maximum size of one response. */
export const ANSWER_BYTES: Readonly<Record<Caller, number>> = {
  stranger: MEGABYTE,
  key: 16 * MEGABYTE,
  token: 16 * MEGABYTE,
  neighbour: 16 * MEGABYTE,
};

/** The maximum time that the event loop may be blocked at once. */
export const HELD_MS = 250;
