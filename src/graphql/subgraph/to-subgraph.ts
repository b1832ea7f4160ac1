import {
  type DocumentNode,
  extendSchema,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
  isUnionType,
  parse,
} from 'graphql';
import { stringLength } from '../../lib/json-length.ts';
import type { RequestContext } from '../../request/context.ts';
import { BYTES_PER_UNIT, costs, type FieldCost } from '../cost.ts';
import { entityTypeOf, referenceCosts, resolveEntities } from './entities.ts';
import { printSubgraph } from './print-subgraph.ts';
import { prefixTypes } from './type-prefix.ts';

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

export interface TypeNames {
  /** In front of each type's name, but of those that subgraphs share. */
  readonly typePrefix?: string | undefined;
}
