import {
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLList,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { ArgumentReaders, ReadArguments } from './input/read-arguments.ts';
import { collectFields, type SelectionScope } from './operation.ts';
import {
  type FieldReader,
  readAbstract,
  readComputed,
  readList,
  readNullable,
  readObject,
  readProperty,
  type Serializer,
  serializeLeaf,
  type Writing,
} from './serializers.ts';
import { createWriter, type ListReader, type Write } from './writer.ts';

/** What is done for one selection on one type of object, found out once. */
export function planObject(
  scope: PlanScope,
  type: GraphQLObjectType,
  parents: readonly Pick<FieldNode, 'selectionSet'>[],
): ObjectPlan {
  const sets = parents.map(({ selectionSet }) => selectionSet);
  const fields: FieldPlan[] = [];
  const { selected, failure } = collectFields(scope, type, sets);
  for (const [key, nodes] of selected) {
    scope.room.fields -= 1;
    if (scope.room.fields < 0) break;
    const name = nodes[0]?.name.value ?? '';
    const definition = findField(scope, type, name);
    if (definition) fields.push(planField(scope, { key, type, definition, nodes }));
  }
  const size = sum(fields, ({ value }) => 1 + value.size);
  const ownSize = sum(fields, ({ value, read }) => 1 + (read ? value.size : 0));
  const plain = failure ? NOT_PLAIN : readFields(scope, type, { fields, size });
  return { type, fields, failure, size, ownSize, ...plain };
}

/** What is asked of the schema itself is executed like anything else: it is counted like anything else. */
function findField({ schema }: PlanScope, type: GraphQLObjectType, name: string): Definition | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
}

function sum<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}

function planField(scope: PlanScope, { key, type, definition, nodes }: Selected): FieldPlan {
  const value = planValue(scope, definition.type, nodes);
  const [node] = nodes;
  return {
    ...{ key, parentType: type, definition, nodes, value },
    read: readField(definition, type, value),
    list: readListField(definition, type, value),
    readArguments: node && definition.args.length > 0 ? scope.argumentReaders(definition, node) : undefined,
  };
}

function planValue(scope: PlanScope, type: GraphQLOutputType, nodes: readonly FieldNode[]): ValuePlan {
  if (isNonNullType(type)) {
    const inner = planValue(scope, type.ofType, nodes);
    const { readPresent, write, size } = inner;
    return { kind: 'required', inner, size, read: readPresent, readPresent, write };
  }
  if (isListType(type)) {
    const item = planValue(scope, type.ofType, nodes);
    const areLeaves = isLeafType(isNonNullType(type.ofType) ? type.ofType.ofType : type.ofType);
    const itemSize = areLeaves ? 1 : item.size;
    const read = item.read && readList(item.read, itemSize);
    return { kind: 'list', type, item, size: 0, itemSize, areLeaves, ...optional(read) };
  }
  if (isLeafType(type)) return { kind: 'leaf', type, size: 0, ...optional(serializeLeaf(type)) };
  if (isAbstractType(type)) return planAbstract(scope, type, nodes);
  const object = planObject(scope, type, nodes);
  return { kind: 'object', object, size: object.size, ...optional(object.read), write: object.write };
}

function planAbstract(scope: PlanScope, type: GraphQLAbstractType, nodes: readonly FieldNode[]): ValuePlan {
  const plans = new Map(
    scope.schema
      .getPossibleTypes(type)
      .map((possible): [unknown, ObjectPlan] => [possible.name, planObject(scope, possible, nodes)]),
  );
  const typeNameOf = type.resolveType as ((value: unknown) => unknown) | null | undefined;
  const read =
    typeNameOf &&
    readAbstract(
      (value) => typeNameOf(value),
      (name) => plans.get(name)?.read,
    );
  const size = Math.max(0, ...[...plans.values()].map((plan) => plan.size));
  return { kind: 'abstract', type, plans, size, ...optional(read ?? undefined) };
}

function optional(readPresent: Serializer | undefined): Pick<ValuePlan, 'read' | 'readPresent'> {
  return { readPresent, read: readPresent && readNullable(readPresent) };
}

