import { createRequire } from 'node:module';

/**
 * graphql as ES modules, for everybody in the bundle. A bundler reads every name of a CommonJS module through a function:
 * graphql's are read for each field of a document.
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
