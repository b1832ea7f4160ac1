import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { Kind, valueFromASTUntyped } from 'graphql';
import { CrossbookError } from '../domain/errors.ts';
import { type Measures, measure } from './measure.ts';

/**
 * What one request may ask for. The numbers let 150 look-ups, or a page of 1,000 contacts with all their fields, pass
 * with room to spare, and refuse what is ten times as large.
 */
export const DEFAULT_LIMITS = {
  rootFields: 200,
  /** How deep selections nest. */
  depth: 15,
  fields: 20_000,
  aliases: 1_000,
  directives: 500,
  /** In units of `cost.ts`, for all operations of one HTTP request together. */
  cost: 200_000,
  /** Words and signs of one document: what parsing may cost. */
  tokens: 60_000,
  /** Of brackets, values included. */
  nesting: 100,
  /** Operations in one HTTP request. */
  batch: 10,
  bodyBytes: 1024 * 1024,
} as const satisfies Record<string, number>;

export type Limits = { readonly [Name in keyof typeof DEFAULT_LIMITS]: number };

/** Refuses an operation that is too large, naming the number and the bound. Returns what it adds to the cost. */
export function checkLimits(asked: Asked, operation: OperationDefinitionNode): number {
  const { schema, document, limits, spent } = asked;
  const defaults = readDefaults(operation);
  const variables = defaults ? { ...defaults, ...asked.variables } : asked.variables;
  const sizes = measure({ schema, document, operation, variables });
  for (const name of SIZES) {
    const size = name === 'cost' ? sizes.cost + spent : sizes[name];
    if (size <= limits[name]) continue;
    throw new CrossbookError(
      'BAD_REQUEST',
      `The operation is too large: ${SAID[name]} ${size}, and the bound is ${limits[name]}.`,
    );
  }
  return sizes.cost;
}

function readDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Variables | undefined {
  if (!variableDefinitions.some(({ defaultValue }) => defaultValue)) return undefined;
  const entries = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue && defaultValue.kind !== Kind.NULL
      ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const]
      : [],
  );
  return Object.fromEntries(entries);
}

const SAID: Readonly<Record<keyof Measures, string>> = {
  rootFields: 'its number of root fields is',
  depth: 'its selections nest to a depth of',
  fields: 'its number of fields is',
  aliases: 'its number of aliases is',
  directives: 'its number of directives is',
  cost: 'its cost is',
};

const SIZES = ['rootFields', 'depth', 'fields', 'aliases', 'directives', 'cost'] as const;

interface Asked {
  readonly limits: Limits;
  /** What other operations of the same HTTP request cost. */
  readonly spent: number;
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly variables: Variables;
}

type Variables = Readonly<Record<string, unknown>>;
