import { failed, graphql, type Row, refused, rest, row } from '../row.ts';

const URL = 'https://hooks.crossbook.invalid/crossbook';
const create = (url: string) =>
  rest('POST /webhook_endpoints', { url, event_types: ['connection.connected'] });
const UUID = /^[0-9a-f-]{36}$/;

/** The contract of events and of webhook endpoints. */
export const WEBHOOK_ROWS: readonly Row[] = [
  row('§13', 'An endpoint is created with 201, and its secret is shown', create(URL), {
    status: 201,
    body: {
      endpoint: { id: UUID, url: URL, enabled: true },
      secret: /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
    },
  }),
  row('§13', 'A list of endpoints shows no secret', [create(URL), rest('GET /webhook_endpoints')], {
    status: 200,
    body: ({ records }) => records.length > 0 && !JSON.stringify(records).includes('whsec_'),
  }),
  ...[
    'http://example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://10.0.0.1/',
    'https://a:b@example.com/',
  ].map((url) =>
    row(
      '§13',
      `A webhook URL that is not public is rejected: ${url}`,
      create(url),
      refused(422, 'UNPROCESSABLE_ENTITY'),
    ),
  ),
  row(
    '§13',
    'An unknown event type is 400',
    rest('POST /webhook_endpoints', { url: URL, event_types: ['connection.painted'] }),
    refused(400, 'BAD_REQUEST'),
  ),
  row(
    '§13',
    'An unknown endpoint is 404',
    rest('PATCH /webhook_endpoints/7d1f4b0e-9c0f-4a52-8f5e-0c6f3f1d2a10', { enabled: false }),
    refused(404, 'NOT_FOUND'),
  ),
  row('§13', 'Events are listed, the newest first', rest('GET /events?page_size=5'), {
    status: 200,
    body: ({ records }) =>
      records.length > 0 &&
      records.every((one: { id: string; created_at: string }, index: number) =>
        index === 0 ? UUID.test(one.id) : one.created_at <= records[index - 1].created_at,
      ),
  }),
  row(
    '§13',
    'GraphQL: the URL of a webhook endpoint must be public too',
    graphql(
      'mutation { createWebhookEndpoint(input: { url: "https://192.168.0.1/" }) { secret } }',
    ),
    failed('UNPROCESSABLE_ENTITY'),
  ),
];
