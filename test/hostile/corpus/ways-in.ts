import { createHash } from 'node:crypto';
import { BOUNDED, type DocumentKind, many, PASSES, REFUSED } from './line.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const persisted = (sha256Hash: string, version: unknown = 1) => ({
  persistedQuery: { version, sha256Hash },
});
const BAD_REQUEST = { status: [400], codes: /^BAD_REQUEST$/, maxBytes: 16_384 };
const TYPE_NAME = '{__typename}';

/** Bodies that are JSON but no executable operation. */
export const SHAPES: DocumentKind = {
  kind: 'requests of an odd shape',
  as: ['stranger', 'key'],
  ways: ['POST'],
  gets: { ...BAD_REQUEST, status: [400, 401], codes: /^(BAD_REQUEST|UNAUTHORIZED)$/ },
  lines: {
    'an empty batch': [],
    'a batch of eleven': Array.from({ length: 11 }, () => ({ query: TYPE_NAME })),
    'a batch of a thousand': Array.from({ length: 1_000 }, () => ({ query: TYPE_NAME })),
    'a batch of nothing': [null],
    'a batch of a batch': [[{ query: TYPE_NAME }]],
    'a batch of numbers': [1, 2],
    'a document that is a number': { query: 1 as never },
    'a document that is empty': '',
    'a document that is blank': ' \n\t',
    'a document of one NUL': '\u0000',
    'variables that are a list': { query: TYPE_NAME, variables: [] },
    'variables that are a string': { query: TYPE_NAME, variables: '{}' },
    'an operation name that is a list': { query: TYPE_NAME, operationName: ['A'] as never },
    'an unknown operation name': { query: 'query A{__typename}', operationName: 'B' },
    'an operation name of the prototype': {
      query: 'query A{__typename}',
      operationName: '__proto__',
    },
    'two operations, and no name': 'query A{__typename} query B{__typename}',
    'a subscription': 'subscription{__typename}',
    'extensions that are a string': { query: TYPE_NAME, extensions: 'x' } as never,
    'a malformed hash': { query: TYPE_NAME, extensions: persisted('x') } as never,
    'a hash of another document': {
      query: TYPE_NAME,
      extensions: persisted(hashOf('{x}')),
    } as never,
    'a hash of another version': { query: '{x}', extensions: persisted(hashOf('{x}'), 2) } as never,
    'a hash that is an object': { query: '{x}', extensions: persisted({} as never) } as never,
  },
};

/** Hashes of unknown documents. */
export const UNKNOWN_HASHES: DocumentKind = {
  kind: 'persisted queries that are not known',
  as: ['stranger', 'key'],
  ways: ['POST'],
  gets: { status: [404], codes: /^PERSISTED_QUERY_NOT_FOUND$/, maxBytes: 4_096 },
  lines: {
    'a hash alone': { extensions: persisted('0'.repeat(64)) } as never,
    'a hash and an operation name of 20 KB': {
      extensions: persisted('1'.repeat(64)),
      operationName: 'n'.repeat(20_000),
    } as never,
  },
};

/** Values that are deep, long or many. */
export const VALUES: DocumentKind = {
  kind: 'values that are deep, long or many',
  as: ['key', 'token'],
  ways: ['POST', 'batch'],
  gets: { ...REFUSED, status: [200, 400, 413] },
  lines: {
    '1,001 emails': emails(1_001),
    '50,000 emails': emails(50_000),
    '30,000 ids': {
      query: NODES(),
      variables: { i: Array.from({ length: 30_000 }, (_, n) => `id-${n}`) },
    },
    '50,000 values of the wrong type': {
      query: NODES(),
      variables: { i: Array.from({ length: 50_000 }, () => ({})) },
    },
    'a value of the wrong type that is long': {
      query: NODES(),
      variables: { i: [{ a: 'x'.repeat(90_000) }] },
    },
    'a page of ten thousand':
      '{searchContacts(filter:{emailDomain:"example.com"},first:10000){totalCount}}',
    'a cursor of 90 KB': {
      query:
        'query($c:String){searchContacts(filter:{emailDomain:"example.com"},after:$c){totalCount}}',
      variables: { c: 'x'.repeat(90_000) },
    },
    'a provider of 90 KB': {
      query:
        'query($p:ProviderName){searchContacts(provider:$p,filter:{email:"a@b.c"}){totalCount}}',
      variables: { p: 'X'.repeat(90_000) },
    },
    'a default that is long': `query($a:[Int!]=[${'1 '.repeat(20_000)}]){nodes(ids:$a){id}}`,
    '300 root fields': `{${many(300, (n) => `a${n}:customer{name}`)}}`,
    '2,000 aliases': `{customer{${many(2_000, (n) => `a${n}:name`)}}}`,
    'thirty levels': `{customer${'{connections{searchContacts(filter:{email:"a@b.c"}){nodes'.repeat(8)}{id}${'}}}'.repeat(8)}}`,
  },
};

