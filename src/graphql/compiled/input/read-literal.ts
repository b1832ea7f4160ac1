import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  type ValueNode,
} from 'graphql';
import { BAILOUT, bailOut } from '../execution.ts';

/**
 * A value as it is written in a document. Lists and objects are made anew each time: a resolver may change
 * them. Undefined is a variable without a value.
 */
export function readLiteral(node: ValueNode, type: GraphQLInputType): ReadLiteral {
  if (node.kind === Kind.VARIABLE) return readVariable(node.name.value, type);
  if (isNonNullType(type)) return node.kind === Kind.NULL ? bailOut() : readLiteral(node, type.ofType);
  if (node.kind === Kind.NULL) return () => null;
  if (isListType(type)) return readItems(node.kind === Kind.LIST ? node.values : [node], type.ofType);
  if (!isInputObjectType(type)) return parseLeaf(node, type);
  if (node.kind !== Kind.OBJECT) throw BAILOUT;
  const fill = coerceFields(Object.values(type.getFields()), node.fields);
  return (variables) => {
    const values = fill(Object.create(null), variables);
    return type.isOneOf && !isOneOf(values) ? bailOut() : values;
  };
}

/** Arguments, or the fields of an input object: in the order in which they are declared. */
export function coerceFields(declared: readonly InputDefinition[], written: readonly Written[]): FillIn {
  const nodes = new Map(written.map(({ name, value }) => [name.value, value]));
  const members = declared.flatMap((one) => {
    const node = nodes.get(one.name);
    const standIn = defaultFor(one);
    if (node) return [{ name: one.name, read: readOr(standIn, node, one.type) }];
    return standIn() === undefined ? [] : [{ name: one.name, read: standIn }];
  });
  return (values, variables) => {
    for (const { name, read } of members) {
      const value = read(variables);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

/** A variable without a value gives way to the default. */
function readOr(standIn: () => unknown, node: ValueNode, type: GraphQLInputType): ReadLiteral {
  const read = readLiteral(node, type);
  if (node.kind !== Kind.VARIABLE) return read;
  return (variables) => {
    const value = read(variables);
    return value === undefined ? standIn() : value;
  };
}

function readVariable(name: string, type: GraphQLInputType): ReadLiteral {
  const isRequired = isNonNullType(type);
  return (variables) => {
    if (!Object.hasOwn(variables, name)) return undefined;
    const value = variables[name];
    return value === undefined || (value === null && isRequired) ? bailOut() : value;
  };
}

function readItems(nodes: readonly ValueNode[], type: GraphQLInputType): ReadLiteral {
  const standIn = isNonNullType(type) ? bailOut : () => null;
  const reads = nodes.map((node) => readOr(standIn, node, type));
  return (variables) => reads.map((read) => read(variables));
}

function parseLeaf(node: ValueNode, type: GraphQLLeafType): ReadLiteral {
  const parse: ReadLiteral = (variables) => type.parseLiteral(node, variables) ?? bailOut();
  // Some scalars take these, with variables within.
  if (node.kind === Kind.LIST || node.kind === Kind.OBJECT) return parse;
  const value = parse({});
  return typeof value !== 'object' || isEnumType(type) ? () => value : parse;
}

/** What stands in for an argument, or a field of an input object, that is not given: undefined, it is left out. */
export function defaultFor({ type, defaultValue }: InputDefinition): () => unknown {
  return defaultValue === undefined && isNonNullType(type) ? bailOut : () => defaultValue;
}

/** Of an input object of which exactly one field is to be given. */
export function isOneOf(values: Readonly<Record<string, unknown>>): boolean {
  const [name, ...more] = Object.keys(values);
  return name !== undefined && more.length === 0 && values[name] !== null;
}

export type Values = Record<string, unknown>;

type ReadLiteral = (variables: Values) => unknown;

type FillIn = (values: Values, variables: Values) => Values;

type Written = ArgumentNode | ObjectFieldNode;

type InputDefinition = GraphQLArgument | GraphQLInputField;
