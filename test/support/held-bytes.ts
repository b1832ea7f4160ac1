import { createMemoryLimit } from '../../src/limits/memory-limit.ts';

/** For tests that assert nothing about memory. */
export const UNBOUNDED = createMemoryLimit({ maxBytes: Number.POSITIVE_INFINITY });
