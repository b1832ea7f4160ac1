import { BOUNDED, type DocumentKind, many } from './line.ts';

/**
 * One long value that many fields receive, or many parents of one field that receives it: scanning all of it each
 * time does work that neither the document nor the response shows.
 */
export const WORK: DocumentKind = {
  kind: 'work that is done for each occurrence',
  as: ['key'],
  ways: ['POST'],
  gets: {
    ...BOUNDED,
    codes: /^(BAD_REQUEST|PAYLOAD_TOO_LARGE|NOT_FOUND|REMOTE_PROVIDER_RATE_LIMITED)$/,
  },
  lines: {
    'a list of 20,000 kinds, followed for each of 1,000 contacts': {
      query: `query($t:[AssociatedObject!]!){${CONTACTS('associations(to:$t){remoteId}')}}`,
      variables: { t: Array(20_000).fill('COMPANY') },
    },
    'the same list, written out': `{${CONTACTS(`associations(to:[${many(20_000, () => 'COMPANY')}]){remoteId}`)}}`,
    'one list of 1,000 emails under 20 aliases': {
      query: `query($e:[String!]){${many(20, (n) => `a${n}:searchContacts(filter:{emails:$e},first:1){totalCount}`)}}`,
      variables: { e: Array.from({ length: 1_000 }, (_, n) => `nobody${n}@example.com`) },
    },
    'one list of 1,000 ids under 100 aliases': ({ ids }) => ({
      query: `query($i:[ID!]!){${many(100, (n) => `a${n}:nodes(ids:$i){id}`)}}`,
      variables: { i: ids },
    }),
    'one list of 1,000 malformed ids, under 100 aliases': {
      query: `query($i:[ID!]!){${many(100, (n) => `a${n}:nodes(ids:$i){id}`)}}`,
      variables: { i: Array(1_000).fill('x') },
    },
    'one list of 1,000 malformed references, under 100 aliases': {
      query: `query($r:[_Any!]!){${many(100, (n) => `a${n}:_entities(representations:$r){__typename}`)}}`,
      variables: { r: Array.from({ length: 1_000 }, () => ({})) },
    },
    'a filter of 1,000 emails for each connection of ten customers': `{${many(10, (n) => `c${n}:customer(customerId:"stuffed"){connections{searchContacts(filter:{emails:[${many(1_000, (m) => `"p${m}@e.io"`)}]},first:1){totalCount}}}`)}}`,
    'a customer’s id of 200 KB under 190 aliases': {
      query: `query($c:ID){${many(190, (n) => `a${n}:customer(customerId:$c){name}`)}}`,
      variables: { c: 'c'.repeat(200_000) },
    },
    'a customer’s id of 900 KB in 1,000 references to customers': {
      query: `query($c:String){_entities(representations:[${many(1_000, () => '{__typename:"Customer" customerId:$c}')}]){__typename}}`,
      variables: { c: 'c'.repeat(900_000) },
    },
    'a CRM’s id of 900 KB in 1,000 references': {
      query: `query($c:String){_entities(representations:[${many(1_000, () => '{__typename:"Contact" customerId:"demo" provider:"HUBSPOT" remoteId:$c}')}]){__typename}}`,
      variables: { c: 'c'.repeat(900_000) },
    },
    'an email of 900 KB in 1,000 references': {
      gets: { ...BOUNDED, codes: /^(BAD_REQUEST|UNPROCESSABLE_ENTITY)$/ },
      sends: {
        query: `query($c:String){_entities(representations:[${many(1_000, () => '{__typename:"ContactsByEmail" customerId:"demo" provider:"HUBSPOT" email:$c}')}]){...on ContactsByEmail{contacts(first:0){id}}}}`,
        variables: { c: 'C'.repeat(900_000) },
      },
    },
    'a list of 200,000 texts as the id of 1,000 records': {
      query: `query($c:ID!){nodes(ids:[${many(1_000, () => '$c')}]){id}}`,
      variables: { c: Buffer.from(`[1${',""'.repeat(200_000)}]`).toString('base64url') },
    },
    'an id of 900 KB as 1,000 events to send again': {
      query: `mutation($c:ID!){redeliverEvents(input:{endpointId:"11111111-1111-4111-8111-111111111111",eventIds:[${many(1_000, () => '$c')}]}){scheduled}}`,
      variables: { c: 'c'.repeat(900_000) },
    },
    'an email of 900 KB of customers under 190 aliases': {
      query: `query($c:String){${many(190, (n) => `a${n}:customers(filter:{email:$c},first:1){nodes{name}}`)}}`,
      variables: { c: 'C'.repeat(900_000) },
    },
    'a customer’s id of 900 KB in 1,000 references to contacts': {
      query: `query($c:String){_entities(representations:[${many(1_000, () => '{provider:"a" customerId:$c}')}]){__typename}}`,
      variables: { c: 'c'.repeat(900_000) },
    },
    'a text of 900 KB as each of 1,000 references': {
      query: `query($r:_Any!){_entities(representations:[${many(1_000, () => '$r')}]){__typename}}`,
      variables: { r: 'c'.repeat(900_000) },
    },
    'a cursor of 200 KB under 190 aliases': {
      query: `query($c:String){${many(190, (n) => `a${n}:searchContacts(filter:{emailDomain:"example.com"},after:$c){totalCount}`)}}`,
      variables: { c: 'c'.repeat(200_000) },
    },
    'an id of 200 KB under 190 aliases': {
      query: `query($c:ID!){${many(190, (n) => `a${n}:node(id:$c){id}`)}}`,
      variables: { c: 'W'.repeat(200_000) },
    },
    'a domain of 200 KB under 190 aliases': {
      gets: { ...BOUNDED, codes: /^(BAD_REQUEST|UNPROCESSABLE_ENTITY)$/ },
      sends: {
        query: `query($d:String){${many(190, (n) => `a${n}:searchContacts(filter:{emailDomain:$d}){totalCount}`)}}`,
        variables: { d: 'a.'.repeat(100_000) },
      },
    },
    'an email of 200 KB under 190 aliases': {
      gets: { ...BOUNDED, codes: /^(BAD_REQUEST|UNPROCESSABLE_ENTITY)$/ },
      sends: {
        query: `query($d:String){${many(190, (n) => `a${n}:searchContacts(filter:{email:$d}){totalCount}`)}}`,
        variables: { d: `"${'a"'.repeat(100_000)}` },
      },
    },
    'a condition in each of 500 inline fragments, ninety deep': `query($b:Boolean=true){${many(5, () => `${'...on Query@include(if:$b){'.repeat(90)}a:__typename${'}'.repeat(90)}`)}}`,
    'one spread 14,500 times, in a fragment of 4,900 fields': `{${many(4_900, (n) => `x${n}{...S}`)}} fragment S on Query{${many(14_500, () => '...F')}}`,
    'ten levels of fragments, each spread twice': `{...F0} ${many(10, (n) => `fragment F${n} on Query{...F${n + 1} ...F${n + 1}}`)} fragment F10 on Query{__typename}`,
  },
};

