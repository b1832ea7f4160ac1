import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { CrossbookError } from '../domain/errors.ts';
import { type CostAmount, type FieldCost, readCost } from './cost.ts';
import { checkFragmentDepth, findFragments } from './document-limits.ts';
import { createIntrospectionSizes } from './introspection.ts';

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
    known = { schema, document, part: analyzeDocument(subject) };
    kept.set(operation, known);
  }
  return evaluate(known.part, { variables, fragments: new Map() });
}

function analyzeDocument({ schema, document, operation }: Omit<Subject, 'variables'>): PartialCost {
  checkFragmentDepth(document, MAX_NESTING);
  const fragments = findFragments(document);
  const analyzed = new Map<string, PartialCost>();
  const introspectionSizes = createIntrospectionSizes({ schema, fragments });
  const typeName = { bytes: Math.max(...Object.keys(schema.getTypeMap()).map(({ length }) => length)) + 2 };
  const { known, open } = ofSelections(
    operation.selectionSet,
    schema.getRootType(operation.operation) ?? undefined,
  );
  return { known: { ...known, directives: known.directives + (operation.directives?.length ?? 0) }, open };

  function ofSelections(set: SelectionSetNode, parent: GraphQLNamedType | undefined): PartialCost {
    const parts = set.selections.map((node) => ofSelection(node, parent));
    return {
      known: parts.reduce((sum, part) => add(sum, part.known), NOTHING),
      open: parts.flatMap((part) => part.open),
    };
  }

  function ofSelection(node: SelectionNode, parent: GraphQLNamedType | undefined): PartialCost {
    const { known, open } =
      node.kind === Kind.FIELD
        ? ofField(node, parent)
        : node.kind === Kind.FRAGMENT_SPREAD
          ? ofSpread(node.name.value)
          : collapse(ofSelections(node.selectionSet, typeNamed(node.typeCondition?.name.value) ?? parent));
    return { known: { ...known, directives: known.directives + (node.directives?.length ?? 0) }, open };
  }

  /** Evaluates the parts of a fragment that depend on variables once per request, not once per spread. */
  function ofSpread(name: string): PartialCost {
    const part = ofFragment(name);
    if (part.open.length === 0) return part;
    return { known: NOTHING, open: [(evaluation) => evaluateFragment(name, part, evaluation)] };
  }

  function ofFragment(name: string): PartialCost {
    const known = analyzed.get(name);
    if (known) return known;
    analyzed.set(name, EMPTY); // A fragment within itself: validation refuses it later.
    const fragment = fragments.get(name);
    if (!fragment) return EMPTY;
    const part = ofSelections(fragment.selectionSet, typeNamed(fragment.typeCondition.name.value));
    analyzed.set(name, part);
    return part;
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType | undefined): PartialCost {
    if (node.alias?.value === '__proto__') {
      throw new CrossbookError(
        'BAD_REQUEST',
        'An alias must not be `__proto__`: JavaScript reads it as something else.',
      );
    }
    const field = fieldOf(parent, node.name.value);
    const inner = node.selectionSet
      ? ofSelections(node.selectionSet, field && getNamedType(field.type))
      : EMPTY;
    if (INTROSPECTION.has(node.name.value)) return ofIntrospection(node, inner);
    const cost = node.name.value === '__typename' ? typeName : readCost(field?.extensions ?? {});
    const isOpen =
      inner.open.length > 0 || (dependsOnArguments(cost) && (node.arguments ?? []).some(usesVariables));
    return toPart(isOpen, (evaluation) =>
      sumsOf({ node, cost, inner: evaluate(inner, evaluation) }, evaluation.variables),
    );
  }

  /** Introspection is limited by the size of its result instead of its depth. */
  function ofIntrospection(node: FieldNode, inner: PartialCost): PartialCost {
    return toPart((node.arguments ?? []).some(usesVariables), ({ variables }) => {
      const { values: cost, bytes } = introspectionSizes(node, readArguments(node, variables));
      return { ...sumsOf({ node, cost: {}, inner: inner.known }, variables), depth: 1, cost, bytes };
    });
  }

  function typeNamed(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : schema.getType(name);
  }
}

function toPart(isOpen: boolean, sums: (evaluation: Evaluation) => Sums): PartialCost {
  return isOpen
    ? { known: NOTHING, open: [sums] }
    : { known: sums({ variables: {}, fragments: new Map() }), open: [] };
}

/** Collapses the parts that depend on variables into one closure, so that the parent keeps a single reference. */
function collapse(part: PartialCost): PartialCost {
  return part.open.length < 2 ? part : { known: NOTHING, open: [(evaluation) => evaluate(part, evaluation)] };
}

function evaluate({ known, open }: PartialCost, evaluation: Evaluation): Sums {
  return open.reduce((sum, one) => add(sum, one(evaluation)), known);
}

function evaluateFragment(name: string, part: PartialCost, evaluation: Evaluation): Sums {
  const sums = evaluation.fragments.get(name) ?? evaluate(part, evaluation);
  evaluation.fragments.set(name, sums);
  return sums;
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
  const own = key.length + (node.selectionSet ? BYTES_AROUND_OBJECT : BYTES_AROUND_KEY) + (cost.bytes ?? 0);
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
  return typeof weight === 'function' || typeof items === 'function' || typeof pageSize === 'function';
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
  return value.kind === Kind.OBJECT ? value.fields.some(usesVariables) : value.kind === Kind.VARIABLE;
}

const kept = new WeakMap<
  OperationDefinitionNode,
  Pick<Subject, 'schema' | 'document'> & { readonly part: PartialCost }
>();

function fieldOf(
  parent: GraphQLNamedType | undefined,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

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

const NOTHING: Sums = {
  ...{ rootFields: 0, depth: 0, fields: 0, aliases: 0, directives: 0 },
  ...{ cost: 0, perItem: 0, bytes: 0, bytesPerItem: 0 },
};
const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type']);
/** Bytes of quotes, colon and comma around a key. */
const BYTES_AROUND_KEY = 4;
/** The same with braces. */
const BYTES_AROUND_OBJECT = BYTES_AROUND_KEY + 2;
/**
 * Clamps unchecked arguments: a negative amount would lower the cost, and Infinity times 0 is NaN, which exceeds no
 * limit.
 */
const MAX_AMOUNT = 2 ** 31 - 1;
/** The maximum depth of selections through fragments: as deep as brackets may nest. */
const MAX_NESTING = 100;

/** Counted as executed: a fragment counts once per spread. */
export interface OperationCost {
  /** The number of root fields. */
  readonly rootFields: number;
  readonly depth: number;
  readonly fields: number;
  readonly aliases: number;
  readonly directives: number;
  readonly cost: number;
  /** A lower bound of the response bytes, by the document and the schema: keys, and values of fixed length. */
  readonly bytes: number;
}

interface Sums extends OperationCost {
  /** The additional cost per item of the enclosing page. */
  readonly perItem: number;
  readonly bytesPerItem: number;
}

const EMPTY: PartialCost = { known: NOTHING, open: [] };

/** The cost of a selection: the static part, and the parts that depend on variables. */
interface PartialCost {
  readonly known: Sums;
  readonly open: readonly ((evaluation: Evaluation) => Sums)[];
}

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
}
