import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  GraphQLString,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
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

/** The default of an omitted input field; undefined omits it. */
function defaultFor({ type, defaultValue }: GraphQLInputField): () => unknown {
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

interface Variable {
  readonly name: string;
  readonly read: ReadValue;
  /** The default where omitted; undefined omits it. */
  readonly standIn: () => unknown;
}