function CONTACTS(fields: string): string {
  return `searchContacts(filter:{emailDomain:"example.com"},first:1000){nodes{${fields}}}`;
}

const CONFIGURATION =
  'schemaMappingsConfig{standardObjects{object fieldMappings{schemaField mappedField}}}';

/** Responses within all limits, or to the last of them, that are long to execute and to write. */
export const LONG_RESPONSES: DocumentKind = {
  kind: 'long responses',
  as: ['key'],
  ways: ['POST', 'batch'],
  gets: BOUNDED,
  lines: {
    'a thousand contacts with 90 type names in a fragment': ({ ids }) => ({
      query: `query($i:[ID!]!){nodes(ids:$i){...N}} fragment N on Node{${many(90, (n) => `t${n}:__typename`)}}`,
      variables: { i: ids },
    }),
    'a thousand contacts with lists': ({ ids }) => ({
      query: `query($i:[ID!]!){nodes(ids:$i){id ...on Contact{remoteId firstName lastName emailAddresses{emailAddress emailAddressType} phoneNumbers{phoneNumber} addresses{street1 city} updatedAt}}}`,
      variables: { i: ids },
    }),
    'the records of a thousand contacts under three aliases': ({ ids }) => ({
      query: `query($i:[ID!]!){nodes(ids:$i){...on Contact{${many(3, (n) => `r${n}:rawData`)}}}}`,
      variables: { i: ids },
    }),
    'the names of types under 190 aliases of the schema': `{${many(190, (n) => `s${n}:__schema{types{name}}`)}}`,
    'descriptions of fields under 20 aliases of the schema': `{${many(20, (n) => `s${n}:__schema{types{name fields{name description}}}`)}}`,
    'the providers under 190 aliases': `{${many(190, (n) => `p${n}:providers{name category associatedObjects}`)}}`,
    'twelve stored configurations under 15 aliases': `{${many(15, (n) => `c${n}:customer(customerId:"stuffed"){connections{${CONFIGURATION}}}`)}}`,
    'the same as the result of ten mutations': `mutation{${many(10, (n) => `u${n}:upsertCustomer(input:{customerId:"stuffed" name:"S" email:"stuffed@example.com"}){customer{connections{${CONFIGURATION}}}}`)}}`,
  },
};
