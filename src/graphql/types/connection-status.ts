import type { ConnectedAccount } from '../../domain/authorization.ts';
import type { ConnectionStatus, StatusReason } from '../../domain/connection.ts';
import { builder } from '../builder.ts';
import { toEnumValues } from './enum-values.ts';

export const ConnectionStatusEnum = builder.enumType('ConnectionStatus', {
  description: 'Can a connection be used?',
  values: toEnumValues<ConnectionStatus>({
    connected: 'It has credentials, and they are not known to be refused.',
    reauthorize: 'The provider has refused its credentials: the customer has to connect again.',
    unauthorized: 'It has no credentials yet.',
  }),
});

export const StatusReasonEnum = builder.enumType('StatusReason', {
  description: 'Why a connection cannot be used.',
  values: toEnumValues<StatusReason>({
    no_credentials: 'None were given yet.',
    credentials_cleared: 'An upsert has cleared them.',
    token_refused: 'The tool has refused the access token, and there is no refresh token to renew it with.',
    refresh_token_refused:
      'The tool has refused the refresh token: the customer has withdrawn it, or it has expired.',
  }),
});

export const ConnectedAccountType = builder.objectRef<ConnectedAccount>('ConnectedAccount').implement({
  description:
    'The account in a tool that a connection belongs to: a HubSpot portal, a Salesforce organisation.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The tool’s own id of the account.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'The account’s name, where the tool tells it.',
    }),
    url: t.exposeString('url', { nullable: true, description: 'Where a person opens the account.' }),
    userId: t.exposeID('userId', {
      nullable: true,
      description: 'The tool’s own id of the user who granted.',
    }),
  }),
});
