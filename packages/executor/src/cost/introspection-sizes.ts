import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { jsonLength } from '../json/size.ts';
import { LimitError } from '../limit-error.ts';

/**
 * Computes the size of an introspection result without building it. Exact, except that conditional and deprecated
 * elements are counted as if all were selected. Each pair of selection and schema element is counted once.
 */
export function createIntrospectionSizes({
  schema,
  fragments,
  maxSteps,
}: Subject): IntrospectionSizes {
  const counted = new Map<SelectionSetNode, Map<unknown, Size>>();
  let steps = 0;
  return (node, { name }) => {
    const field =
      node.name.value === SchemaMetaFieldDef.name ? SchemaMetaFieldDef : TypeMetaFieldDef;
    // Not validated yet: the argument may have any type.
    const args = { name: typeof name === 'string' ? name : '' };
    return ofField({ node, field, source: undefined, args });
  };

  function ofField({ node, field, source, args }: CountedField): Size {
    const resolve = field.resolve ?? defaultFieldResolver;
    const info = { schema, fieldName: field.name } as GraphQLResolveInfo;
    const value: unknown = resolve(source, args, undefined, info);
    const below = ofValue(node.selectionSet, field.type, value);
    const key = (node.alias ?? node.name).value;
    return { values: below.values + 1, bytes: below.bytes + key.length + BYTES_AROUND_KEY };
  }

  function ofValue(
    set: SelectionSetNode | undefined,
    type: GraphQLOutputType,
    value: unknown,
  ): Size {
    if (isNonNullType(type)) return ofValue(set, type.ofType, value);
    if (isListType(type) && Array.isArray(value)) {
      // Items without fields count as values.
      let size: Size = { values: set ? 0 : value.length, bytes: 2 + value.length };
      for (const item of value) size = add(size, ofValue(set, type.ofType, item));
      return size;
    }
    const named = getNamedType(type);
    if (!isObjectType(named) || value === null || value === undefined)
      return { values: 0, bytes: jsonLength(value) };
    return set ? ofObject(set, named, value) : NOTHING;
  }

  function ofObject(set: SelectionSetNode, type: GraphQLObjectType, source: unknown): Size {
    const sizes = counted.get(set) ?? new Map<unknown, Size>();
    counted.set(set, sizes);
    const existing = sizes.get(source);
    if (existing) return existing;
    // Documents are not validated yet: a fragment may be cyclic.
    sizes.set(source, NOTHING);
    let size: Size = { values: 0, bytes: 3 };
    for (const node of set.selections) {
      steps += 1;
      if (steps > maxSteps) {
        throw new LimitError(
          `The operation is too large: its introspection has more than ${maxSteps} selections.`,
        );
      }
      if (node.kind === Kind.FIELD) {
        const field = type.getFields()[node.name.value] ?? TYPENAME;
        size = add(size, ofField({ node, field, source, args: ALL }));
      } else {
        const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        if (inner) size = add(size, ofObject(inner.selectionSet, type, source));
      }
    }
    sizes.set(source, size);
    return size;
  }
}

function add(a: Size, b: Size): Size {
  return { values: a.values + b.values, bytes: a.bytes + b.bytes };
}

const NOTHING: Size = { values: 0, bytes: 0 };
/** Bytes of quotes, colon and comma around a key. */
const BYTES_AROUND_KEY = 4;
/** Deprecated elements are always counted. */
const ALL = { includeDeprecated: true };
/** Also stands for unknown fields, which validation rejects. */
const TYPENAME: GraphQLField<unknown, unknown> = {
  ...TypeNameMetaFieldDef,
  resolve: () => '__InputValue',
};

/** The size of `__schema` or `__type`. Throws if counting takes too many steps. */
type IntrospectionSizes = (node: FieldNode, args: Readonly<Record<string, unknown>>) => Size;

interface Size {
  readonly values: number;
  readonly bytes: number;
}

interface Subject {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly maxSteps: number;
}

interface CountedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  readonly source: unknown;
  readonly args: Record<string, unknown>;
}
