import { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './types/scalars.ts';
import './types/provider.ts';
import './types/search-contacts.ts';
import './types/contacts-by-email.ts';
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

/** With what only references of gateways lead to. What they need in addition is in `subgraph/`. */
export const entitySchema = builder.toSchema();

/** The API as its clients know it. */
export const apiSchema = toApi(entitySchema);

function toApi(schema: GraphQLSchema): GraphQLSchema {
  const { types, ...config } = schema.toConfig();
  return new GraphQLSchema({ ...config, types: types.filter(({ name }) => name !== 'ContactsByEmail') });
}
