import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { LimitError, type ToError, toLimitError, withOwnError } from '../limit-error.ts';
import { analyzeCost, type OperationCost } from './cost-analysis.ts';

/** The limits of an operation: the maximum, what it counts, and the wording of the error. */
const MEASURED = {
  depth: { most: 15, counts: 'depth of selections', says: 'its selections nest to a depth of' },
  rootFields: { most: 200, counts: 'root fields', says: 'its number of root fields is' },
  fields: {
    most: 20_000,
    counts: 'fields of all operations together, counted through fragments',
    says: 'its number of fields is',
    shared: true,
  },
  aliases: {
    most: 1_000,
    counts: 'aliases of all operations together',
    says: 'its number of aliases is',
    shared: true,
  },
  directives: {
    most: 500,
    counts: 'directives of all operations together',
    says: 'its number of directives is',
    shared: true,
  },
  /** In the units of `cost.ts`. */
  cost: {
    most: 200_000,
    counts: 'cost of all operations together',
    says: 'its cost is',
    shared: true,
  },
} as const satisfies Record<string, Measured>;

/**
 * The limits of a document and its operations. They allow large documents of ordinary clients, with a margin, and
 * reject ten times as much.
 */
export const LIMITS = {
  characters: { most: 131_072, counts: 'characters of a document' },
  documentTokens: { most: 12_000, counts: 'tokens of a document' },
  nameLength: { most: 256, counts: 'characters of a name in a document' },
  steps: { most: 30_000, counts: 'selections of the schema in an introspection query' },
  nesting: { most: 100, counts: 'brackets within brackets, selections through fragments' },
  operations: { most: 100, counts: 'operations in a document' },
  pairs: {
    most: 20_000,
    counts:
      'pairs that validation compares: fields under one response name, fragments in one selection',
  },
  merged: {
    most: 100_000,
    counts: 'selections of a document, counted wherever fragments make them merge',
  },
  ...MEASURED,
} as const satisfies Record<string, Limit>;

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { most }]) => [name, most]),
) as Record<keyof typeof LIMITS, number>;

export type Limits = { readonly [Name in keyof typeof LIMITS]: number };

const SIZES = Object.keys(MEASURED) as readonly (keyof typeof MEASURED)[];

export interface Limit {
  readonly most: number;
  /** The wording in the documentation. */
  readonly counts: string;
}

interface Measured extends Limit {
  readonly says: string;
  /** Summed over all operations of one HTTP request. */
  readonly shared?: true;
}

/**
 * Rejects an operation that exceeds a limit, naming both numbers. Shared limits are summed over the operations of one
 * HTTP request. Returns what this operation adds.
 */
export function checkLimits(subject: OperationToMeasure): OperationCost {
  const { spent, toError = toLimitError } = subject;
  if (spent.rejection) throw spent.rejection;
  try {
    return withOwnError(toError, () => checkSizes(subject));
  } catch (rejection) {
    spent.rejection = rejection as Error;
    throw rejection;
  }
}

function checkSizes(subject: OperationToMeasure): OperationCost {
  const { schema, document, operation, limits = DEFAULT_LIMITS, spent, responseBytes } = subject;
  const defaults = readDefaults(operation);
  const variables = defaults ? { ...defaults, ...subject.variables } : subject.variables;
  const sizes = analyzeCost({
    schema,
    document,
    operation,
    variables,
    limits,
  });
  for (const name of SIZES) {
    const { says, shared }: Measured = MEASURED[name];
    const size = sizes[name] + (shared ? spent[name] : 0);
    if (size > limits[name]) throw tooLarge(says, size, limits[name]);
  }
  const bytes = sizes.bytes + spent.bytes;
  if (bytes > responseBytes)
    throw tooLarge('the size of its response in bytes is at least', bytes, responseBytes);
  for (const name of COUNTED) spent[name] += sizes[name];
  return sizes;
}

function tooLarge(what: string, size: number, bound: number): LimitError {
  return new LimitError(`The operation is too large: ${what} ${size}, and the limit is ${bound}.`);
}

function readDefaults({
  variableDefinitions = [],
}: OperationDefinitionNode): Variables | undefined {
  if (!variableDefinitions.some(({ defaultValue }) => defaultValue)) return undefined;
  const entries = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue && defaultValue.kind !== Kind.NULL
      ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const]
      : [],
  );
  return Object.fromEntries(entries);
}

const COUNTED = [...SIZES, 'bytes'] as const;

/** The sums over the operations of one HTTP request. */
export interface Spent extends Record<(typeof COUNTED)[number], number> {
  /** Set once an operation was too large: later ones of the request are rejected without being measured. */
  rejection?: Error;
}

const NOTHING = Object.fromEntries(COUNTED.map((name) => [name, 0])) as unknown as Spent;

export function nothingSpent(): Spent {
  return { ...NOTHING };
}

/** Takes back what an operation has added. */
export function refundCost(spent: Spent, sizes: OperationCost): void {
  for (const name of COUNTED) spent[name] -= sizes[name];
}

export interface OperationToMeasure {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
  readonly limits?: Limits | undefined;
  /** The sums of the other operations of the HTTP request. */
  readonly spent: Spent;
  /** The limit of response bytes. */
  readonly responseBytes: number;
  /** Makes the error for an exceeded limit. */
  readonly toError?: ToError | undefined;
}

type Variables = Readonly<Record<string, unknown>>;
