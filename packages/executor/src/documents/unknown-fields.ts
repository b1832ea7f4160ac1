import {
  type ASTVisitor,
  type FieldNode,
  FieldsOnCorrectTypeRule,
  GraphQLError,
  isInterfaceType,
  isObjectType,
  type ValidationContext,
} from 'graphql';

/**
 * The specification's rule for unknown fields. graphql compares each unknown name with all fields of its type for a
 * suggestion, which takes milliseconds where there are hundreds of long names: a document has a limit of comparisons,
 * and errors beyond it have no suggestion.
 */
export function checkFields(context: ValidationContext): ASTVisitor {
  const rule = FieldsOnCorrectTypeRule(context) as { Field(node: FieldNode): void };
  let compared = 0;
  return {
    Field(node: FieldNode) {
      const type = context.getParentType();
      if (!type || context.getFieldDef()) return;
      const { value } = node.name;
      const names =
        isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
      compared += value.length * names.reduce((sum, name) => sum + name.length, 0);
      if (compared <= MAX_COMPARED) rule.Field(node);
      else
        context.reportError(
          new GraphQLError(`Cannot query field "${value}" on type "${type.name}".`, {
            nodes: node,
          }),
        );
    },
  };
}

/** Pairs of characters: some ten milliseconds. */
const MAX_COMPARED = 1_000_000;
