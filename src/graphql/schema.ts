import { GraphQLSchema } from 'graphql';
import { EXAMPLE_PROVIDERS } from '../domain/provider-names.ts';
import { builder } from './define/builder.ts';
import './types/node.ts';
import './types/contact.ts';
import './types/company.ts';
import './types/deal.ts';
import './types/links.ts';
import './types/lists.ts';
import './types/provider.ts';
import './types/customer.ts';
import './types/custom-fields.ts';
import './types/connect-links.ts';
import './types/branding.ts';
import './types/events.ts';
import './types/syncs.ts';
import './types/writes.ts';

builder.queryType({ description: 'Operations that read data.' });
builder.mutationType({ description: 'Operations that change data.' });

const DESCRIPTION = `Finds the contacts, companies and deals of your customers in their CRMs. Send your API key in the header \`x-api-key\`, from your server only, or a customer token in \`Authorization: Bearer\`. The headers \`x-customer-id\` and \`x-provider-name\` (e.g. \`${EXAMPLE_PROVIDERS.first}\`) are the defaults of the arguments \`customerId\` and \`provider\`.`;

/** Includes types that only gateways reach by reference. Federation's own additions are in `subgraph/`. */
export const entitySchema = new GraphQLSchema({
  ...builder.toSchema().toConfig(),
  description: DESCRIPTION,
});

/** The schema that clients see. */
export const apiSchema = toApi(entitySchema);

function toApi(schema: GraphQLSchema): GraphQLSchema {
  const { types, ...config } = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    types: types.filter(({ name }) => name !== 'ContactsByEmail'),
  });
}