/** A kind of its own: the cost depends on stored data, or on the CRM's data. */
export const HEAVY_DATA: DocumentKind = {
  kind: 'data that weighs more than its fields',
  as: ['key', 'token'],
  ways: ['POST', 'batch'],
  gets: { ...BOUNDED, codes: /^(BAD_REQUEST|PAYLOAD_TOO_LARGE|FORBIDDEN)$/ },
  lines: {
    'the records of 1,000 contacts under 150 aliases': `{searchContacts(filter:{emailDomain:"example.com"},first:1000){nodes{${many(150, (n) => `r${n}:rawData`)}}}}`,
    'the records of 1,000 contacts in ten pages': `{${many(10, (n) => `p${n}:searchContacts(filter:{emailDomain:"example.com"},first:1000){nodes{rawData} edges{node{rawData}}}`)}}`,
    'ids of 1,000 contacts under 900 aliases': `{searchContacts(filter:{emailDomain:"example.com"},first:1000){nodes{${many(900, (n) => `i${n}:id`)}}}}`,
    'stored configuration under 100 aliases': `{${many(100, (n) => `c${n}:customer(customerId:"stuffed"){connections{${CONFIG()}}}`)}}`,
    'stored configuration within one customer': `{customer(customerId:"stuffed"){connections{${many(100, (n) => `m${n}:schemaMappingsConfig{standardObjects{fieldMappings{schemaField}}}`)}}}}`,
    'a name of 60 KB under 900 aliases': `{customer(customerId:"stuffed"){${many(900, (n) => `n${n}:name`)}}}`,
    'a thousand nodes under ten aliases': ({ ids }) => ({
      query: `query($i:[ID!]!){${many(10, (n) => `n${n}:nodes(ids:$i){...on Contact{rawData emailAddresses{emailAddress}}}`)}}`,
      variables: { i: ids },
    }),
  },
};

/** Ordinary operations, which must keep working. */
export const ORDINARY: DocumentKind = {
  kind: 'ordinary operations',
  as: ['key', 'token'],
  ways: ['POST', 'GET'],
  gets: PASSES,
  lines: {
    'a look-up': '{searchContacts(filter:{email:"ada@example.com"}){nodes{id firstName}}}',
    'a page of 1,000 contacts with all their fields': `{searchContacts(filter:{emailDomain:"example.com"},first:1000){${PAGE()}}}`,
    '150 look-ups under aliases': `{${many(150, (n) => `a${n}:searchContacts(filter:{email:"ada@example.com"}){nodes{id}}`)}}`,
    'a customer with connections': '{customer{name connections{providerName status}}}',
    'all providers': '{providers{name category}}',
    '200 contacts with their records':
      '{searchContacts(filter:{emailDomain:"example.com"},first:200){nodes{id rawData}}}',
  },
};

function emails(count: number) {
  const variables = { e: Array.from({ length: count }, (_, n) => `p${n}@e.io`) };
  return {
    query: 'query($e:[String!]){searchContacts(filter:{emails:$e}){totalCount}}',
    variables,
  };
}

function NODES(): string {
  return 'query($i:[ID!]!){nodes(ids:$i){id}}';
}

function CONFIG(): string {
  return 'schemaMappingsConfig{standardObjects{object fieldMappings{schemaField mappedField}}}';
}

function PAGE(): string {
  return 'totalCount pageInfo{hasNextPage endCursor} nodes{id remoteId firstName lastName emailAddresses{emailAddress emailAddressType} phoneNumbers{phoneNumber} addresses{street1 city country} lifecycleStage ownerId accountId createdAt updatedAt isDeleted}';
}
