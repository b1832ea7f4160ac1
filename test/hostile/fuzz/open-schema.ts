import { readFileSync } from 'node:fs';
import { buildSchema, extendSchema, type GraphQLSchema, parse } from 'graphql';

/** The schema that clients see, plus what gateways query. */
export function openSchema(): GraphQLSchema {
  return extendSchema(buildSchema(readFileSync('schema.graphql', 'utf8')), parse(SUBGRAPH));
}

const SUBGRAPH = `
  scalar _Any
  union _Entity = Customer | Contact
  type _Service { sdl: String! }
  extend type Query { _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }
`;
