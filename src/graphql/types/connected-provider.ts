import type { Connection } from '../../domain/connection.ts';
import { findMissingScopes } from '../../usecases/find-missing-scopes.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import {
  ConnectionSyncConfigType,
  DEPRECATED_ENTITY_MAPPINGS,
  DEPRECATED_SCHEMA_MAPPINGS,
  EntityMappingType,
  SchemaMappingsConfigType,
} from './connection-config.ts';
import { ConnectedAccountType, ConnectionStatusEnum, StatusReasonEnum } from './connection-status.ts';
import { ContactConnectionType } from './contact-connection.ts';
import { NodeInterface } from './node.ts';
import { CategoryEnum, ProviderNameEnum } from './provider.ts';
import { search, searchArguments, searchCosts } from './search-contacts.ts';

export const ConnectedProviderType = builder.objectRef<Connection>('ConnectedProvider').implement({
  description: 'A tool that a customer has connected. Its credentials are kept, and never shown.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    applicationId: t.exposeID('applicationId', {
      description: 'The application that the customer belongs to: yours.',
    }),
    customerId: t.exposeID('customerId', { description: 'Your own id of the customer.' }),
    providerId: t.exposeID('providerId', {
      description: 'Stands for the tool within your application: the same for all of your customers.',
    }),
    providerName: t.expose('providerName', { type: ProviderNameEnum, description: 'Which tool it is.' }),
    category: t.expose('category', { type: CategoryEnum, description: 'What kind of tool it is.' }),
    instanceUrl: t.exposeString('instanceUrl', {
      nullable: true,
      description: 'Where the customer’s own instance of the tool is, where it has one.',
    }),
    schemaMappingsConfig: t.expose('schemaMappingsConfig', {
      type: SchemaMappingsConfigType,
      nullable: true,
      description: 'Which fields of the tool stand for yours, where data is modelled with objects.',
      deprecationReason: DEPRECATED_SCHEMA_MAPPINGS,
    }),
    entityMappings: t.expose('entityMappings', {
      type: [EntityMappingType],
      nullable: true,
      description:
        'Which objects and fields of the tool stand for yours, where data is modelled with entities.',
      deprecationReason: DEPRECATED_ENTITY_MAPPINGS,
      ...costs({ items: 5 }),
    }),
    connectionSyncConfig: t.expose('connectionSyncConfig', {
      type: ConnectionSyncConfigType,
      nullable: true,
      description: 'What this connection syncs otherwise than the rest.',
    }),
    status: t.expose('status', { type: ConnectionStatusEnum, description: 'Can it be used?' }),
    statusReason: t.expose('statusReason', {
      type: StatusReasonEnum,
      nullable: true,
      description: 'Why it cannot be used. Null where it can.',
    }),
    statusChangedAt: t.expose('statusChangedAt', {
      type: 'DateTime',
      description: 'When `status` last became what it is.',
    }),
    account: t.expose('account', {
      type: ConnectedAccountType,
      nullable: true,
      description:
        'The account in the tool that a connect link connected. Null where the credentials came by `upsertCustomer`.',
    }),
    grantedScopes: t.exposeStringList('grantedScopes', {
      description:
        'The OAuth scopes that the customer granted by a connect link. Empty where the credentials came by `upsertCustomer`.',
      ...costs({ items: 10 }),
    }),
    missingScopes: t.stringList({
      description:
        'The OAuth scopes that contacts cannot be read without, and that the customer did not grant by the connect link.',
      ...costs({ items: 2 }),
      resolve: (connection, _args, { providers }) => findMissingScopes(providers, connection),
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
});
