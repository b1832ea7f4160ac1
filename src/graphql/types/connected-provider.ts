import { type Connection, connection } from '../../domain/connection.ts';
import { findMissingScopes } from '../../usecases/list-providers.ts';
import { builder } from '../builder.ts';
import { exposeFields, registerObject } from '../from-shape.ts';
import { ContactConnectionType } from './contact-connection.ts';
import { NodeInterface } from './node.ts';
import { search, searchArguments, searchCosts } from './search-contacts.ts';

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
