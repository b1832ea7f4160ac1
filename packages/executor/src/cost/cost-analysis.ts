import {
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { checkFragmentDepth, findFragments } from '../documents/document-limits.ts';
import { LimitError } from '../limit-error.ts';
import { type CostAmount, type FieldCost, readCost } from './cost.ts';
import { createIntrospectionSizes } from './introspection-sizes.ts';

/**
 * Query cost analysis before execution, in linear time: each fragment is analyzed once, however often it is spread.
 * Documents are not validated yet, so nothing in them is assumed to be valid. The static part of the cost is cached
 * with the operation; the part that depends on variables is evaluated per request. The recursion is as deep as
 * `checkFragmentDepth` allows.
 */
export function analyzeCost(subject: Subject): OperationCost {
  const { schema, document, operation, variables } = subject;
  let known = kept.get(operation);
  // A plugin may combine an operation with other fragments.
  if (known?.schema !== schema || known.document !== document) {
    known = { schema, document, cost: analyzeOperation(subject) };
    if (analyzed.has(operation)) kept.set(operation, known);
    else analyzed.add(operation);
  }
  return evaluate(known.cost, { variables, fragments: new Map() });
}

function analyzeOperation({
  schema,
  document,
  operation,
  limits,
}: Omit<Subject, 'variables'>): Cost {
  checkFragmentDepth(document, limits.nesting);
  const fragments = findFragments(document);
  const analyzed = new Map<string, Cost>();
  const introspectionSizes = createIntrospectionSizes({
    schema,
    fragments,
    maxSteps: limits.steps,
  });
  const typeName = {
    bytes: Math.max(...Object.keys(schema.getTypeMap()).map(({ length }) => length)) + 2,
  };
  const root = schema.getRootType(operation.operation) ?? undefined;
  return ofSelections([{ ...operation, kind: Kind.INLINE_FRAGMENT }], root);

  function ofSelections(
    nodes: readonly SelectionNode[],
    parent: GraphQLNamedType | undefined,
  ): Cost {
    let known: Sums = NOTHING;
    const open: OpenCost[] = [];
    for (const node of nodes) {
      const cost = ofSelection(node, parent);
      if (typeof cost === 'function') open.push(cost);
      else known = add(known, cost);
      if (node.directives?.length)
        known = add(known, { ...NOTHING, directives: node.directives.length });
    }
    if (open.length === 0) return known;
    return (evaluation) => open.reduce((sum, one) => add(sum, one(evaluation)), known);
  }

  function ofSelection(node: SelectionNode, parent: GraphQLNamedType | undefined): Cost {
    if (node.kind === Kind.FIELD) return ofField(node, parent);
    if (node.kind === Kind.FRAGMENT_SPREAD) return ofFragment(node.name.value);
    return ofSelections(node.selectionSet.selections, typeNamed(node.typeCondition) ?? parent);
  }

  function ofFragment(name: string): Cost {
    const known = analyzed.get(name);
    if (known) return known;
    analyzed.set(name, NOTHING); // A fragment within itself: validation rejects it later.
    const fragment = fragments.get(name);
    if (!fragment) return NOTHING;
    const cost = ofSelections(fragment.selectionSet.selections, typeNamed(fragment.typeCondition));
    // Evaluated once per request, not once per spread.
    const costOfSpread: Cost =
      typeof cost === 'function'
        ? (evaluation) => {
            const sums = evaluation.fragments.get(name) ?? cost(evaluation);
            evaluation.fragments.set(name, sums);
            return sums;
          }
        : cost;
    analyzed.set(name, costOfSpread);
    return costOfSpread;
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType | undefined): Cost {
    if (node.alias?.value === '__proto__') {
      throw new LimitError(
        'An alias must not be `__proto__`, which has a special meaning in JavaScript.',
      );
    }
    const name = node.name.value;
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    const inner = ofSelections(
      node.selectionSet?.selections ?? [],
      field && getNamedType(field.type),
    );
    const cost = name === '__typename' ? typeName : readCost(field?.extensions ?? {});
    const isIntrospection = INTROSPECTION.has(name);
    const dependsOnVariables =
      (isIntrospection || dependsOnArguments(cost)) && (node.arguments ?? []).some(usesVariables);
    const evaluateField: OpenCost = (evaluation) => {
      const { variables } = evaluation;
      const sums = sumsOf({ node, cost, inner: evaluate(inner, evaluation) }, variables);
      if (!isIntrospection) return sums;
      // Introspection is limited by the size of its result instead of its depth.
      const { values, bytes } = introspectionSizes(node, readArguments(node, variables));
      const read = Math.max(values * SCHEMA_VALUE_COST, bytes / SCHEMA_BYTES_PER_COST);
      return { ...sums, depth: 1, cost: Math.ceil(read), bytes };
    };
    return dependsOnVariables || typeof inner === 'function'
      ? evaluateField
      : evaluateField({ variables: {}, fragments: new Map() });
  }

  function typeNamed(type: NamedTypeNode | undefined): GraphQLNamedType | undefined {
    return type && schema.getType(type.name.value);
  }
}

function evaluate(cost: Cost, evaluation: Evaluation): Sums {
  return typeof cost === 'function' ? cost(evaluation) : cost;
}

function sumsOf({ node, cost, inner }: AnalyzedField, variables: Variables): Sums {
  const args = dependsOnArguments(cost) ? readArguments(node, variables) : {};
  const evaluateAmount = (amount: CostAmount) =>
    typeof amount === 'number' ? amount : Math.min(Math.max(0, amount(args)), MAX_AMOUNT);
  const { paged = false, items, pageSize } = cost;
  // The items of a page are charged at the page field.
  const times = paged ? 0 : items === undefined ? 1 : evaluateAmount(items);
  const page = paged || pageSize === undefined ? 0 : evaluateAmount(pageSize);
  const isList = items !== undefined || pageSize !== undefined;
  const item = paged || items !== undefined ? Math.max(1, inner.cost) : inner.cost;
  const key = (node.alias ?? node.name).value;
  const own =
    key.length + (node.selectionSet ? BYTES_AROUND_OBJECT : BYTES_AROUND_KEY) + (cost.bytes ?? 0);
  // No spread: adding a property to a spread object takes Node 20 half a microsecond.
  return {
    rootFields: 1,
    depth: inner.depth + 1,
    fields: inner.fields + 1,
    aliases: inner.aliases + (node.alias ? 1 : 0),
    directives: inner.directives,
    cost: evaluateAmount(cost.weight ?? 1) + times * item + page * inner.perItem,
    perItem: paged ? item : isList ? 0 : inner.perItem,
    bytes: own + times * inner.bytes + page * inner.bytesPerItem,
    bytesPerItem: paged ? inner.bytes : isList ? 0 : inner.bytesPerItem,
  };
}

function dependsOnArguments({ weight, items, pageSize }: FieldCost): boolean {
  return (
    typeof weight === 'function' || typeof items === 'function' || typeof pageSize === 'function'
  );
}

function readArguments(node: FieldNode, variables: Variables): Record<string, unknown> {
  const args: Record<string, unknown> = Object.create(null);
  for (const { name, value } of node.arguments ?? []) {
    args[name.value] = valueFromASTUntyped(value, variables as Record<string, unknown>);
  }
  return args;
}

function usesVariables({ value }: { readonly value: ValueNode }): boolean {
  if (value.kind === Kind.LIST) return value.values.some((item) => usesVariables({ value: item }));
  return value.kind === Kind.OBJECT
    ? value.fields.some(usesVariables)
    : value.kind === Kind.VARIABLE;
}

const analyzed = new WeakSet<OperationDefinitionNode>();

/** From the second analysis on. A value that leads to its own key outlives scavenges, and most documents come once. */
const kept = new WeakMap<
  OperationDefinitionNode,
  Pick<Subject, 'schema' | 'document'> & { readonly cost: Cost }
>();

function add(a: Sums, b: Sums): Sums {
  return {
    rootFields: a.rootFields + b.rootFields,
    depth: Math.max(a.depth, b.depth),
    fields: a.fields + b.fields,
    aliases: a.aliases + b.aliases,
    directives: a.directives + b.directives,
    cost: a.cost + b.cost,
    perItem: a.perItem + b.perItem,
    bytes: a.bytes + b.bytes,
    bytesPerItem: a.bytesPerItem + b.bytesPerItem,
  };
}

const NOTHING = {
  rootFields: 0,
  depth: 0,
  fields: 0,
  aliases: 0,
  directives: 0,
  cost: 0,
  /** The additional cost per item of the enclosing page. */
  perItem: 0,
  /** A lower bound of the response bytes, by the document and the schema: keys, and values of fixed length. */
  bytes: 0,
  bytesPerItem: 0,
};

type Sums = Readonly<typeof NOTHING>;
const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type']);
/** The schema is read at once: the maximum cost is 25,000 values or 2 MB of it. The queries of tools have 7,000. */
const SCHEMA_VALUE_COST = 8;
const SCHEMA_BYTES_PER_COST = 10;
/** Bytes of quotes, colon and comma around a key. */
const BYTES_AROUND_KEY = 4;
/** The same with braces. */
const BYTES_AROUND_OBJECT = BYTES_AROUND_KEY + 2;
/**
 * Clamps unchecked arguments: a negative amount would lower the cost, and Infinity times 0 is NaN, which exceeds no
 * limit.
 */
const MAX_AMOUNT = 2 ** 31 - 1;

/** Counted as executed: a fragment counts once per spread. */
export type OperationCost = Omit<Sums, 'perItem' | 'bytesPerItem'>;

/** The cost of a selection: static, or evaluated per request where it depends on variables. */
type Cost = Sums | OpenCost;

type OpenCost = (evaluation: Evaluation) => Sums;

interface Evaluation {
  readonly variables: Variables;
  /** Fragments that are already evaluated. */
  readonly fragments: Map<string, Sums>;
}

interface AnalyzedField {
  readonly node: FieldNode;
  readonly cost: FieldCost;
  readonly inner: Sums;
}

type Variables = Readonly<Record<string, unknown>>;

interface Subject {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Variables with the defaults of the operation. */
  readonly variables: Variables;
  readonly limits: {
    /** The maximum depth of selections through fragments: as deep as brackets may nest. */
    readonly nesting: number;
    /** The maximum number of selections of the schema that are counted. */
    readonly steps: number;
  };
}
