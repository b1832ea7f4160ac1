import { getIntrospectionQuery, type IntrospectionOptions } from 'graphql';
import { type DocumentKind, type Expecting, PASSES } from './line.ts';

const EVERYTHING = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};

/** The introspection queries of tools, verbatim: they must succeed for every caller. */
export const TOOLS: DocumentKind = {
  kind: 'introspection by tools',
  as: ['stranger', 'key', 'token'],
  ways: ['POST', 'GET'],
  gets: PASSES,
  lines: {
    'graphql-js, as it comes': introspection({}),
    'graphql-js with every option': introspection(EVERYTHING),
    'graphql-js without descriptions, as urql asks': introspection({ descriptions: false }),
    GraphiQL: introspection({ schemaDescription: true, inputValueDeprecation: true }),
    'graphql-codegen and graphql-tools': introspection({
      descriptions: true,
      schemaDescription: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
    }),
    'Apollo Sandbox': introspection({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
    }),
    'Relay and get-graphql-schema': introspection({
      descriptions: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
    }),
    'Hive, with types fifteen deep': introspection({ ...EVERYTHING, typeDepth: 12 }),
    'rover subgraph introspect': {
      gets: { ...PASSES, has: /"sdl":"/ },
      sends: {
        query:
          'query SubgraphIntrospectQuery {\n  # eslint-disable-next-line\n  _service {\n    sdl\n  }\n}',
        operationName: 'SubgraphIntrospectQuery',
        variables: {},
      },
    },
    'Apollo Gateway': {
      gets: { ...PASSES, has: /"sdl":"/ },
      sends: {
        query: 'query __ApolloGetServiceDefinition__ { _service { sdl } }',
        operationName: '__ApolloGetServiceDefinition__',
      },
    },
    'Apollo Gateway’s health check': {
      gets: { ...PASSES, has: /"__typename":"Query"/ },
      sends: 'query __ApolloServiceHealthCheck__ { __typename }',
    },
    'a load balancer': '{__typename}',
    'Banana Cake Pop, which asks first what can be asked':
      'query introspection_phase_1{schema:__type(name:"__Schema"){name fields{name}} type:__type(name:"__Type"){name fields{name args{name}}} directive:__type(name:"__Directive"){name fields{name args{name}}} field:__type(name:"__Field"){name fields{name}} inputValue:__type(name:"__InputValue"){name fields{name}}}',
    'Altair and Insomnia: all types, with what they are made of':
      '{__schema{queryType{name} mutationType{name} types{kind name description fields(includeDeprecated:true){name description args{name description type{kind name ofType{kind name ofType{kind name ofType{kind name}}}} defaultValue} type{kind name ofType{kind name ofType{kind name ofType{kind name}}}} isDeprecated deprecationReason} enumValues(includeDeprecated:true){name description}}}}',
    'a page of documentation for ten types': `{${['Contact', 'Customer', 'ConnectedProvider', 'Address', 'EmailAddress', 'PhoneNumber', 'ContactConnection', 'PageInfo', 'Provider', 'Query'].map((name) => `${name}:__type(name:"${name}"){name description fields{name description type{kind name ofType{kind name}} args{name description}}}`).join(' ')}}`,
    'a router: which types are entities': {
      gets: { ...PASSES, has: /"Customer"/ },
      sends: '{__type(name:"_Entity"){possibleTypes{name}}}',
    },
    'with a trace and client names beside it': {
      query: '{__schema{queryType{name}}}',
      extensions: { clientLibrary: { name: '@apollo/client', version: '4.0.0' } },
    },
  },
};

function introspection(options: IntrospectionOptions): Expecting {
  const sends = { query: getIntrospectionQuery(options), operationName: 'IntrospectionQuery' };
  return { gets: { ...PASSES, has: /"mutationType":\{"name":"Mutation"/ }, sends };
}
