import { renderGraphiQL } from '@graphql-yoga/render-graphiql';

/**
 * Writes GraphiQL's page to a file beside the product, with a mark for its options: as a module its 9 MB would stay
 * in memory after the first use. With `page`, one that is there already is read, from that relative path.
 */
export function graphiqlPage({ page } = {}) {
  return {
    name: 'graphiql-page',
    setup(build) {
      build.onLoad({ filter: /render-graphiql[/\\]esm[/\\]index\.js$/ }, () => ({
        contents: toLoader(page ?? 'graphiql.html'),
      }));
      if (page !== undefined) return;
      build.onEnd(({ outputFiles }) => {
        const path = `${build.initialOptions.absWorkingDir}/dist/graphiql.html`;
        outputFiles?.push({ path, contents: Buffer.from(renderGraphiQL({ title: TITLE })) });
      });
    },
  };
}

const TITLE = '%TITLE%';

/** Replaces the package in the product. */
const toLoader = (page) => `
import { readFileSync } from 'node:fs';
export function renderGraphiQL(options) {
  const page = readFileSync(new URL('${page}', import.meta.url), 'utf8');
  return page
    .replace('${JSON.stringify({ title: TITLE })}', () => JSON.stringify(options))
    .replace('${TITLE}', () => options.title);
}
`;
