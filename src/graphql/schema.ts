import { builder } from './builder.ts';
import './types/scalars.ts';
import './types/provider.ts';
import './types/search-contacts.ts';
import './types/customer.ts';
import './types/nodes.ts';
import './types/upsert-customer.ts';
import './types/issue-customer-token.ts';
import './types/customer-connection.ts';
import './types/delete-customer.ts';
import './types/disconnect-provider.ts';
import './types/create-connect-link.ts';
import './types/connect-link-mutations.ts';
import './types/webhook-endpoint.ts';
import './types/manage-webhooks.ts';
import './types/event-connection.ts';
import './types/oauth-client.ts';

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed.' });

/** The API as its clients know it. What gateways need in addition is in `federation.ts`. */
export const apiSchema = builder.toSchema();
