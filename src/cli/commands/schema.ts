import type { Command } from '../command.ts';

export const schemaPrint: Command = {
  name: 'schema print',
  summary: 'Prints the GraphQL schema.',
  options: { subgraph: { description: 'as gateways compose it: with its keys, and without @oneOf' } },
  run: async (_context, { flag }) => {
    // Loaded here alone: no other command should wait for it.
    const { printApiSchema, printSubgraphSchema } = await import('../../graphql/print-api-schema.ts');
    const sdl = flag('subgraph') ? printSubgraphSchema() : printApiSchema();
    return { data: { sdl }, text: sdl.trimEnd() };
  },
};
