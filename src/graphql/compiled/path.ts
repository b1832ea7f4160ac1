import type { GraphQLResolveInfo } from 'graphql';

/** Where in the answer: as graphql gives it to resolvers. */
export type Path = GraphQLResolveInfo['path'];

export function addPath(prev: Path | undefined, key: string | number, typename?: string): Path {
  return { prev, key, typename };
}
