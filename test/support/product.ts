import './process-sources.ts';

/** For tests. Scripts that run without vitest take it from its own file. */
export * from './start-product.ts';
