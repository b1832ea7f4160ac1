import type { Caller } from '../target/open-target.ts';

const MEGABYTE = 1024 * 1024;

/** What one answer may weigh. */
export const ANSWER_BYTES: Readonly<Record<Caller, number>> = {
  stranger: MEGABYTE,
  key: 16 * MEGABYTE,
  token: 16 * MEGABYTE,
  neighbour: 16 * MEGABYTE,
};

/** How long the event loop may be held at a time. */
export const HELD_MS = 250;
