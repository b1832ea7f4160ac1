import { systemClock } from '../../lib/clock.ts';
import { Turns } from '../../lib/turns.ts';

/** One for all redactions of the process, as its event loop is one. */
export const redactionTurns = new Turns(systemClock);
