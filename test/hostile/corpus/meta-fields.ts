import { BOUNDED, type DocumentKind, many, UNAUTHORIZED } from './line.ts';

const DESCRIPTIONS = 'fragment A on __Field{';
const T = '__schema{types';

/** Introspection whose response is far longer than the query. */
export const META_FIELDS: DocumentKind = {
  kind: 'meta fields that multiply',
  as: ['stranger', 'key'],
  ways: ['POST', 'GET', 'batch'],
  gets: BOUNDED,
  lines: {
    '250 aliases of fields, each with 250 descriptions': `{${T}{${many(250, (n) => `f${n}:fields{...A}`)}}}} ${DESCRIPTIONS}${many(250, (n) => `a${n}:description`)}}`,
    '150 by 150': `{${T}{${many(150, (n) => `f${n}:fields{...A}`)}}}} ${DESCRIPTIONS}${many(150, (n) => `a${n}:description`)}}`,
    '700 aliases of all types': `{__schema{${many(700, (n) => `t${n}:types{...F}`)}}} fragment F on __Type{name description}`,
    '60 aliases of the whole schema': `{${many(60, (n) => `s${n}:__schema{types{fields{description args{description}}}}`)}}`,
    '990 type names for each type': `{${T}{${many(990, (n) => `t${n}:__typename`)}}}}`,
    '990 type names for each field': `{${T}{fields{${many(990, (n) => `t${n}:__typename`)}}}}}`,
    '900 documents of the subgraph': `{_service{${many(900, (n) => `s${n}:sdl`)}}}`,
    '190 services of five documents': `{${many(190, (n) => `s${n}:_service{${many(5, (m) => `d${m}:sdl`)}}`)}}`,
    'one type under 190 aliases, each with five lists': `{${many(190, (n) => `t${n}:__type(name:"Contact"){${many(5, (m) => `f${m}:fields{description}`)}}`)}}`,
    'the enum of providers under 200 aliases': `{${many(200, (n) => `t${n}:__type(name:"ProviderName"){enumValues(includeDeprecated:true){name description isDeprecated deprecationReason}}`)}}`,
    'a type whose name comes from a variable, 190 times': {
      query: `query($n:String!){${many(190, (n) => `t${n}:__type(name:$n){...F}`)}} fragment F on __Type{fields{name description type{fields{name description}}}}`,
      variables: { n: 'Contact' },
    },
    'fields of the types of fields, six deep': `{${T}{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}`,
    'the types that have the interfaces of types': `{${T}{possibleTypes{interfaces{possibleTypes{interfaces{possibleTypes{interfaces{possibleTypes{name description fields{description}}}}}}}}}}}`,
    'the inputs of inputs': `{${T}{inputFields{type{ofType{inputFields{type{ofType{inputFields{type{ofType{inputFields{name description}}}}}}}}}}}}}`,
    'types that double at each of twelve fragments': `{__type(name:"Query"){...F0}} ${many(12, (n) => `fragment F${n} on __Type{a:fields{type{...F${n + 1}}} b:fields{type{...F${n + 1}}}}`)} fragment F12 on __Type{name}`,
    'a fragment spread from 900 places': `{${T}{fields{${many(900, (n) => `x${n}:type{...F}`)}}}} } fragment F on __Type{kind name description}`,
    'arguments of directives, 900 times': `{__schema{${many(900, (n) => `d${n}:directives{args{description defaultValue type{name}}}`)}}}`,
    'descriptions behind 490 directives': `{${T}{${many(490, (n) => `d${n}:description @include(if:true)`)}}}}`,
    'inline fragments, a thousand deep in width': `{__schema{${many(1_000, (n) => `...on __Schema{t${n}:types{name}}`)}}}`,
    'a small operation beside a huge one': {
      query: `query A{__typename} query B{${T}{${many(250, (n) => `f${n}:fields{...A}`)}}}} ${DESCRIPTIONS}${many(250, (n) => `a${n}:description`)}}`,
      operationName: 'A',
    },
    'meta fields beside data that is refused': `{customer{name} __schema{${many(700, (n) => `t${n}:types{...F}`)}}} fragment F on __Type{name description}`,
    'the same response name merged 3,000 times': `{${T}{${many(3_000, () => 'fields{name description}')}}}}`,
    'long aliases for short values': `{${T}{${many(40, (n) => `${'a'.repeat(300)}${n}:kind`)}}}}`,
    'a query that introspects by mutation': `mutation{${many(500, (n) => `t${n}:__typename`)}}`,
    'type names of the root alone, 990 times': `{${many(990, (n) => `t${n}:__typename`)}}`,
  },
};

