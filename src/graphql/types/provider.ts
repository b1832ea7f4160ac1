import { type Connection, connection } from '../../domain/connection.ts';
import { associatedObject } from '../../domain/contact.ts';
import { category, providerName } from '../../domain/provider-names.ts';
import { findMissingScopes, listProviders, type ProviderFacts } from '../../usecases/list-providers.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { enumOf, exposeFields, registerObject } from '../from-shape.ts';
import { ContactConnectionType } from './contact.ts';
import { NodeInterface } from './node.ts';
import { search, searchArguments, searchCosts } from './search-contacts.ts';

export const ProviderNameEnum = enumOf(providerName);

const ProviderType = builder.objectRef<ProviderFacts>('Provider').implement({
  description: 'A tool that can be connected, and what Crossbook can do with it.',
  fields: (t) => ({
    name: t.expose('name', { type: ProviderNameEnum, description: 'Which tool it is.' }),
    category: t.expose('category', { type: enumOf(category), description: 'What kind of tool it is.' }),
    canSearchContacts: t.exposeBoolean('canSearchContacts', {
      description: 'Can its contacts be searched? Where this is false, a search answers NOT_IMPLEMENTED.',
    }),
    associatedObjects: t.expose('associatedObjects', {
      type: [enumOf(associatedObject)],
      description: 'What the associations of its contacts can lead to. Empty where it offers none.',
      ...costs({ items: 3 }),
    }),
  }),
});

builder.queryField('providers', (t) =>
  t.field({
    type: [ProviderType],
    description:
      'All tools that can be connected, with what each can do: hide what would answer NOT_IMPLEMENTED. Needs an API key or a customer token, like every field that is not about the schema itself.',
    ...costs({ items: 18 }),
    resolve: (_root, _args, context) => listProviders(context),
  }),
);

export const ConnectedProviderType = registerObject(
  connection,
  builder.objectRef<Connection>('ConnectedProvider').implement({
    description: connection.description,
    interfaces: [NodeInterface],
    fields: (t) => ({
      ...exposeFields(t, connection, {
        omit: ['id'],
        resolve: {
          missingScopes: (record: Connection, _args, { providers }) => findMissingScopes(providers, record),
        },
      }),
      searchContacts: t.field({
        type: ContactConnectionType,
        nullable: true,
        description:
          'Finds the customer’s contacts in this tool. Null, with an error at its path, where that fails.',
        args: searchArguments,
        ...searchCosts,
        resolve: ({ customerId, providerName }, args, context, info) =>
          search({ target: { customerId, provider: providerName }, args, context, info }),
      }),
    }),
  }),
);
