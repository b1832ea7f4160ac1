import { type Connection, connection } from '../../domain/connection.ts';
import { associatedObject } from '../../domain/contact.ts';
import { category, providerName } from '../../domain/provider-names.ts';
import { boolean, field, listOf, shape } from '../../domain/shape.ts';
import {
  findMissingScopes,
  listProviders,
  readStatusReason,
} from '../../usecases/list-providers.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { defineObject, objectOf } from '../from-shape.ts';
import { ContactConnectionType, search, searchArguments, searchCosts } from './contact.ts';
import { NODE_ID, NodeInterface } from './node.ts';

const provider = shape('Provider', 'A provider and its capabilities.', {
  name: field(providerName, 'Name of the provider.'),
  category: field(category, 'Category of the provider.'),
  canSearchContacts: field(
    boolean,
    'Whether its contacts can be searched. If not, a search fails with `NOT_IMPLEMENTED`.',
  ),
  canConnect: field(
    boolean,
    'Whether a customer can connect it by a connect link. If not, `createConnectLink` fails with `NOT_IMPLEMENTED`: set credentials with `upsertCustomer`.',
  ),
  associatedObjects: field(
    listOf(associatedObject),
    'Types of records that its contacts can be associated with. Empty if it supports none.',
    { items: 3 },
  ),
});

builder.queryField('providers', (t) =>
  t.field({
    type: [objectOf(provider)],
    description:
      'All providers with their capabilities: hide those that cannot be searched or connected, which would fail with `NOT_IMPLEMENTED`. Requires an API key or a customer token, like every field except introspection.',
    ...costs({ items: 18 }),
    resolve: (_root, _args, context) => listProviders(context),
  }),
);

defineObject<Connection>(connection, {
  name: 'ConnectedProvider',
  interfaces: [NodeInterface],
  resolvers: {
    statusReason: (record: Connection, _args, { providers }) => readStatusReason(providers, record),
    missingScopes: (record: Connection, _args, { providers }) =>
      findMissingScopes(providers, record),
  },
  fields: (t) => ({
    id: t.exposeID('id', NODE_ID),
    searchContacts: t.field({
      type: ContactConnectionType,
      nullable: true,
      description:
        'Searches the customer’s contacts at this provider. Null, with an error at its path, if that fails.',
      args: searchArguments,
      ...searchCosts,
      resolve: (record, args, context, info) => {
        const target = { customerId: record.customerId, provider: record.providerName };
        return search({ target, args, context, info });
      },
    }),
  }),
});
