import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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
  valueFromASTUntyped,
} from 'graphql';
import { type FieldCost, type Reckon, readCost } from './cost.ts';

/**
 * Measures an operation without running it, in time that is linear in the document: a fragment is measured once, however
 * often it is spread. Documents arrive here before they are validated, so nothing in them is taken for granted.
 */
export function measure({ schema, document, operation, variables }: Subject): Measures {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const measured = new Map<string, Sums>();
  const root = schema.getRootType(operation.operation);
  const { perItem, ...sums } = ofSelections(operation.selectionSet, root ?? undefined);
  return { ...sums, directives: sums.directives + (operation.directives?.length ?? 0) };

  function ofSelections(set: SelectionSetNode, parent: GraphQLNamedType | undefined): Sums {
    return set.selections.reduce((sum, node) => add(sum, ofSelection(node, parent)), NOTHING);
  }

  function ofSelection(node: SelectionNode, parent: GraphQLNamedType | undefined): Sums {
    const inner =
      node.kind === Kind.FIELD
        ? ofField(node, parent)
        : node.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(node.name.value)
          : ofSelections(node.selectionSet, typeNamed(node.typeCondition?.name.value) ?? parent);
    return { ...inner, directives: inner.directives + (node.directives?.length ?? 0) };
  }

  function ofFragment(name: string): Sums {
    const known = measured.get(name);
    if (known) return known;
    measured.set(name, NOTHING); // A fragment within itself: validation refuses it later.
    const fragment = fragments.get(name);
    if (!fragment) return NOTHING;
    const sums = ofSelections(fragment.selectionSet, typeNamed(fragment.typeCondition.name.value));
    measured.set(name, sums);
    return sums;
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType | undefined): Sums {
    const field = fieldOf(parent, node.name.value);
    const aliases = node.alias ? 1 : 0;
    // The schema's own description is the same for all and small; graphql bounds its depth.
    if (node.name.value.startsWith('__')) return { ...NOTHING, rootFields: 1, fields: 1, aliases };
    const inner = node.selectionSet
      ? ofSelections(node.selectionSet, field && getNamedType(field.type))
      : NOTHING;
    return {
      ...priceOf(readCost(field?.extensions ?? {}), inner, node),
      rootFields: 1,
      depth: inner.depth + 1,
      fields: inner.fields + 1,
      aliases: inner.aliases + aliases,
      directives: inner.directives,
    };
  }

  function priceOf(cost: FieldCost, inner: Sums, node: FieldNode): Pick<Sums, 'cost' | 'perItem'> {
    const weight = reckon(cost.weight ?? 1, node);
    if (cost.paged) return { cost: weight, perItem: Math.max(1, inner.cost) };
    if (cost.items !== undefined) {
      return { cost: weight + reckon(cost.items, node) * Math.max(1, inner.cost), perItem: 0 };
    }
    if (cost.pageSize === undefined) return { cost: weight + inner.cost, perItem: inner.perItem };
    return { cost: weight + inner.cost + reckon(cost.pageSize, node) * inner.perItem, perItem: 0 };
  }

  function reckon(amount: Reckon, node: FieldNode): number {
    if (typeof amount === 'number') return amount;
    const args = (node.arguments ?? []).map(({ name, value }) => [
      name.value,
      valueFromASTUntyped(value, { ...variables }),
    ]);
    return amount(Object.fromEntries(args) as Record<string, unknown>);
  }

  function typeNamed(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : schema.getType(name);
  }
}

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
  };
}

const NOTHING: Sums = { rootFields: 0, depth: 0, fields: 0, aliases: 0, directives: 0, cost: 0, perItem: 0 };

/** Everything is counted as it is carried out: a fragment counts each time that it is spread. */
export interface Measures {
  /** Of what is measured: how wide it is at its top. */
  readonly rootFields: number;
  readonly depth: number;
  readonly fields: number;
  readonly aliases: number;
  readonly directives: number;
  readonly cost: number;
}

interface Sums extends Measures {
  /** What each item of the page around costs in addition. */
  readonly perItem: number;
}

interface Subject {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** With the operation's defaults. */
  readonly variables: Readonly<Record<string, unknown>>;
}
