import type { Command } from '../command.ts';

export const schemaPrint: Command = {
  name: 'schema print',
  summary: 'Prints the GraphQL schema.',
  options: {
    subgraph: {
      description: 'As gateways compose it: with its keys and costs, without @oneOf, node and nodes.',
    },
    'relay-node': {
      description: 'With --subgraph: with node and nodes, for the one subgraph that has them.',
    },
  },
  run: async (_context, { flag }) => {
    // Loaded here alone: no other command should wait for it.
    const { printApiSchema, printSubgraphSchema } = await import('../../graphql/print-api-schema.ts');
    const sdl = flag('subgraph') ? printSubgraphSchema({ relayNode: flag('relay-node') }) : printApiSchema();
    return { data: { sdl }, text: sdl.trimEnd() };
  },
};
