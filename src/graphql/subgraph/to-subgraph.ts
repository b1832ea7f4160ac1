import {
  type CostAmount,
  costs,
  type FieldCost,
  readCost,
  stringLength,
} from '@crossbook/executor';
import { getDocumentNodeFromSchema, MapperKind, mapSchema, renameType } from '@graphql-tools/utils';
import {
  type ConstDirectiveNode,
  type DocumentNode,
  extendSchema,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isUnionType,
  Kind,
  parse,
  print,
  type ScalarTypeDefinitionNode,
  visit,
} from 'graphql';
import type { RequestContext } from '../../request/context.ts';
import { BYTES_PER_UNIT } from '../cost.ts';
import { apiSchema } from '../schema.ts';
import { entityTypeOf, referenceCosts, resolveEntities } from './entities.ts';

/** The types of the Apollo Federation 2 protocol, in addition to the API. */
const toProtocol = (prefix: string): DocumentNode =>
  parse(/* GraphQL */ `
    "A reference to an entity: its type name and one of its keys."
    scalar _Any
    "What a gateway can ask for by reference."
    union _Entity = ${prefix}Contact | ${prefix}ContactsByEmail | ${prefix}Customer
    "This subgraph, described for gateways."
    type _Service {
      "The schema with its federation directives."
      sdl: String!
    }
    extend type Query {
      "For gateways: the schema with its federation directives."
      _service: _Service!
      "For gateways: the entities behind these references, in their order. Null where there is none of yours."
      _entities(
        "Up to 1,000 references, read in few calls."
        representations: [_Any!]!
      ): [_Entity]!
    }
  `);

/** Adds the Federation protocol to a schema. A prefix renames its types for all clients. */
export function toSubgraph(
  plain: GraphQLSchema,
  { typePrefix = '' }: TypeNames = {},
): GraphQLSchema {
  const api = prefixTypes(plain, typePrefix);
  const readSdl = once(() => printSubgraph(api));
  const schema = extendSchema(api, toProtocol(typePrefix));
  const fields = schema.getQueryType()?.getFields() ?? {};
  resolveWith(fields['_service'], () => ({ sdl: readSdl() }));
  const service = schema.getType('_Service');
  if (isObjectType(service))
    Object.assign(service.getFields()['sdl'] ?? {}, costs(toSdlCost(readSdl)));
  resolveWith(fields['_entities'], resolveEntities(typePrefix), referenceCosts);
  const entity = schema.getType('_Entity');
  if (isUnionType(entity)) entity.resolveType = (record) => typePrefix + entityTypeOf(record);
  return schema;
}

/** Printed and measured lazily, so that the start does not wait for it. */
function toSdlCost(readSdl: () => string): FieldCost {
  const readBytes = once(() => stringLength(readSdl()));
  return {
    weight: () => Math.ceil(readBytes() / BYTES_PER_UNIT),
    get bytes() {
      return readBytes();
    },
  };
}

function once<Value extends string | number>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function resolveWith(
  field: { resolve?: unknown; extensions: object } | undefined,
  resolve: GraphQLFieldResolver<unknown, RequestContext>,
  cost: FieldCost = {},
): void {
  if (field) Object.assign(field, { resolve, ...costs(cost) });
}

/**
 * The SDL for composition. Composers do not know @oneOf; the subgraph enforces it nevertheless. `node` and `nodes`
 * are omitted, because only one subgraph may have them: `relayNode` includes them for that one.
 */
export function printSubgraph(
  api: GraphQLSchema,
  { relayNode = false }: SubgraphOptions = {},
): string {
  const document = visit(getDocumentNodeFromSchema(api), {
    Directive: ({ name }) => (name.value === 'oneOf' ? null : undefined),
    DirectiveDefinition: () => null,
    ObjectTypeDefinition: {
      leave(node) {
        const type = api.getType(node.name.value);
        const known = isObjectType(type) ? type.getFields() : {};
        const fields = (node.fields ?? []).filter(
          ({ name }) => relayNode || type !== api.getQueryType() || !RELAY.has(name.value),
        );
        return { ...node, fields: fields.map((field) => withCost(field, known[field.name.value])) };
      },
    },
  });
  return `${LINK}\n\n${print(document)}\n`;
}

