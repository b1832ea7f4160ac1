import { createMemory } from '../../src/admission/memory.ts';

/** For tests that assert nothing about memory. */
export const UNBOUNDED = createMemory({ maxBytes: Number.POSITIVE_INFINITY });
