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
  type NameNode,
  parse,
  parseConstValue,
  print,
  visit,
} from 'graphql';
import { stringLength } from '../../lib/json.ts';
import type { RequestContext } from '../../request/context.ts';
import { BYTES_PER_UNIT, type CostAmount, costs, type FieldCost, readCost } from '../cost.ts';
import { apiSchema } from '../schema.ts';
import { entityTypeOf, referenceCosts, resolveEntities } from './entities.ts';

/** The protocol between a gateway and a subgraph of Apollo Federation 2, beside our own API. */
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

/** The same schema, and what makes it a subgraph. With a prefix, its types have longer names for all who ask. */
export function toSubgraph(plain: GraphQLSchema, { typePrefix = '' }: TypeNames = {}): GraphQLSchema {
  const api = prefixTypes(plain, typePrefix);
  const readSdl = once(() => printSubgraph(api));
  const schema = extendSchema(api, toProtocol(typePrefix));
  const fields = schema.getQueryType()?.getFields() ?? {};
  resolveWith(fields['_service'], () => ({ sdl: readSdl() }));
  const service = schema.getType('_Service');
  if (isObjectType(service)) Object.assign(service.getFields()['sdl'] ?? {}, costs(toSdlCost(readSdl)));
  resolveWith(fields['_entities'], resolveEntities(typePrefix), referenceCosts);
  const entity = schema.getType('_Entity');
  if (isUnionType(entity)) entity.resolveType = (record) => typePrefix + entityTypeOf(record);
  return schema;
}

/** Printed, and its length counted, with the first request for it: a start does not wait for that. */
function toSdlCost(readSdl: () => string): FieldCost {
  const readBytes = once(() => stringLength(readSdl()));
  return {
    weight: () => Math.ceil(readBytes() / BYTES_PER_UNIT),
    get bytes() {
      return readBytes();
    },
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
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
 * The schema as gateways compose it. Composers do not know @oneOf: the subgraph enforces it all the same. `node` and `nodes`
 * are left out, because no two subgraphs may have them: `relayNode` prints them for the one that owns them.
 */
export function printSubgraph(api: GraphQLSchema, { relayNode = false }: SubgraphOptions = {}): string {
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

/** What the directives can say of a field's cost: a gateway counts less than we do, and ours is the bound. */
function withCost(node: FieldDefinitionNode, field: GraphQLField<unknown, unknown> | undefined) {
  const { weight = 1, items, pageSize } = readCost(field?.extensions ?? {});
  const cost = Math.ceil(withoutArguments(weight));
  const added: ConstDirectiveNode[] = [];
  if (cost > 1) added.push(toDirective('cost', { weight: String(cost) }));
  const slicingArguments = toSlicing(node);
  const isSliced = slicingArguments !== '[]';
  const length = pageSize ?? items;
  if (length !== undefined && (isSliced || typeof length === 'number')) {
    const slicing = isSliced && { slicingArguments, ...(pageSize !== undefined && PAGE), ...OPTIONAL };
    added.push(toDirective('listSize', { ...slicing, assumedSize: String(withoutArguments(length)) }));
  }
  return { ...node, directives: [...(node.directives ?? []), ...added] };
}

/** Some pages are read forward alone: a composer refuses an argument that is not there. */
function toSlicing({ arguments: given = [] }: FieldDefinitionNode): string {
  const names = given.map(({ name }) => name.value).filter((name) => name === 'first' || name === 'last');
  return `[${names.map((name) => JSON.stringify(name)).join(', ')}]`;
}

function withoutArguments(amount: CostAmount): number {
  return typeof amount === 'number' ? amount : amount({});
}

function toDirective(name: string, values: Readonly<Record<string, string>>): ConstDirectiveNode {
  return {
    kind: Kind.DIRECTIVE,
    name: toName(name),
    arguments: Object.entries(values).map(([key, value]) => ({
      kind: Kind.ARGUMENT,
      name: toName(key),
      value: parseConstValue(value),
    })),
  };
}

function toName(value: string): NameNode {
  return { kind: Kind.NAME, value };
}

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@cost", "@listSize", "@tag"])';

/** A page's lists are its fields'. */
const PAGE = { sizedFields: '["edges", "nodes"]' };
/** Its length may be left to us. */
const OPTIONAL = { requireOneSlicingArgument: 'false' };

const RELAY: ReadonlySet<string> = new Set(['node', 'nodes']);

export interface TypeNames {
  /** In front of each type's name, but of those that subgraphs share. */
  readonly typePrefix?: string | undefined;
}

export interface SubgraphOptions {
  /** With `node` and `nodes`. */
  readonly relayNode?: boolean | undefined;
}

/** The same schema with a prefix in front of the types that another subgraph may have by the same name. */
export function prefixTypes(schema: GraphQLSchema, prefix: string): GraphQLSchema {
  if (prefix === '') return schema;
  const rename = (type: GraphQLNamedType) => (isPrefixed(type) ? renameType(type, prefix + type.name) : type);
  return mapSchema(schema, {
    [MapperKind.TYPE]: (type) =>
      isInterfaceType(type) ? rename(prefixResolved(type, prefix)) : rename(type),
    [MapperKind.ROOT_OBJECT]: () => undefined,
  });
}

/** An operation that was written for the names without the prefix, comments and all. */
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

/** Its records know their types by the names without the prefix. */
function prefixResolved(type: GraphQLInterfaceType, prefix: string): GraphQLInterfaceType {
  const { resolveType, ...config } = type.toConfig();
  if (!resolveType) return type;
  const typeNameOf = resolveType as (record: unknown) => string;
  return new GraphQLInterfaceType({
    ...config,
    resolveType: (record: unknown) => prefix + typeNameOf(record),
  });
}

/** Relay's and the specification's own names stand for the same thing in every subgraph, and so do scalars. */
function isPrefixed(type: GraphQLNamedType): boolean {
  return !isScalarType(type) && !SHARED.has(type.name) && !type.name.startsWith('__');
}

const SHARED: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Node', 'PageInfo']);
