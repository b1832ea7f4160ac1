import { type GraphQLArgument, type GraphQLInputField, isNonNullType } from 'graphql';
import { odd } from '../odd.ts';

/** What stands in for an argument, or a field of an input object, that is not given: undefined, it is left out. */
export function toStandIn({ type, defaultValue }: Declared): () => unknown {
  return defaultValue === undefined && isNonNullType(type) ? odd : () => defaultValue;
}

/** Of an input object of which exactly one field is to be given. */
export function isOneOf(values: Readonly<Record<string, unknown>>): boolean {
  const [name, ...more] = Object.keys(values);
  return name !== undefined && more.length === 0 && values[name] !== null;
}

export type Declared = GraphQLArgument | GraphQLInputField;
