import { graphql, type Row, rest, row } from '../row.ts';

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

const report = (provider: string) =>
  rest(
    `DELETE /connect/callback/${provider}`,
    { client_id: 'a', company_id: 1, user_id: 1 },
    { as: 'nobody' },
  );

export const CONNECT_ROWS: readonly Row[] = [
  ...Object.entries(FIELDS).flatMap(([type, names]) =>
    names.map((name) =>
      row('§13', `${type} has ${name}`, SCHEMA, {
        body: ({ data }) =>
          data.__schema.types.some(
            (one: Type) => one.name === type && one.fields?.some((field) => field.name === name),
          ),
      }),
    ),
  ),
  row(
    '§19',
    'a report that an app was uninstalled is 401 without the secret of the app',
    report('pipedrive'),
    { status: 401, headers: { 'www-authenticate': /^Basic / } },
  ),
  row(
    '§19',
    'the callback of a provider that reports no uninstalled app is 405 for DELETE',
    report('hubspot'),
    { status: 405, headers: { allow: 'GET' } },
  ),
];

interface Type {
  readonly name: string;
  readonly fields: readonly { readonly name: string }[] | null;
}
