import {
  type ASTNode,
  type ASTVisitor,
  GraphQLError,
  type GraphQLInputObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type ObjectFieldNode,
  type ObjectValueNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import { leafOf } from '../execution/leaf-types.ts';
import { listFields } from '../execution/list-fields.ts';

/**
 * Takes the place of graphql's `ValuesOfCorrectTypeRule`, and rejects the same literals at the same
 * positions. That rule prints each invalid literal into its message: a list of 50,000 items takes a
 * fifth of a second, and a literal may hold a secret.
 */
export function checkLiterals(context: ValidationContext): ASTVisitor {
  return {
    ListValue(node, _key, parent) {
      if (isListType(getNullableType(context.getParentInputType()))) return undefined;
      checkValue(context, node, parent);
      return false;
    },
    ObjectValue(node, _key, parent) {
      const type = getNamedType(context.getInputType());
      if (isInputObjectType(type)) return checkObject(context, { node, parent, type });
      checkValue(context, node, parent);
      return false;
    },
    ObjectField: (node) => checkField(context, node),
    NullValue(node, _key, parent) {
      if (isNonNullType(context.getInputType()))
        report(context, node, `${nameOf(parent)} must not be null.`);
    },
    EnumValue: (node, _key, parent) => checkValue(context, node, parent),
    IntValue: (node, _key, parent) => checkValue(context, node, parent),
    FloatValue: (node, _key, parent) => checkValue(context, node, parent),
    StringValue: (node, _key, parent) => checkValue(context, node, parent),
    BooleanValue: (node, _key, parent) => checkValue(context, node, parent),
  };
}

function checkObject(context: ValidationContext, { node, parent, type }: InputObject): void {
  const given = new Map(node.fields.map(({ name, value }) => [name.value, value]));
  for (const field of Object.values(type.getFields()))
    if (isRequiredInputField(field) && !given.has(field.name))
      report(context, node, `${nameOf(parent)} must have the field \`${field.name}\`.`);
  if (!type.isOneOf) return;
  const [[name, value] = []] = given;
  const names = [...given.keys()].slice(0, MAX_NAMES).join(', ') || 'none';
  if (given.size !== 1)
    report(
      context,
      node,
      `${nameOf(parent)} must have exactly one of the fields ${listFields(type)}, and has ${names}.`,
    );
  else if (value?.kind === Kind.NULL)
    report(context, node, `The field \`${name}\` must not be null.`);
}

const MAX_NAMES = 10;

function checkField(context: ValidationContext, node: ObjectFieldNode): void {
  const type = getNamedType(context.getParentInputType());
  if (!context.getInputType() && isInputObjectType(type))
    report(
      context,
      node,
      `\`${node.name.value}\` is not a field of ${type.name}, which has ${listFields(type)}.`,
    );
}

function checkValue(context: ValidationContext, node: ValueNode, parent: Parent): void {
  const type = context.getInputType();
  const leaf = getNamedType(type);
  if (!leaf) return;
  const refuse = (reason: string): undefined =>
    report(context, node, `${nameOf(parent)} ${reason}.`);
  if (isLeafType(leaf)) leafOf(leaf).checkLiteral(node, { refuse });
  else refuse(`must be of the type ${type}`);
}

function report(context: ValidationContext, node: ASTNode, message: string): undefined {
  context.reportError(new GraphQLError(message, { nodes: node }));
}

/** What the value is the value of. */
function nameOf(parent: Parent): string {
  if (!parent || !('kind' in parent)) return 'Each item of the list';
  if (parent.kind === Kind.ARGUMENT) return `The argument \`${parent.name.value}\``;
  if (parent.kind === Kind.OBJECT_FIELD) return `The field \`${parent.name.value}\``;
  return 'The default value';
}

type Parent = ASTNode | readonly ASTNode[] | undefined;

interface InputObject {
  readonly node: ObjectValueNode;
  readonly parent: Parent;
  readonly type: GraphQLInputObjectType;
}