function readFields(
  scope: PlanScope,
  type: GraphQLObjectType,
  { fields, size }: Pick<ObjectPlan, 'fields' | 'size'>,
): Pick<ObjectPlan, 'read' | 'write'> {
  const readers = fields.filter((field): field is FieldPlan & FieldReader => field.read !== undefined);
  if (type.isTypeOf || readers.length < fields.length) return NOT_PLAIN;
  return { read: readObject(readers, scope), write: createWriter({ fields: readers, size }, scope) };
}

const NOT_PLAIN = { read: undefined, write: undefined } as const;

/** Plain are properties, and what follows from the parent alone: a resolver that takes no more than that sees no more. */
function readField(
  definition: Definition,
  parent: GraphQLObjectType,
  { read }: Pick<ValuePlan, 'read'>,
): Serializer | undefined {
  if (definition === TypeNameMetaFieldDef) return () => parent.name;
  if (!read || definition.args.length > 0) return undefined;
  const resolve = definition.resolve as ((source: unknown) => unknown) | undefined;
  if (!resolve) return readProperty(definition.name, read);
  return resolve.length <= 1 ? readComputed((source) => resolve(source), read) : undefined;
}

function readListField(
  definition: Definition,
  parent: GraphQLObjectType,
  value: ValuePlan,
): ListReader | undefined {
  const list = value.kind === 'required' ? value.inner : value;
  if (list.kind !== 'list' || !list.item.read) return undefined;
  const itemsOf = readField(definition, parent, { read: (items) => items });
  return itemsOf && { itemsOf, readItem: list.item.read, itemSize: list.itemSize };
}

interface PlanScope extends SelectionScope, Writing {
  /** How many fields the plan may still have: below zero it is no good. */
  readonly room: { fields: number };
  readonly argumentReaders: ArgumentReaders;
}

export interface ObjectPlan {
  readonly type: GraphQLObjectType;
  readonly fields: readonly FieldPlan[];
  /** A condition is neither true nor false: thrown for each such object. */
  readonly failure: Error | undefined;
  /** How many values it is made of, at most. Lists count what is in them when they are read. */
  readonly size: number;
  /** Without what its fields count themselves, because they are resolved. */
  readonly ownSize: number;
  /** Present where all of it is plain data. */
  readonly read: Serializer | undefined;
  /** Present where lists are among it. */
  readonly write: Write | undefined;
}

export interface FieldPlan {
  readonly key: string;
  readonly parentType: GraphQLObjectType;
  readonly definition: Definition;
  readonly nodes: readonly FieldNode[];
  readonly value: ValuePlan;
  /** From the parent to the field's answer. Present where the field and all below it is plain data. */
  readonly read: Serializer | undefined;
  /** Present where it is a list of plain data. */
  readonly list: ListReader | undefined;
  /** Present where it takes any. */
  readonly readArguments: ReadArguments | undefined;
}

export type ValuePlan = (
  | { readonly kind: 'required'; readonly inner: ValuePlan }
  | {
      readonly kind: 'list';
      readonly type: GraphQLList<GraphQLOutputType>;
      readonly item: ValuePlan;
      readonly itemSize: number;
      readonly areLeaves: boolean;
    }
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType }
  | { readonly kind: 'object'; readonly object: ObjectPlan }
  | {
      readonly kind: 'abstract';
      readonly type: GraphQLAbstractType;
      readonly plans: ReadonlyMap<unknown, ObjectPlan>;
    }
) & {
  /** How many values are below it, at most, lists left out. */
  readonly size: number;
  /** Present where all of it is plain data. */
  readonly read: Serializer | undefined;
  /** The same for a value that may not be null. */
  readonly readPresent: Serializer | undefined;
  /** Present where an object of plain data holds lists. */
  readonly write?: Write | undefined;
};

type Definition = GraphQLField<unknown, unknown>;

interface Selected extends Pick<FieldPlan, 'key' | 'definition' | 'nodes'> {
  readonly type: GraphQLObjectType;
}
