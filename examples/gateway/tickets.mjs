import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';

/** The federation types that a subgraph defines besides its own. */
const toProtocol = (typePrefix) => /* GraphQL */ `
  directive @link(url: String!, import: [String]) repeatable on SCHEMA
  directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT
  scalar _Any
  union _Entity = ${typePrefix}Customer | Ticket
  extend type Query {
    _entities(representations: [_Any!]!): [_Entity]!
  }
`;

const TICKETS = [
  ticket(1, 'The export lacks a column', 'HUBSPOT', 'ada@example.com'),
  ticket(2, 'Who of us may invite others?', 'SALESFORCE', 'team@shared.example'),
  ticket(3, 'A letter from somebody unknown', 'HUBSPOT', 'nobody@example.com'),
];

/** The tickets’ SDL: without `node` if Crossbook resolves it, with Crossbook’s types under their prefixed names. */
export function readTicketsSdl({ relayNode = false, typePrefix = '' } = {}) {
  const sdl = readFileSync(new URL('tickets.graphql', import.meta.url), 'utf8').replace(
    /\b(Customer|ContactsByEmail|ProviderName)\b/g,
    `${typePrefix}$1`,
  );
  return relayNode ? sdl.replace(/ {2}"A Relay server[\s\S]*?nodes\(.*\n/, '') : sdl;
}

/** A subgraph of your own: a Relay server that stores tickets, whose authors are known by email only. */
export function createTickets({ relayNode = false, typePrefix = '' } = {}) {
  const { Customer, ...resolvers } = RESOLVERS;
  const schema = createSchema({
    typeDefs: readTicketsSdl({ relayNode, typePrefix }) + toProtocol(typePrefix),
    resolvers: { ...resolvers, [`${typePrefix}Customer`]: Customer },
    resolverValidationOptions: { requireResolversToMatchSchema: 'ignore' },
  });
  return createServer(createYoga({ schema, graphiql: false, landingPage: false, logging: false }));
}

const RESOLVERS = {
  Query: {
    tickets: (_root, { first }) => TICKETS.slice(0, first ?? TICKETS.length),
    node: (_root, { id }) => findTicket(id),
    nodes: (_root, { ids }) => ids.map(findTicket),
    _entities: (_root, { representations }) =>
      representations.map((one) => (one.__typename === 'Ticket' ? findTicket(one.id) : one)),
  },
  Customer: {
    tickets: ({ customerId }) =>
      TICKETS.filter(({ customer }) => customer.customerId === customerId),
  },
  Node: { __resolveType: () => 'Ticket' },
  _Entity: { __resolveType: ({ __typename }) => __typename ?? 'Ticket' },
};

function findTicket(id) {
  return TICKETS.find((one) => one.id === id) ?? null;
}

function ticket(number, subject, provider, email) {
  const customerId = 'demo';
  return {
    id: `ticket:${number}`,
    subject,
    customer: { customerId },
    requester: { customerId, provider, email },
  };
}
