import { type GraphQLArgument, type GraphQLInputField, isNonNullType } from 'graphql';
import { bailOut } from '../bailout.ts';

/** What stands in for an argument, or a field of an input object, that is not given: undefined, it is left out. */
export function defaultFor({ type, defaultValue }: InputDefinition): () => unknown {
  return defaultValue === undefined && isNonNullType(type) ? bailOut : () => defaultValue;
}

/** Of an input object of which exactly one field is to be given. */
export function isOneOf(values: Readonly<Record<string, unknown>>): boolean {
  const [name, ...more] = Object.keys(values);
  return name !== undefined && more.length === 0 && values[name] !== null;
}

export type InputDefinition = GraphQLArgument | GraphQLInputField;
