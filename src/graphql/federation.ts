import {
  extendSchema,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isEnumType,
  isObjectType,
  isUnionType,
  parse,
} from 'graphql';
import { CrossbookError } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { Want } from '../domain/want.ts';
import { stringLength } from '../lib/json-length.ts';
import type { RequestContext } from '../request/context.ts';
import { findContact } from '../usecases/find-contact.ts';
import { findCustomer } from '../usecases/find-customer.ts';
import { readContactWant } from './contact-want.ts';
import { BYTES_PER_UNIT, costs, type FieldCost, recordCosts } from './cost.ts';
import { orNull, readRecord } from './read-record.ts';
import { printSubgraph } from './subgraph-sdl.ts';
import { type NodeRecord, typeNameOf } from './types/node.ts';

const MAX_REPRESENTATIONS = 1_000;

/** The protocol between a gateway and a subgraph of Apollo Federation 2, beside our own API. */
const PROTOCOL = parse(/* GraphQL */ `
  "A reference to an entity: its type name and one of its keys."
  scalar _Any
  "What a gateway can ask for by reference."
  union _Entity = Contact | Customer
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

/** The same schema, and what makes it a subgraph. */
export function toSubgraph(api: GraphQLSchema): GraphQLSchema {
  const readSdl = once(() => printSubgraph(api));
  const schema = extendSchema(api, PROTOCOL);
  const fields = schema.getQueryType()?.getFields() ?? {};
  resolveWith(fields['_service'], () => ({ sdl: readSdl() }));
  const service = schema.getType('_Service');
  if (isObjectType(service)) Object.assign(service.getFields()['sdl'] ?? {}, costs(toSdlCost(readSdl)));
  resolveWith(fields['_entities'], resolveEntities, ENTITIES_COST);
  const entity = schema.getType('_Entity');
  if (isUnionType(entity)) entity.resolveType = typeNameOf;
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

const resolveEntities: GraphQLFieldResolver<unknown, RequestContext> = (_root, args, context, info) => {
  const representations = args['representations'] as readonly unknown[];
  if (representations.length > MAX_REPRESENTATIONS) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `\`_entities\` takes at most ${MAX_REPRESENTATIONS} references; these are ${representations.length}.`,
    );
  }
  const want = readContactWant(info, []);
  const read = (representation: unknown) =>
    readReference({ ...(representation as object) }, { context, info, want });
  return representations.map(async (representation) => read(representation));
};

/** A Customer by the application's id or by the global one; a Contact by its three ids or by the global one. */
function readReference(reference: Reference, { context, info, want }: Asked): Promise<NodeRecord | null> {
  const { __typename, id, customerId, provider, remoteId } = reference;
  if (__typename !== 'Customer' && __typename !== 'Contact') {
    throw new CrossbookError('BAD_REQUEST', 'A reference must say whether it is to a Customer or a Contact.');
  }
  if (typeof customerId === 'string' && __typename === 'Customer') {
    return orNull(findCustomer(context, customerId));
  }
  if (typeof customerId === 'string' && typeof remoteId === 'string') {
    const key = { customerId, provider: readProvider(info.schema, provider), remoteId };
    return orNull(findContact(context, key, want));
  }
  if (typeof id !== 'string') throw new CrossbookError('BAD_REQUEST', 'A reference must carry a key.');
  return readRecord(context, id, want).then((record) =>
    record && typeNameOf(record) === __typename ? record : null,
  );
}

function readProvider(schema: GraphQLSchema, name: unknown): ProviderName {
  const type = schema.getType('ProviderName');
  const value = isEnumType(type) && typeof name === 'string' ? type.getValue(name)?.value : undefined;
  if (value === undefined) {
    throw new CrossbookError('BAD_REQUEST', 'The provider of a reference must be a ProviderName.');
  }
  return value as ProviderName;
}

const ENTITIES_COST = recordCosts(({ representations }) => representations);

function resolveWith(
  field: { resolve?: unknown; extensions: object } | undefined,
  resolve: GraphQLFieldResolver<unknown, RequestContext>,
  cost: FieldCost = {},
): void {
  if (field) Object.assign(field, { resolve, ...costs(cost) });
}

type Reference = Readonly<Record<string, unknown>>;

interface Asked {
  readonly context: RequestContext;
  readonly info: GraphQLResolveInfo;
  readonly want: Want;
}
