import {
  coerceInputValue,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  GraphQLString,
  getArgumentValues,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  type VariableNode,
  valueFromAST,
  visit,
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
  const variables = unlessBailedOut(() =>
    definitions.map((definition) => toVariable(schema, definition)),
  );
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
  const standIn = () => valueFromAST(defaultValue, type);
  return standIn() === undefined ? bailOut() : { name, read, standIn };
}

function readValue(type: GraphQLInputType): ReadValue {
  const read = readPresent(isNonNullType(type) ? type.ofType : type);
  if (read === readString && isNonNullType(type)) return read;
  const standIn = unlessRequired(type, null);
  return (value) => (value === null || value === undefined ? standIn() : read(value));
}

function readPresent(type: GraphQLNamedInputType | GraphQLList<GraphQLInputType>): ReadValue {
  const readByGraphql: ReadValue = (value) => coerceInputValue(value, type, bailOut);
  if (isInputObjectType(type)) return readByGraphql;
  if (isListType(type)) return readList(readValue(type.ofType), readByGraphql);
  return type === GraphQLString ? readString : (value) => type.parseValue(value) ?? bailOut();
}

/** A single value is coerced to a list of one. */
function readList(readItem: ReadValue, readSingle: ReadValue): ReadValue {
  return (value) => {
    if (!Array.isArray(value)) return readSingle(value);
    const { length } = value;
    const items = new Array<unknown>(length);
    for (let index = 0; index < length; index += 1) items[index] = readItem(value[index]);
    return items;
  };
}

const readString: ReadValue = (value) => (typeof value === 'string' ? value : bailOut());

function unlessRequired(type: GraphQLInputType, standIn: null | undefined): () => unknown {
  return isNonNullType(type) ? bailOut : () => standIn;
}

/**
 * The same as graphql's `getArgumentValues`, which reads the arguments of a field once only, with a symbol for each
 * variable; from then on, the values of the variables take the places of the symbols.
 */
export function readArguments(definition: Definition, node: FieldNode, variables: Values): Values {
  const existing = templates.get(node);
  const { names, values } =
    existing?.definition === definition ? existing : readTemplate(definition, node);
  // Null, or no value, may mean a default or an error.
  const isGiven = (name: string) => variables[name] !== undefined && variables[name] !== null;
  const filled =
    values && names.every(isGiven) && unlessBailedOut(() => fill(values, variables, {}));
  return filled || getArgumentValues(definition, node, variables);
}

function readTemplate(definition: Definition, node: FieldNode): Template {
  // `__proto__` is no key of an object literal: such a variable has no symbol, and is left to graphql.
  const symbols: Values = {};
  let uses = 0;
  const Variable = ({ name: { value } }: VariableNode) => {
    symbols[value] = Symbol(value);
    uses += 1;
  };
  for (const argument of node.arguments ?? []) visit(argument, { Variable });
  const values = unlessBailedOut(() => {
    const read = getArgumentValues(definition, node, symbols);
    JSON.stringify(read, (_, value) => {
      if (typeof value === 'symbol') uses -= 1;
      return value;
    });
    // Otherwise a scalar has made something else of a variable in its literal.
    return uses === 0 ? read : undefined;
  });
  const template = { definition, names: Object.keys(symbols), values };
  templates.set(node, template);
  return template;
}

function fill(template: Values, variables: Values, filled: Values): Values {
  for (const name of Object.keys(template)) filled[name] = fillOne(template[name], variables);
  return filled;
}

/** Lists and input objects are copied: a resolver may change them. */
function fillOne(template: unknown, variables: Values): unknown {
  if (typeof template === 'symbol') return variables[template.description ?? ''];
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((item) => fillOne(item, variables));
  // Other objects than those of literals are a scalar's, and cannot be copied.
  if (Object.getPrototypeOf(template) !== null) return bailOut();
  return fill(template as Values, variables, Object.create(null));
}

/** By node, because a field can be in many plans of its operation; interfaces have a definition for each type. */
const templates = new WeakMap<FieldNode, Template>();

interface Template {
  readonly definition: Definition;
  /** The variables. */
  readonly names: readonly string[];
  readonly values: Values | undefined;
}

type Definition = GraphQLField<unknown, unknown>;

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

interface Variable {
  readonly name: string;
  readonly read: ReadValue;
  /** The default where omitted; undefined omits it. */
  readonly standIn: () => unknown;
}
