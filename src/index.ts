import { createCrossbook as create } from './crossbook.ts';
import type { CreateCrossbook } from './embedding.ts';

// The entry of the package for applications that embed Crossbook.

export const createCrossbook: CreateCrossbook = (options) => create(options);
export type * from './embedding.ts';
