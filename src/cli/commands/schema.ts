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
  details: ['With CROSSBOOK_GRAPHQL_TYPE_PREFIX its types have the names that the server gives them.'],
  run: async ({ readConfig }, { flag }) => {
    // Loaded here alone: no other command should wait for it.
    const { printApiSchema, printSubgraphSchema } = await import('../../graphql/schema.ts');
    const { typePrefix } = readConfig();
    const sdl = flag('subgraph')
      ? printSubgraphSchema({ relayNode: flag('relay-node'), typePrefix })
      : printApiSchema({ typePrefix });
    return { data: { sdl }, text: sdl.trimEnd() };
  },
};
