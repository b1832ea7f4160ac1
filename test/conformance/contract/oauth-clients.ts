import { graphql, type Row, refused, rest, row } from '../row.ts';

const PUT = 'PUT /oauth_clients/hubspot';
const CLIENT = { client_id: 'id-1', client_secret: 'a-secret-of-the-app' };
const INPUT = { provider: 'HUBSPOT', clientId: 'id-1', clientSecret: 'a-secret-of-the-app' };
const SET = `mutation ($input: SetOAuthClientInput!) { setOAuthClient(input: $input) { oauthClient { provider clientId } } }`;
/** An application of its own, so that the demo keeps using the sandbox. */
const as = 'other' as const;

/** The contract of the OAuth clients that an application has registered with providers. */
export const OAUTH_CLIENT_ROWS: readonly Row[] = [
  row(
    '§13',
    'An application sets its own OAuth client, and the secret is never returned',
    rest(PUT, CLIENT, { as }),
    {
      status: 200,
      body: (body) => body.client_id === 'id-1' && !JSON.stringify(body).includes('secret'),
    },
  ),
  row(
    '§13',
    'GraphQL: setOAuthClient does the same as REST',
    graphql(SET, { as, variables: { input: INPUT } }),
    {
      body: {
        data: { setOAuthClient: { oauthClient: { provider: 'HUBSPOT', clientId: 'id-1' } } },
      },
    },
  ),
  row(
    '§13',
    'A client secret with spaces is 422',
    rest(PUT, { ...CLIENT, client_secret: 'a b' }, { as }),
    {
      ...refused(422),
    },
  ),
  row(
    '§13',
    'An OAuth client without a secret is 400',
    rest(PUT, { client_id: 'id-1' }, { as }),
    refused(400),
  ),
  row(
    '§13',
    'An OAuth client of a provider without OAuth is 501',
    rest('PUT /oauth_clients/gong', CLIENT, { as }),
    refused(501, 'NOT_IMPLEMENTED'),
  ),
  row(
    '§13',
    'A customer token cannot change an OAuth client',
    rest(PUT, CLIENT, { as: 'token' }),
    refused(403, 'FORBIDDEN'),
  ),
  row(
    '§13',
    'Another application’s OAuth client does not exist',
    rest('DELETE /oauth_clients/hubspot'),
    refused(404, 'NOT_FOUND'),
  ),
  row(
    '§13',
    'An OAuth client is deleted',
    rest('DELETE /oauth_clients/hubspot', undefined, { as }),
    {
      status: 204,
    },
  ),
];
