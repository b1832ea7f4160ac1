import { graphql, type Row, refused, rest, row } from '../row.ts';

const PUT = 'PUT /oauth_clients/hubspot';
const CLIENT = { client_id: 'id-1', client_secret: 'a-secret-of-the-app' };
const INPUT = { provider: 'HUBSPOT', clientId: 'id-1', clientSecret: 'a-secret-of-the-app' };
const SET = `mutation ($input: SetOAuthClientInput!) { setOAuthClient(input: $input) { oauthClient { provider clientId } } }`;
/** Another application's: the demo goes on with the sandbox. */
const as = 'other' as const;

/** What is promised of the apps that an application has registered with providers. */
export const OAUTH_CLIENT_ROWS: readonly Row[] = [
  row(
    '§13',
    'An application sets its own OAuth client, and the secret never comes out',
    rest(PUT, CLIENT, { as }),
    {
      status: 200,
      body: (body) => body.client_id === 'id-1' && !JSON.stringify(body).includes('secret'),
    },
  ),
  row('§13', 'setOAuthClient does the same', graphql(SET, { as, variables: { input: INPUT } }), {
    body: { data: { setOAuthClient: { oauthClient: { provider: 'HUBSPOT', clientId: 'id-1' } } } },
  }),
  row('§13', 'A client secret with spaces is 422', rest(PUT, { ...CLIENT, client_secret: 'a b' }, { as }), {
    ...refused(422),
  }),
  row(
    '§13',
    'An OAuth client without a secret is 400',
    rest(PUT, { client_id: 'id-1' }, { as }),
    refused(400),
  ),
  row(
    '§13',
    'An OAuth client of a provider that cannot be connected is 501',
    rest('PUT /oauth_clients/gong', CLIENT, { as }),
    refused(501, 'NOT_IMPLEMENTED'),
  ),
  row(
    '§13',
    'A customer token changes no OAuth client',
    rest(PUT, CLIENT, { as: 'token' }),
    refused(403, 'FORBIDDEN'),
  ),
  row(
    '§13',
    'Another application’s OAuth client does not exist for a caller',
    rest('DELETE /oauth_clients/hubspot'),
    refused(404, 'NOT_FOUND'),
  ),
  row('§13', 'An OAuth client is deleted', rest('DELETE /oauth_clients/hubspot', undefined, { as }), {
    status: 204,
  }),
];
