import { createRequire } from 'node:module';

/**
 * Resolves graphql to its ES modules everywhere in the bundle. A bundler accesses every export of a CommonJS module
 * through a function, and graphql's are accessed for each field of a document.
 */
export function graphqlModules(root) {
  const find = createRequire(`${root}/package.json`).resolve;
  return {
    name: 'graphql-modules',
    setup(build) {
      build.onResolve({ filter: /^graphql$/ }, () => ({ path: find('graphql/index.mjs') }));
      build.onResolve({ filter: /^graphql\/.+\.js$/ }, ({ path }) => ({
        path: find(path.replace(/\.js$/, '.mjs')),
      }));
    },
  };
}
