import type { FieldNode, GraphQLField } from 'graphql';
import { unlessBailedOut } from '../execution.ts';
import { coerceFields, type Values } from './read-literal.ts';

/**
 * For one operation: a field that stands once in it may be part of thousands of plans, and its arguments as long as the
 * document.
 */
export function createArgumentReaders(): ArgumentReaders {
  const known = new Map<Definition, Map<FieldNode, ReadArguments>>();
  return (definition, node) => {
    const readers = known.get(definition) ?? new Map<FieldNode, ReadArguments>();
    const read = readers.get(node) ?? readArguments(definition, node);
    known.set(definition, readers.set(node, read));
    return read;
  };
}

/**
 * From the values of the variables to the arguments of a field, as it stands in a document. The answer is undefined as
 * soon as anything is out of the ordinary: what is wrong, graphql says in its own words.
 */
export function readArguments({ args }: Definition, node: FieldNode): ReadArguments {
  const fill = unlessBailedOut(() => coerceFields(args, node.arguments ?? []));
  return (variables) => fill && unlessBailedOut(() => fill({}, variables));
}

export type ArgumentReaders = (definition: Definition, node: FieldNode) => ReadArguments;

export type ReadArguments = (variables: Values) => Values | undefined;

type Definition = GraphQLField<unknown, unknown>;
