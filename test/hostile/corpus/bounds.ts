import type { Caller } from '../target/open-target.ts';

const MEGABYTE = 1024 * 1024;

/** The maximum size of one response. */
export const ANSWER_BYTES: Readonly<Record<Caller, number>> = {
  stranger: MEGABYTE,
  key: 16 * MEGABYTE,
  token: 16 * MEGABYTE,
  neighbour: 16 * MEGABYTE,
};

/** The longest piece of work, on the machine on which the calibration loop takes `CALIBRATION_MS`. */
export const PIECE_MS = 100;
/** What every run of the tests insists on, also on a busy machine; `npm run hostile` insists on `PIECE_MS`. */
export const MOST_PIECE_MS = 2 * PIECE_MS;
export const CALIBRATION_MS = 10;
