import type { Row } from '../row.ts';
import { AGENT_ROWS } from './agents.ts';
import { CALLER_ROWS } from './callers.ts';
import { CONNECT_ROWS } from './connect.ts';
import { CONNECT_LINK_ROWS } from './connect-links.ts';
import { ERROR_ROWS } from './errors.ts';
import { FEDERATION_ROWS } from './federation.ts';
import { FILTER_ROWS } from './filters.ts';
import { GRAPHQL_ROWS } from './graphql.ts';
import { LIFECYCLE_ROWS } from './lifecycle.ts';
import { OAUTH_CLIENT_ROWS } from './oauth-clients.ts';
import { OVER_HTTP_ROWS } from './over-http.ts';
import { REST_ROWS } from './rest.ts';
import { SEARCH_ROWS } from './search.ts';
import { UPSERT_ROWS } from './upsert.ts';
import { WEBHOOK_ROWS } from './webhooks.ts';

/** The contract of the product beyond the specification, by section. */
export const CONTRACT: readonly Row[] = [
  ...CALLER_ROWS,
  ...GRAPHQL_ROWS,
  ...OVER_HTTP_ROWS,
  ...FEDERATION_ROWS,
  ...REST_ROWS,
  ...ERROR_ROWS,
  ...SEARCH_ROWS,
  ...UPSERT_ROWS,
  ...CONNECT_ROWS,
  ...CONNECT_LINK_ROWS,
  ...WEBHOOK_ROWS,
  ...LIFECYCLE_ROWS,
  ...OAUTH_CLIENT_ROWS,
  ...FILTER_ROWS,
  ...AGENT_ROWS,
];
