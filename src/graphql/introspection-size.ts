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
  valueFromASTUntyped,
} from 'graphql';
import { CrossbookError } from '../domain/errors.ts';
import { jsonLength } from '../lib/json.ts';

/**
 * What `__schema` or `__type` would answer, counted and not made: the schema is known, so that is the truth, but for
 * conditions and deprecated elements, which are counted as if they were all selected. One selection on one element of the
 * schema is counted once, however often both come together.
 */
export function createIntrospectionSizes({ schema, fragments }: Subject): IntrospectionSizes {
  const counted = new Map<SelectionSetNode, Map<unknown, Size>>();
  let steps = 0;
  return (node, variables) => {
    const field = node.name.value === SchemaMetaFieldDef.name ? SchemaMetaFieldDef : TypeMetaFieldDef;
    return ofField({ node, field, source: undefined, args: readArguments(node, variables) });
  };

  function ofField({ node, field, source, args }: CountedField): Size {
    const resolve = field.resolve ?? defaultFieldResolver;
    const info = { schema, fieldName: field.name } as GraphQLResolveInfo;
    const value: unknown = resolve(source, args, undefined, info);
    const below = ofValue(node.selectionSet, field.type, value);
    const key = (node.alias ?? node.name).value;
    return { values: below.values + 1, bytes: below.bytes + key.length + BYTES_AROUND_KEY };
  }

  function ofValue(set: SelectionSetNode | undefined, type: GraphQLOutputType, value: unknown): Size {
    if (isNonNullType(type)) return ofValue(set, type.ofType, value);
    if (isListType(type) && Array.isArray(value)) {
      // Items without fields are values by themselves.
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
    // Documents arrive here before they are validated: a fragment may be within itself.
    sizes.set(source, NOTHING);
    let size: Size = { values: 0, bytes: 3 };
    for (const node of set.selections) {
      steps += 1;
      if (steps > MAX_STEPS) throw tooLarge();
      if (node.kind === Kind.FIELD) {
        const field = type.getFields()[node.name.value] ?? TYPENAME;
        size = add(size, ofField({ node, field, source, args: ALL }));
      } else {
        const inner =
          node.kind === Kind.INLINE_FRAGMENT
            ? node.selectionSet
            : fragments.get(node.name.value)?.selectionSet;
        if (inner) size = add(size, ofObject(inner, type, source));
      }
    }
    sizes.set(source, size);
    return size;
  }
}

function readArguments(node: FieldNode, variables: Variables): Record<string, unknown> {
  const entries = (node.arguments ?? []).map(({ name, value }) => {
    const given = valueFromASTUntyped(value, variables as Record<string, unknown>);
    // Not validated yet: a name may be anything.
    return [name.value, typeof given === 'string' ? given : ''];
  });
  return Object.fromEntries(entries);
}

function add(a: Size, b: Size): Size {
  return { values: a.values + b.values, bytes: a.bytes + b.bytes };
}

function tooLarge(): CrossbookError {
  return new CrossbookError(
    'BAD_REQUEST',
    `The operation is too large: it asks more of the schema than ${MAX_STEPS} selections.`,
  );
}

const NOTHING: Size = { values: 0, bytes: 0 };
/** Quotes, a colon and a comma. */
const BYTES_AROUND_KEY = 4;
/** Far more than tools ask; reached in some ten milliseconds. */
const MAX_STEPS = 200_000;
/** What is deprecated is counted, whether it is asked for or not. */
const ALL = { includeDeprecated: true };
/** Also for what is no field: validation refuses that. */
const TYPENAME: GraphQLField<unknown, unknown> = { ...TypeNameMetaFieldDef, resolve: () => '__InputValue' };

/** Of `__schema` or `__type`. Throws where counting alone takes too long. */
type IntrospectionSizes = (node: FieldNode, variables: Variables) => Size;

interface Size {
  readonly values: number;
  readonly bytes: number;
}

type Variables = Readonly<Record<string, unknown>>;

interface Subject {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

interface CountedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  readonly source: unknown;
  readonly args: Record<string, unknown>;
}