/**
 * Adds Federation's cost directives, which cannot express all of our cost: gateways count less, and our limit
 * applies.
 */
function withCost(node: FieldDefinitionNode, field: GraphQLField<unknown, unknown> | undefined) {
  const { weight = 1, items, pageSize } = readCost(field?.extensions ?? {});
  const cost = Math.ceil(withoutArguments(weight));
  const added: string[] = [];
  if (cost > 1) added.push(`@cost(weight: ${cost})`);
  const slicing = toSlicing(node);
  const length = pageSize ?? items;
  if (length !== undefined && (slicing !== '' || typeof length === 'number')) {
    const sized = pageSize === undefined ? '' : SIZED_FIELDS;
    const sliced = slicing === '' ? '' : slicing + sized + OPTIONAL;
    added.push(`@listSize(${sliced}assumedSize: ${withoutArguments(length)})`);
  }
  return { ...node, directives: [...(node.directives ?? []), ...parseDirectives(added.join(' '))] };
}

/** Lists only existing arguments, because composers reject unknown ones and some pages have no `last`. */
function toSlicing({ arguments: given = [] }: FieldDefinitionNode): string {
  const names = given
    .map(({ name }) => name.value)
    .filter((name) => name === 'first' || name === 'last');
  return names.length === 0 ? '' : `slicingArguments: ${JSON.stringify(names)}, `;
}

function withoutArguments(amount: CostAmount): number {
  return typeof amount === 'number' ? amount : amount({});
}

function parseDirectives(text: string): readonly ConstDirectiveNode[] {
  const [definition] = parse(`scalar Any ${text}`).definitions;
  return (definition as ScalarTypeDefinitionNode).directives ?? [];
}

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@cost", "@listSize", "@tag"])';

/** The lists of a page are in these fields. */
const SIZED_FIELDS = 'sizedFields: ["edges", "nodes"], ';
/** The page size may be omitted. */
const OPTIONAL = 'requireOneSlicingArgument: false, ';

const RELAY: ReadonlySet<string> = new Set(['node', 'nodes']);

export interface TypeNames {
  /** The prefix of type names, except types that subgraphs share. */
  readonly typePrefix?: string | undefined;
}

export interface SubgraphOptions {
  /** Includes `node` and `nodes`. */
  readonly relayNode?: boolean | undefined;
}

/** Prefixes the types that another subgraph may have under the same name. */
export function prefixTypes(schema: GraphQLSchema, prefix: string): GraphQLSchema {
  if (prefix === '') return schema;
  const rename = (type: GraphQLNamedType) =>
    isPrefixed(type) ? renameType(type, prefix + type.name) : type;
  return mapSchema(schema, {
    [MapperKind.TYPE]: (type) =>
      isInterfaceType(type) ? rename(prefixResolved(type, prefix)) : rename(type),
    [MapperKind.ROOT_OBJECT]: () => undefined,
  });
}

/** Rewrites an operation for prefixed type names, comments included. */
export function prefixOperation(operation: string, prefix: string): string {
  const places: number[] = [];
  visit(parse(operation), {
    [Kind.NAMED_TYPE]({ name, loc }) {
      const type = apiSchema.getType(name.value);
      if (loc && type && isPrefixed(type)) places.push(loc.start);
    },
  });
  return places
    .sort((a, b) => b - a)
    .reduce((text, at) => text.slice(0, at) + prefix + text.slice(at), operation);
}

/** Records resolve to type names without the prefix. */
function prefixResolved(type: GraphQLInterfaceType, prefix: string): GraphQLInterfaceType {
  const { resolveType, ...config } = type.toConfig();
  if (!resolveType) return type;
  const typeNameOf = resolveType as (record: unknown) => string;
  return new GraphQLInterfaceType({
    ...config,
    resolveType: (record: unknown) => prefix + typeNameOf(record),
  });
}

/** Types of Relay and of the specification, and scalars, mean the same in every subgraph and are not prefixed. */
function isPrefixed(type: GraphQLNamedType): boolean {
  return !isScalarType(type) && !SHARED.has(type.name) && !type.name.startsWith('__');
}

const SHARED: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Node', 'PageInfo']);
