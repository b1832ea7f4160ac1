import {
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
} from 'graphql';
import { BAILOUT, bailOut, unlessBailedOut } from '../execution.ts';
import { defaultFor, isOneOf, readLiteral, type Values } from './read-literal.ts';

/**
 * From what a client sent to the values of an operation's variables. The answer is undefined as soon as anything is out
 * of the ordinary: what is wrong, graphql says in its own words.
 */
export function readVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[] = [],
): ReadVariables {
  const variables = unlessBailedOut(() => definitions.map((definition) => toVariable(schema, definition)));
  return (given) => variables && unlessBailedOut(() => readAll(variables, given));
}

function toVariable(schema: GraphQLSchema, definition: VariableDefinitionNode): Variable {
  const { defaultValue } = definition;
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type);
  // An object takes that name for its prototype.
  if (!isInputType(type) || name === '__proto__') throw BAILOUT;
  const read = readValue(type);
  if (!defaultValue) return { name, read, standIn: isNonNullType(type) ? bailOut : () => undefined };
  const readDefault = readLiteral(defaultValue, type);
  return { name, read, standIn: () => readDefault({}) };
}

function readAll(variables: readonly Variable[], given: Values): Values {
  const values: Values = {};
  for (const { name, read, standIn } of variables) {
    const value = Object.hasOwn(given, name) ? read(given[name]) : standIn();
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function readValue(type: GraphQLInputType): ReadValue {
  if (!isNonNullType(type)) return readNullable(readPresent(type));
  const read = readPresent(type.ofType);
  return read === readString ? read : readRequired(read);
}

function readPresent(type: GraphQLNamedInputType | GraphQLList<GraphQLInputType>): ReadValue {
  if (isListType(type)) return readList(readValue(type.ofType));
  if (isInputObjectType(type)) return objects.get(type) ?? readObject(type);
  return type === GraphQLString ? readString : (value) => type.parseValue(value) ?? bailOut();
}

function readNullable(read: ReadValue): ReadValue {
  return (value) => (value === null || value === undefined ? null : read(value));
}

function readRequired(read: ReadValue): ReadValue {
  return (value) => (value === null || value === undefined ? bailOut() : read(value));
}

/** What is no list is a list of one. */
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
  const fields = new Map<string, Member>();
  const read: ReadValue = (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw BAILOUT;
    const given = value as Values;
    for (const name of Object.keys(given)) if (!fields.has(name)) throw BAILOUT;
    const values: Values = {};
    for (const [name, field] of fields) {
      const one = given[name] === undefined ? field.standIn() : field.read(given[name]);
      if (one !== undefined) values[name] = one;
    }
    return type.isOneOf && !isOneOf(values) ? bailOut() : values;
  };
  objects.set(type, read);
  // Only now: an object may contain others of its own kind.
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

export type ReadVariables = (given: Values) => Values | undefined;

type ReadValue = (value: unknown) => unknown;

interface Variable extends Member {
  readonly name: string;
}

interface Member {
  readonly read: ReadValue;
  /** For what is not given: undefined, it is left out. */
  readonly standIn: () => unknown;
}
