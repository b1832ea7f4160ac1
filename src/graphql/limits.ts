import {
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { missingCredentials } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { analyzeCost, type OperationCost } from './cost-analysis.ts';
import { selectFields } from './document-limits.ts';

/** Root fields that need no authentication: the schema, never data. */
const ABOUT_THE_SCHEMA = new Set(['__schema', '__type', '__typename', '_service']);

/**
 * Decides, before validation, whether an operation may run: it must exist, be allowed with this method, come from an
 * authenticated caller where its document reads data, and stay within the limits. Returns its cost, which is added to
 * `spent`.
 */
export function checkOperation(subject: OperationToCheck): OperationCost {
  const { document, operationName, method, isCallerKnown } = subject;
  const operation = findOperation(document, operationName);
  if (operation.operation === 'subscription') {
    throw new CrossbookError('BAD_REQUEST', 'There are no subscriptions.');
  }
  if (operation.operation === 'mutation' && method !== 'POST') {
    throw new CrossbookError('METHOD_NOT_ALLOWED', 'A mutation must be sent with POST.');
  }
  if (!isCallerKnown) checkStranger(document);
  return checkLimits(subject, operation);
}

function findOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  throw new CrossbookError(
    'BAD_REQUEST',
    name === undefined
      ? 'The document must hold exactly one operation, or `operationName` must say which is meant.'
      : `The document has no operation ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))}.`,
  );
}

/** Without a caller the whole document is checked, because all of it is validated. */
function checkStranger({ definitions }: DocumentNode): void {
  if (definitions.some(touchesData)) throw missingCredentials();
  if (definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length > 1) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Without an API key or a token, a document holds one operation.',
    );
  }
}

/** Fragments are checked at their definition, not at their spreads. */
function touchesData(definition: DefinitionNode): boolean {
  if (definition.kind === Kind.FRAGMENT_DEFINITION) {
    const type = definition.typeCondition.name.value;
    if (type.startsWith('__') || type === '_Service') return false;
  } else if (definition.kind !== Kind.OPERATION_DEFINITION) return false;
  const { fields } = selectFields([definition.selectionSet], new Map());
  return fields.some(({ name }) => !ABOUT_THE_SCHEMA.has(name.value));
}

/** The maximum length of an operation name in an error. */
const MAX_NAME_LENGTH = 100;

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
 * The limits of a request, an operation or a document. They allow 150 look-ups, or a page of 1,000 contacts with all
 * fields, with a margin, and reject ten times as much.
 */
const LIMITS = {
  batch: { most: 10, counts: 'operations in a batch' },
  characters: { most: 131_072, counts: 'characters of a document' },
  documentTokens: { most: 12_000, counts: 'tokens of a document' },
  tokens: { most: 60_000, counts: 'tokens of all documents together' },
  nameLength: { most: 256, counts: 'characters of a name in a document' },
  strangerTokens: { most: 2_000, counts: 'tokens without an API key or a token' },
  steps: { most: 30_000, counts: 'selections of the schema in an introspection query' },
  strangerSteps: {
    most: 20_000,
    counts: 'the same without an API key or a token; the queries of tools have 6,000',
  },
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

export function listLimits(): readonly Limit[] {
  return Object.values(LIMITS);
}

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { most }]) => [name, most]),
) as Record<keyof typeof LIMITS, number>;

const SIZES = Object.keys(MEASURED) as readonly (keyof typeof MEASURED)[];

interface Limit {
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
function checkLimits(subject: OperationToCheck, operation: OperationDefinitionNode): OperationCost {
  const { spent } = subject;
  if (spent.rejection) throw spent.rejection;
  try {
    return checkSizes(subject, operation);
  } catch (rejection) {
    spent.rejection = rejection as CrossbookError;
    throw rejection;
  }
}

function checkSizes(subject: OperationToCheck, operation: OperationDefinitionNode): OperationCost {
  const { schema, document, limits, spent } = subject;
  const defaults = readDefaults(operation);
  const variables = defaults ? { ...defaults, ...subject.variables } : subject.variables;
  const steps = subject.isCallerKnown ? limits.steps : limits.strangerSteps;
  const sizes = analyzeCost({
    schema,
    document,
    operation,
    variables,
    limits: { ...limits, steps },
  });
  for (const name of SIZES) {
    const { says, shared }: Measured = MEASURED[name];
    const size = sizes[name] + (shared ? spent[name] : 0);
    if (size > limits[name]) throw tooLarge(says, size, limits[name]);
  }
  const bytes = sizes.bytes + spent.bytes;
  if (bytes > subject.responseBytes)
    throw tooLarge('its answer has at least a size in bytes of', bytes, subject.responseBytes);
  for (const name of COUNTED) spent[name] += sizes[name];
  return sizes;
}

function tooLarge(what: string, size: number, bound: number): CrossbookError {
  return new CrossbookError(
    'BAD_REQUEST',
    `The operation is too large: ${what} ${size}, and the bound is ${bound}.`,
  );
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
  rejection?: CrossbookError;
}

const NOTHING = Object.fromEntries(COUNTED.map((name) => [name, 0])) as unknown as Spent;

export function nothingSpent(): Spent {
  return { ...NOTHING };
}

/** Takes back what an operation has added. */
export function refundCost(spent: Spent, sizes: OperationCost): void {
  for (const name of COUNTED) spent[name] -= sizes[name];
}

interface OperationToCheck {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Variables;
  readonly method: string;
  readonly isCallerKnown: boolean;
  readonly limits: DocumentLimits;
  /** The sums of the other operations of the HTTP request. */
  readonly spent: Spent;
  /** The limit of response bytes. */
  readonly responseBytes: number;
}

export type DocumentLimits = { readonly [Name in keyof typeof DEFAULT_LIMITS]: number };

type Variables = Readonly<Record<string, unknown>>;
