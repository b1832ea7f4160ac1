import { createHeldBytes } from '../../src/limits/held-bytes.ts';

/** Where nothing is asserted about memory. */
export const UNBOUNDED = createHeldBytes({ maxBytes: Number.POSITIVE_INFINITY });
