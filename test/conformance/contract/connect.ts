import { graphql, type Row, row } from '../row.ts';

const SCHEMA = graphql('{ __schema { types { name fields(includeDeprecated: true) { name } } } }');

/** The contract of connecting, the end of customers, and webhooks. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Mutation: [
    'createConnectLink',
    'confirmConnectLink',
    'cancelConnectLink',
    'setOAuthClient',
    'createWebhookEndpoint',
    'rotateWebhookSecret',
  ],
  Query: ['connectLink', 'oauthClients', 'webhookEndpoints', 'events'],
};

export const CONNECT_ROWS: readonly Row[] = Object.entries(FIELDS).flatMap(([type, names]) =>
  names.map((name) =>
    row('§13', `${type} has ${name}`, SCHEMA, {
      body: ({ data }) =>
        data.__schema.types.some(
          (one: Type) => one.name === type && one.fields?.some((field) => field.name === name),
        ),
    }),
  ),
);

interface Type {
  readonly name: string;
  readonly fields: readonly { readonly name: string }[] | null;
}
