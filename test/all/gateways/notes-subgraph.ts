import { readFileSync } from 'node:fs';
import { createSchema, createYoga } from 'graphql-yoga';
import { openWireServer, type WireServer } from '../../support/wire-server.ts';

/**
 * A neighbouring subgraph behind the gateway: it stores notes on contacts and customers, has pages of its own, and
 * is a Relay server.
 */
export const NOTES_SDL = /* GraphQL */ `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

  type Query {
    recentNotes(first: Int = 30): [Note!]!
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
  }
  interface Node {
    id: ID!
  }
  type Note {
    text: String!
    contact: Contact!
    author: ContactsByEmail
    company: Company
  }
  type NoteConnection {
    nodes: [Note!]!
    pageInfo: PageInfo!
  }
  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }
  type Contact @key(fields: "id") {
    id: ID!
    noteCount: Int!
  }
  type Company @key(fields: "customerId provider remoteId") {
    customerId: ID!
    provider: ProviderName!
    remoteId: ID!
    noteCount: Int!
  }
  type Customer @key(fields: "customerId") {
    customerId: ID!
    notes: NoteConnection!
  }
  type ContactsByEmail @key(fields: "customerId provider email", resolvable: false) {
    customerId: ID!
    provider: ProviderName!
    email: String!
  }
  ${/^enum ProviderName \{[^}]*\}/m.exec(readFileSync('subgraph.graphql', 'utf8'))?.[0]}
`;

/** The federation types that a subgraph defines besides its own. */
const PROTOCOL = /* GraphQL */ `
  directive @link(url: String!, import: [String]) repeatable on SCHEMA
  directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT
  directive @shareable on OBJECT
  scalar _Any
  union _Entity = Contact | Company | Customer
  extend type Query {
    _entities(representations: [_Any!]!): [_Entity]!
  }
`;

/** Listens until it is closed. Each of the contacts has written a note. */
export function openNotesSubgraph(contacts: readonly NotedContact[]): Promise<WireServer> {
  const notes = contacts.map(({ id, email, companyId }, index) => ({
    text: `Note ${index + 1}`,
    contact: { id },
    author: { customerId: 'demo', provider: 'HUBSPOT', email },
    company: { customerId: 'demo', provider: 'HUBSPOT', remoteId: companyId },
  }));
  const schema = createSchema<object>({
    typeDefs: NOTES_SDL + PROTOCOL,
    resolvers: {
      Node: { __resolveType: () => 'Contact' },
      Query: {
        recentNotes: (_root, { first }) => notes.slice(0, first),
        _entities: (_root, { representations }) => representations,
      },
      Contact: { noteCount: ({ id }) => notes.filter(({ contact }) => contact.id === id).length },
      Company: {
        noteCount: ({ remoteId }) =>
          notes.filter(({ company }) => company.remoteId === remoteId).length,
      },
      Customer: {
        notes: () => ({
          nodes: notes.slice(0, 1),
          pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: '1', endCursor: '1' },
        }),
      },
    },
  });
  const yoga = createYoga<object>({ schema, logging: false, landingPage: false, graphiql: false });
  return openWireServer(yoga);
}

export interface NotedContact {
  readonly id: string;
  readonly email: string;
  readonly companyId: string;
}
