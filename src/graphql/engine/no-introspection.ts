import { GraphQLError, type ValidationRule } from 'graphql';

/** A gateway's question has the same answer. */
const TELLS_ALL = ['__schema', '_service'];

/** What a wrong fragment would tell as well: that a type of this name is there. */
const HARMLESS = ['__typename', 'name', 'kind'];

/** The schema is not told: neither the whole of it nor what is in a type. */
export const noIntrospection: ValidationRule = (context) => ({
  Field(node) {
    const tells =
      TELLS_ALL.includes(node.name.value) ||
      (context.getParentType()?.name === '__Type' && !HARMLESS.includes(node.name.value));
    if (tells) context.reportError(new GraphQLError('Introspection is switched off.', { nodes: node }));
  },
});
