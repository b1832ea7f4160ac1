import { type Connection, connection } from '../../domain/connection.ts';
import { associatedObject } from '../../domain/contact.ts';
import { category, providerName } from '../../domain/provider-names.ts';
import { boolean, field, listOf, shape } from '../../domain/shape.ts';
import { findMissingScopes, listProviders } from '../../usecases/list-providers.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { exposeFields, objectOf, registerObject } from '../from-shape.ts';
import { ContactConnectionType, search, searchArguments, searchCosts } from './contact.ts';
import { NODE_ID, NodeInterface } from './node.ts';

const provider = shape('Provider', 'A tool that can be connected, and what Crossbook can do with it.', {
  name: field(providerName, 'Which tool it is.'),
  category: field(category, 'What kind of tool it is.'),
  canSearchContacts: field(
    boolean,
    'Can its contacts be searched? Where this is false, a search answers NOT_IMPLEMENTED.',
  ),
  associatedObjects: field(
    listOf(associatedObject),
    'What the associations of its contacts can lead to. Empty where it offers none.',
    { items: 3 },
  ),
});

builder.queryField('providers', (t) =>
  t.field({
    type: [objectOf(provider)],
    description:
      'All tools that can be connected, with what each can do: hide what would answer NOT_IMPLEMENTED. Needs an API key or a customer token, like every field that is not about the schema itself.',
    ...costs({ items: 18 }),
    resolve: (_root, _args, context) => listProviders(context),
  }),
);

registerObject(
  connection,
  builder.objectRef<Connection>('ConnectedProvider').implement({
    description: connection.description,
    interfaces: [NodeInterface],
    fields: (t) => ({
      ...exposeFields(t, connection, {
        missingScopes: (record: Connection, _args, { providers }) => findMissingScopes(providers, record),
      }),
      id: t.exposeID('id', NODE_ID),
      searchContacts: t.field({
        type: ContactConnectionType,
        nullable: true,
        description:
          'Finds the customer’s contacts in this tool. Null, with an error at its path, where that fails.',
        args: searchArguments,
        ...searchCosts,
        resolve: (record, args, context, info) => {
          const target = { customerId: record.customerId, provider: record.providerName };
          return search({ target, args, context, info });
        },
      }),
    }),
  }),
);
