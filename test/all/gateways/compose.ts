import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { graphqlSync, parse } from 'graphql';
import { entitySchema } from '../../../src/graphql/schema.ts';
import { toSubgraph } from '../../../src/graphql/subgraph/to-subgraph.ts';
import { NOTES_SDL } from './notes-subgraph.ts';

/** Composes the supergraph of Crossbook and its neighbour. Fails with all errors of the composer. */
export function compose(
  urls: { readonly crossbook: string; readonly notes: string },
  sdl = readSubgraph(),
): string {
  const result = composeServices([
    { name: 'crossbook', url: urls.crossbook, typeDefs: parse(sdl) },
    { name: 'notes', url: urls.notes, typeDefs: parse(NOTES_SDL) },
  ]);
  if (compositionHasErrors(result))
    throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.supergraphSdl;
}

/** Our SDL, as a gateway reads it. */
export function readSubgraph(): string {
  const { data } = graphqlSync({
    schema: toSubgraph(entitySchema),
    source: '{ _service { sdl } }',
  });
  return (data as unknown as { _service: { sdl: string } })._service.sdl;
}
