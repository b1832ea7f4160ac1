import { renderGraphiQL } from '@graphql-yoga/render-graphiql';

/**
 * Writes GraphiQL's page to a file beside the product, with a mark for its options: as a module its 9 MB would stay
 * in memory after the first use.
 */
export function graphiqlPage() {
  return {
    name: 'graphiql-page',
    setup(build) {
      build.onLoad({ filter: /render-graphiql[/\\]esm[/\\]index\.js$/ }, () => ({
        contents: LOADER,
      }));
      build.onEnd(({ outputFiles }) => {
        const path = `${build.initialOptions.absWorkingDir}/dist/graphiql.html`;
        outputFiles?.push({ path, contents: Buffer.from(renderGraphiQL({ title: TITLE })) });
      });
    },
  };
}

const TITLE = '%TITLE%';

/** Replaces the package in the product. */
const LOADER = `
import { readFileSync } from 'node:fs';
export function renderGraphiQL(options) {
  const page = readFileSync(new URL('graphiql.html', import.meta.url), 'utf8');
  return page
    .replace('${JSON.stringify({ title: TITLE })}', () => JSON.stringify(options))
    .replace('${TITLE}', () => options.title);
}
`;
