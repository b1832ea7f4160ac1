import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLList,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import { bailOut } from './serializers.ts';

/**
 * Coerces the variables of an operation. Undefined as soon as anything is unexpected: graphql then produces the error
 * messages.
 */
export function readVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[] = [],
): (given: Values) => Values | undefined {
  const variables = unlessBailedOut(() => definitions.map((definition) => toVariable(schema, definition)));
  return (given) =>
    variables &&
    unlessBailedOut(() => {
      const values: Values = {};
      for (const { name, read, standIn } of variables) {
        const value = Object.hasOwn(given, name) ? read(given[name]) : standIn();
        if (value !== undefined) values[name] = value;
      }
      return values;
    });
}

function toVariable(schema: GraphQLSchema, definition: VariableDefinitionNode): Variable {
  const { defaultValue } = definition;
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type);
  // `__proto__` as a key would set the prototype.
  if (!isInputType(type) || name === '__proto__') return bailOut();
  const read = readValue(type);
  if (!defaultValue) return { name, read, standIn: unlessRequired(type, undefined) };
  const readDefault = readLiteral(defaultValue, type);
  return { name, read, standIn: () => readDefault({}) };
}

function readValue(type: GraphQLInputType): ReadValue {
  const read = readPresent(isNonNullType(type) ? type.ofType : type);
  if (read === readString && isNonNullType(type)) return read;
  const standIn = unlessRequired(type, null);
  return (value) => (value === null || value === undefined ? standIn() : read(value));
}

function readPresent(type: GraphQLNamedInputType | GraphQLList<GraphQLInputType>): ReadValue {
  if (isListType(type)) return readList(readValue(type.ofType));
  if (isInputObjectType(type)) return objects.get(type) ?? readObject(type);
  return type === GraphQLString ? readString : (value) => type.parseValue(value) ?? bailOut();
}

/** A single value is coerced to a list of one. */
function readList(readItem: ReadValue): ReadValue {
  return (value) => {
    if (!Array.isArray(value)) return isIterable(value) ? bailOut() : [readItem(value)];
    const { length } = value;
    const items = new Array<unknown>(length);
    for (let index = 0; index < length; index += 1) items[index] = readItem(value[index]);
    return items;
  };
}

function readObject(type: GraphQLInputObjectType): ReadValue {
  const fields = new Map<string, Omit<Variable, 'name'>>();
  const read: ReadValue = (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return bailOut();
    const given = value as Values;
    for (const name of Object.keys(given)) if (!fields.has(name)) bailOut();
    const values: Values = {};
    for (const [name, field] of fields) {
      const one = given[name] === undefined ? field.standIn() : field.read(given[name]);
      if (one !== undefined) values[name] = one;
    }
    return toObject(type, values);
  };
  objects.set(type, read);
  // Fields are added after registration, because input types may be recursive.
  for (const field of Object.values(type.getFields())) {
    fields.set(field.name, { read: readValue(field.type), standIn: defaultFor(field) });
  }
  return read;
}

const readString: ReadValue = (value) => (typeof value === 'string' ? value : bailOut());

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** The readers of a schema's input objects. */
const objects = new WeakMap<GraphQLInputObjectType, ReadValue>();

/**
 * Caches argument readers per operation: one field node may occur in thousands of plans, and its arguments may be as
 * long as the document.
 */
export function createArgumentReaders(): (definition: Definition, node: FieldNode) => ReadArguments {
  const known = new Map<Definition, Map<FieldNode, ReadArguments>>();
  return (definition, node) => {
    const readers = known.get(definition) ?? new Map<FieldNode, ReadArguments>();
    const read = readers.get(node) ?? readArguments(definition, node);
    known.set(definition, readers.set(node, read));
    return read;
  };
}

/** Compiles a field's arguments to a function of the variables. Undefined as above. */
export function readArguments({ args }: Definition, node: FieldNode): ReadArguments {
  const fill = unlessBailedOut(() => coerceFields(args, node.arguments ?? []));
  return (variables) => fill && unlessBailedOut(() => fill({}, variables));
}

/**
 * Compiles a literal of a document. Lists and objects are created per call, because resolvers may mutate them.
 * Undefined is a variable without a value.
 */
function readLiteral(node: ValueNode, type: GraphQLInputType): ReadLiteral {
  if (node.kind === Kind.VARIABLE) return readVariable(node.name.value, type);
  if (isNonNullType(type)) return node.kind === Kind.NULL ? bailOut() : readLiteral(node, type.ofType);
  if (node.kind === Kind.NULL) return () => null;
  if (isListType(type)) return readItems(node.kind === Kind.LIST ? node.values : [node], type.ofType);
  if (!isInputObjectType(type)) return parseLeaf(node, type);
  if (node.kind !== Kind.OBJECT) return bailOut();
  const fill = coerceFields(Object.values(type.getFields()), node.fields);
  return (variables) => toObject(type, fill(Object.create(null), variables));
}

/** Coerces arguments or input fields in the order of their declaration. */
function coerceFields(declared: readonly InputDefinition[], written: readonly Written[]) {
  const nodes = new Map(written.map(({ name, value }) => [name.value, value]));
  const members = declared.flatMap((one) => {
    const node = nodes.get(one.name);
    const standIn = defaultFor(one);
    if (node) return [{ name: one.name, read: readOr(standIn, node, one.type) }];
    return standIn() === undefined ? [] : [{ name: one.name, read: standIn }];
  });
  return (values: Values, variables: Values) => {
    for (const { name, read } of members) {
      const value = read(variables);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

/** A variable without a value falls back to the default. */
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
  const reads = nodes.map((node) => readOr(unlessRequired(type, null), node, type));
  return (variables) => reads.map((read) => read(variables));
}

function parseLeaf(node: ValueNode, type: GraphQLLeafType): ReadLiteral {
  const parse: ReadLiteral = (variables) => type.parseLiteral(node, variables) ?? bailOut();
  // Some scalars accept lists and objects, with variables inside.
  if (node.kind === Kind.LIST || node.kind === Kind.OBJECT) return parse;
  const value = parse({});
  return typeof value !== 'object' || isEnumType(type) ? () => value : parse;
}

/** The default of an omitted argument or input field; undefined omits it. */
function defaultFor({ type, defaultValue }: InputDefinition): () => unknown {
  return defaultValue === undefined ? unlessRequired(type, undefined) : () => defaultValue;
}

function unlessRequired(type: GraphQLInputType, standIn: null | undefined): () => unknown {
  return isNonNullType(type) ? bailOut : () => standIn;
}

/** A `@oneOf` input object must have exactly one field. */
function toObject({ isOneOf }: GraphQLInputObjectType, values: Values): Values {
  if (!isOneOf) return values;
  const [name, ...more] = Object.keys(values);
  return name === undefined || more.length > 0 || values[name] === null ? bailOut() : values;
}

/** Runs the work; undefined where it bailed out to the generic path. */
function unlessBailedOut<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

type Values = Record<string, unknown>;

type ReadValue = (value: unknown) => unknown;

type ReadLiteral = (variables: Values) => unknown;

export type ReadArguments = (variables: Values) => Values | undefined;

type Written = ArgumentNode | ObjectFieldNode;

type InputDefinition = GraphQLArgument | GraphQLInputField;

type Definition = GraphQLField<unknown, unknown>;

interface Variable {
  readonly name: string;
  readonly read: ReadValue;
  /** The default where omitted; undefined omits it. */
  readonly standIn: () => unknown;
}
