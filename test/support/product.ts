import './process-sources.ts';

/** For tests. Scripts outside vitest import the original file. */
export * from './start-product.ts';
