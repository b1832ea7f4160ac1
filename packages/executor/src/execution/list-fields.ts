import type { GraphQLInputObjectType } from 'graphql';

/** The names of the fields of an input, for a message. */
export function listFields(type: GraphQLInputObjectType): string {
  return Object.keys(type.getFields()).join(', ');
}
