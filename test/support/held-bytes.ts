import { createHeldBytes } from '../../src/limits/held-bytes.ts';

/** For tests that assert nothing about memory. */
export const UNBOUNDED = createHeldBytes({ maxBytes: Number.POSITIVE_INFINITY });
