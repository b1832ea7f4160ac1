import type { Command } from '../command.ts';

export const schemaPrint: Command = {
  name: 'schema print',
  summary: 'Prints the GraphQL schema.',
  run: async () => {
    // Loaded here alone: no other command should wait for it.
    const { printApiSchema } = await import('../../graphql/print-api-schema.ts');
    const sdl = printApiSchema();
    return { data: { sdl }, text: sdl.trimEnd() };
  },
};