/** `__typename` within data: it needs credentials, and costs as much as its size. */
export const TYPE_NAMES: DocumentKind = {
  kind: 'type names in lists',
  as: ['key', 'token'],
  ways: ['POST', 'batch'],
  gets: BOUNDED,
  lines: {
    'a thousand entities with 990 type names': {
      query: `query($r:[_Any!]!){_entities(representations:$r){${many(990, (n) => `t${n}:__typename`)}}}`,
      variables: {
        r: Array.from({ length: 1_000 }, () => ({ __typename: 'Customer', customerId: 'demo' })),
      },
    },
    'a thousand unknown entities': {
      query: `query($r:[_Any!]!){_entities(representations:$r){${many(500, (n) => `t${n}:__typename`)}}}`,
      variables: {
        r: Array.from({ length: 1_000 }, (_, n) => ({ __typename: 'Contact', id: `none-${n}` })),
      },
    },
    'a thousand nodes with 990 type names': ({ ids }) => ({
      query: `query($i:[ID!]!){nodes(ids:$i){${many(990, (n) => `t${n}:__typename`)}}}`,
      variables: { i: ids },
    }),
    'all providers with 990 type names': `{${many(100, (n) => `p${n}:providers{${many(9, (m) => `t${m}:__typename`)}}`)}}`,
    'type names of contacts, in edges and nodes': `{searchContacts(filter:{emailDomain:"example.com"},first:1000){edges{${many(400, (n) => `t${n}:__typename`)}} nodes{${many(400, (n) => `t${n}:__typename`)}}}}`,
    'type names of addresses within contacts': `{searchContacts(filter:{emailDomain:"example.com"},first:1000){nodes{emailAddresses{${many(500, (n) => `t${n}:__typename`)}} addresses{${many(400, (n) => `a${n}:__typename`)}}}}}`,
    'type names of a customer, hidden in fragments on its interface': `{${many(180, (n) => `c${n}:customer{...N}`)}} fragment N on Node{${many(800, (n) => `t${n}:__typename`)}}`,
  },
};

/** Unauthenticated requests for data, in forms that a check of root field names could miss. */
export const DATA_FOR_STRANGERS: DocumentKind = {
  kind: 'data that a stranger asks for',
  as: ['stranger'],
  ways: ['POST', 'GET'],
  gets: UNAUTHORIZED,
  lines: {
    'a customer': '{customer(customerId:"demo"){name}}',
    'a customer beside the schema': '{__typename customer(customerId:"demo"){name}}',
    'providers under the name of a meta field': '{__schema:providers{name}}',
    'a search in an operation that is not run': {
      query: 'query A{__typename} query B{searchContacts(filter:{email:"a@b.c"}){nodes{id}}}',
      operationName: 'A',
    },
    'a search in an unused fragment': {
      gets: { ...UNAUTHORIZED, status: [400, 401], codes: /^(BAD_REQUEST|UNAUTHORIZED)$/ },
      sends: '{__typename} fragment F on Query{searchContacts(filter:{email:"a@b.c"}){totalCount}}',
    },
    entities:
      '{_entities(representations:[{__typename:"Customer",customerId:"demo"}]){__typename}}',
    'a customer behind a condition that is false':
      '{__typename ...on Query @include(if:false){customer{name}}}',
    'a node at the end of fifty fragments': `{...F0} ${many(50, (n) => `fragment F${n} on Query{...F${n + 1}}`)} fragment F50 on Query{node(id:"x"){id}}`,
  },
};
