import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // Two copies of graphql (ESM and CommonJS) would not recognise each other's errors and types.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
