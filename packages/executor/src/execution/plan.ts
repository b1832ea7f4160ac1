import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import { getFieldDef } from 'graphql/execution/execute.js';
import { readResolveAll } from './resolve-all.ts';
import {
  createWriter,
  type FieldReader,
  readAbstract,
  readAsItIs,
  readComputed,
  readList,
  readNullable,
  readObject,
  readOrWriteList,
  readProperty,
  readTogether,
  readWhole,
  type Serializer,
  serializeLeaf,
  type Writing,
} from './serializers.ts';

/** Compiles the plan of one selection on one object type. */
export function planObject(
  scope: PlanScope,
  type: GraphQLObjectType,
  parents: readonly Pick<FieldNode, 'selectionSet'>[],
): ObjectPlan {
  const { schema, fragments, variables, room } = scope;
  let selected: ReadonlyMap<string, readonly FieldNode[]> = new Map();
  let conditionError: Error | undefined;
  try {
    selected = collectSubfields(
      schema,
      fragments,
      variables,
      type,
      parents as readonly FieldNode[],
    );
  } catch (error) {
    conditionError = error as Error;
  }
  const fields: FieldPlan[] = [];
  for (const [key, nodes] of selected) {
    room.fields -= 1;
    if (room.fields < 0) break;
    const field = planField(scope, { key, parentType: type, nodes });
    if (field) fields.push(field);
  }
  const size = sum(fields, ({ value }) => 1 + value.size);
  const ownSize = sum(fields, ({ value, serialize }) => 1 + (serialize ? value.size : 0));
  const readers = fields.filter(
    (field): field is FieldPlan & FieldReader => field.serialize !== undefined,
  );
  const isPlain = !conditionError && !type.isTypeOf && readers.length === fields.length;
  const serialize = isPlain ? readObject(readers, scope) : undefined;
  const writeJson = isPlain ? createWriter(readers, size, scope) : undefined;
  const together = conditionError ? [] : fields.flatMap(findTogether);
  return { type, fields, conditionError, size, ownSize, serialize, writeJson, together };
}

/** The field itself, or those of an object that it reads from its parent: `node` of an edge. */
function findTogether(field: FieldPlan): readonly TogetherPlan[] {
  const { value, readWith, definition } = field;
  if (readResolveAll(definition.extensions)) return [{ field, find: readAsItIs }];
  if (value.kind !== 'object' || value.object.type.isTypeOf || !readWith) return [];
  return value.object.together.map((below) => ({
    field: below.field,
    find: readWith((object, execution) => below.find(object, execution)),
  }));
}

function sum<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}

function planField(
  scope: PlanScope,
  { key, parentType, nodes }: Pick<FieldPlan, 'key' | 'parentType' | 'nodes'>,
): FieldPlan | undefined {
  const [node] = nodes;
  const definition = node && getFieldDef(scope.schema, parentType, node);
  if (!definition) return undefined;
  const value = planValue(scope, definition.type, nodes);
  const readWith = findReader(scope, definition, parentType);
  const readResolved = readResolveAll(definition.extensions)
    ? (read: Serializer) => readTogether(() => field, read)
    : readWith;
  // No spreads: adding a property to a spread object takes Node 20 a microsecond and more.
  const field: FieldPlan = {
    key,
    parentType,
    nodes,
    definition,
    value,
    readWith,
    serialize: value.serialize && readResolved?.(value.serialize),
    list:
      value.kind === 'list' && value.item.serialize && readWith
        ? {
            itemsOf: readWith(readAsItIs),
            readItem: value.item.serialize,
            itemSize: value.itemSize,
          }
        : undefined,
  };
  return field;
}

/** Plain fields are properties, and resolvers that read only the parent. */
function findReader(
  { isPure }: PlanScope,
  definition: Definition,
  parentType: GraphQLObjectType,
): ((read: Serializer) => Serializer) | undefined {
  if (definition === TypeNameMetaFieldDef) return () => () => parentType.name;
  if (definition.args.length > 0) return undefined;
  const resolve = definition.resolve as ReadParent | undefined;
  if (!resolve) return (read) => readProperty(definition.name, read);
  return isPure(resolve, 'field') ? (read) => readComputed(resolve, read) : undefined;
}

function planValue(
  scope: PlanScope,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
): ValuePlan {
  const isNonNull = isNonNullType(type);
  const plan = planPresent(scope, isNonNull ? type.ofType : type, nodes);
  const serialize = plan.serialize && (isNonNull ? plan.serialize : readNullable(plan.serialize));
  return Object.assign(plan, {
    isNonNull,
    serialize,
    readPlain: serialize && readWhole(serialize, plan),
  });
}

