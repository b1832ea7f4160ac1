import type { Turns } from '../../src/lib/turns.ts';

/** For tests about something else: whatever comes goes on at once. */
export const NO_TURNS: Turns = { take: () => undefined, countNew: () => 0 };
