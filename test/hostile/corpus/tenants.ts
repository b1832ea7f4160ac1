import type { DocumentKind } from './line.ts';

const NOTHING = { hasNot: /"(?:name|email|firstName|remoteId|totalCount)":/ };

/** One application requests data of another: it does not exist. */
export const NEIGHBOURS: DocumentKind = {
  kind: 'what belongs to another application',
  as: ['neighbour'],
  ways: ['POST', 'GET'],
  gets: { ...NOTHING, status: [200, 404], codes: /^NOT_FOUND$/ },
  lines: {
    'a customer': '{customer(customerId:"demo"){name email}}',
    'a search for that customer':
      '{searchContacts(customerId:"demo",filter:{email:"ada@example.com"}){totalCount}}',
    'a customer with a blank': '{customer(customerId:"demo "){name email}}',
    'the customer under 50 aliases': `{${Array.from({ length: 50 }, (_, n) => `c${n}:customer(customerId:"demo"){name}`).join(' ')}}`,
    'a customer as an entity':
      '{_entities(representations:[{__typename:"Customer",customerId:"demo"}]){...on Customer{name}}}',
    'a contact by its global id': ({ ids }) => ({
      query: 'query($i:ID!){node(id:$i){...on Contact{firstName}}}',
      variables: { i: ids[0] },
    }),
    'a thousand contacts by their global ids': ({ ids }) => ({
      query: 'query($i:[ID!]!){nodes(ids:$i){...on Contact{firstName remoteId}}}',
      variables: { i: ids.slice(0, 100) },
    }),
  },
};

/** A customer token requests data of other customers. */
export const TOKENS: DocumentKind = {
  kind: 'more than a customer token may',
  as: ['token'],
  ways: ['POST'],
  gets: { ...NOTHING, status: [200, 403, 404], codes: /^(FORBIDDEN|NOT_FOUND)$/ },
  lines: {
    'another customer': '{customer(customerId:"stuffed"){name email}}',
    'another customer as an entity':
      '{_entities(representations:[{__typename:"Customer",customerId:"stuffed"}]){...on Customer{name}}}',
    'a search for another customer':
      '{searchContacts(customerId:"stuffed",filter:{email:"ada@example.com"}){totalCount}}',
    'an upsert':
      'mutation{upsertCustomer(input:{customerId:"demo",name:"x",email:"x@example.com"}){created}}',
    'another token': 'mutation{issueCustomerToken(input:{customerId:"demo"}){token}}',
    'the neighbour’s customer': ({ foreignId }) => ({
      query: 'query($i:ID!){node(id:$i){...on Customer{name}}}',
      variables: { i: foreignId },
    }),
  },
};