/** Plans a non-null value. */
function planPresent(
  scope: PlanScope,
  type: Exclude<GraphQLOutputType, GraphQLNonNull<never>>,
  nodes: readonly FieldNode[],
): PresentPlan {
  if (isListType(type)) {
    const item = planValue(scope, type.ofType, nodes);
    const itemSize = item.kind === 'leaf' ? 1 : item.size;
    const together = item.kind === 'object' ? item.object.together : [];
    const isPlain = together.length === 0;
    const { serialize } = item;
    return {
      kind: 'list',
      item,
      size: 0,
      itemSize,
      together,
      serialize: serialize && isPlain ? readList(serialize, itemSize) : undefined,
      readResolved: serialize && !isPlain ? readOrWriteList(serialize, itemSize, scope) : undefined,
    };
  }
  if (isLeafType(type)) return { kind: 'leaf', type, size: 0, serialize: serializeLeaf(type) };
  if (isObjectType(type)) {
    const object = planObject(scope, type, nodes);
    const { size, serialize, writeJson } = object;
    return { kind: 'object', object, size, serialize, writeJson };
  }
  const possibleTypes = scope.schema.getPossibleTypes(type);
  const plans = new Map(
    possibleTypes.map((possible) => [possible.name, planObject(scope, possible, nodes)]),
  );
  const size = Math.max(0, ...[...plans.values()].map((plan) => plan.size));
  const typeNameOf = type.resolveType as ((value: unknown) => string) | undefined;
  const serialize =
    typeNameOf && scope.isPure(typeNameOf, 'type')
      ? readAbstract((value) => plans.get(typeNameOf(value)))
      : undefined;
  return { kind: 'abstract', type, plans, size, serialize };
}

/** A resolver that reads nothing but the value of its parent. */
type ReadParent = (source: unknown) => unknown;

/**
 * Whether a resolver of a field or of an abstract type reads nothing but the value of its parent: then it is called with
 * that alone, for many values in a row. It may return a promise all the same.
 */
export type IsPure = (resolve: ReadParent, kind: 'field' | 'type') => boolean;

interface PlanScope extends Writing {
  readonly isPure: IsPure;
  readonly schema: GraphQLSchema;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** Used by `@skip` and `@include` only. */
  readonly variables: Record<string, unknown>;
  /** The remaining field budget of the plan; a plan that makes it negative is discarded. */
  readonly room: { fields: number };
}

export interface ObjectPlan {
  readonly type: GraphQLObjectType;
  readonly fields: readonly FieldPlan[];
  /** Set if a condition is not a boolean: thrown for each such object. */
  readonly conditionError: Error | undefined;
  /** The maximum of values without list items, which are counted when they are read. */
  readonly size: number;
  /** The same without resolved fields, which count their own values. */
  readonly ownSize: number;
  /**
   * Present if everything is plain data once the fields in `together` are resolved. Used unless `writeJson` has written
   * it.
   */
  readonly serialize: Serializer | undefined;
  /** Present if plain data contains lists: serializes objects with long lists straight to JSON. */
  readonly writeJson: ReturnType<typeof createWriter>;
  /** Fields, own ones and those below plain objects, that are resolved for all objects of a list at once. */
  readonly together: readonly TogetherPlan[];
}

export interface TogetherPlan {
  readonly field: FieldPlan;
  /** Finds the parent of the field from an object of the list. */
  readonly find: Serializer;
}

export interface FieldPlan extends Pick<FieldReader, 'key' | 'list'> {
  readonly parentType: GraphQLObjectType;
  readonly definition: Definition;
  readonly nodes: readonly FieldNode[];
  readonly value: ValuePlan;
  /** Present if the field is plain, whatever is below it. */
  readonly readWith: ((read: Serializer) => Serializer) | undefined;
  /**
   * Reads the field's result from the parent. Present if everything below it is plain data, and the field is plain or is
   * resolved for all objects of a list at once.
   */
  readonly serialize: Serializer | undefined;
}

export type ValuePlan = PresentPlan & {
  readonly isNonNull: boolean;
  /** Reads the value whole, and counts it. Present if everything is plain data. */
  readonly readPlain: Serializer | undefined;
};

type PresentPlan = (
  | {
      readonly kind: 'list';
      readonly item: ValuePlan;
      readonly itemSize: number;
      /** Those of the objects in the list. */
      readonly together: ObjectPlan['together'];
      /** Reads the list after these fields were resolved. Present if it is plain data then. */
      readonly readResolved: Serializer | undefined;
    }
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType }
  | { readonly kind: 'object'; readonly object: ObjectPlan }
  | {
      readonly kind: 'abstract';
      readonly type: GraphQLAbstractType;
      /** By the names of its possible types. */
      readonly plans: ReadonlyMap<string, ObjectPlan>;
    }
) & {
  /** The maximum of values below it, without list items. */
  readonly size: number;
  /** Present if everything is plain data. */
  readonly serialize: Serializer | undefined;
  /** Present if an object of plain data holds lists. */
  readonly writeJson?: ObjectPlan['writeJson'];
};

type Definition = GraphQLField<unknown, unknown>;
