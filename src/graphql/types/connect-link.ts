import type {
  CONNECT_FAILURES,
  CONNECT_LINK_STATUSES,
  CONNECT_MODES,
  ConnectLink,
} from '../../domain/connect-link.ts';
import { findConnectLink } from '../../usecases/connect-link.ts';
import { builder } from '../builder.ts';
import { ConnectedProviderType } from './connected-provider.ts';
import { toEnumValues } from './enum-values.ts';
import { NodeInterface } from './node.ts';

export const ConnectModeEnum = builder.enumType('ConnectMode', {
  description: 'How a customer comes back from a link.',
  values: toEnumValues<(typeof CONNECT_MODES)[number]>({
    REDIRECT: 'The browser is sent back to `returnUrl`.',
    POPUP: 'The link is opened in a window, which tells the page that opened it.',
  }),
});

const ConnectLinkStatusEnum = builder.enumType('ConnectLinkStatus', {
  description: 'How far a link has come.',
  values: toEnumValues<(typeof CONNECT_LINK_STATUSES)[number]>({
    PENDING: 'Nobody has pressed its button yet.',
    STARTED: 'Somebody was sent to the provider.',
    AWAITING_CONFIRMATION: 'The customer has agreed: redeem the one-time code with `confirmConnectLink`.',
    COMPLETED: 'The connection is there.',
    FAILED: 'It ended without a connection: see `failure`.',
    EXPIRED: 'Its time was up.',
    CANCELED: 'You withdrew it.',
  }),
});

const ConnectFailureEnum = builder.enumType('ConnectFailure', {
  description: 'Why a link ended without a connection.',
  values: toEnumValues<(typeof CONNECT_FAILURES)[number]>({
    ACCESS_DENIED: 'The customer did not agree.',
    EXPIRED: 'Its time was up.',
    ALREADY_USED: 'It had ended before.',
    WRONG_BROWSER: 'Another browser came back than the one that was sent.',
    NOT_CONFIRMED: 'The one-time code was not redeemed within ten minutes.',
    ACCOUNT_MISMATCH: 'It is another account than before, and the link does not allow that.',
    MISSING_SCOPES: 'Not all scopes that are needed were granted.',
    NO_REFRESH_TOKEN: 'The provider gave access for a moment only.',
    ADMIN_APPROVAL_REQUIRED: 'An administrator of the account has to approve the app first.',
    VENDOR_REFUSED: 'The provider refused for another reason.',
    VENDOR_UNAVAILABLE: 'The provider could not be reached.',
  }),
});

export const ConnectLinkType = builder.objectRef<ConnectLink>('ConnectLink').implement({
  description:
    'A link by which one customer connects one CRM, once. Its URL is shown when it is made, and never again.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    status: t.expose('status', { type: ConnectLinkStatusEnum, description: 'How far it has come.' }),
    failure: t.expose('failure', {
      type: ConnectFailureEnum,
      nullable: true,
      description: 'Why it ended without a connection. Null where it did not.',
    }),
    connection: t.field({
      type: ConnectedProviderType,
      nullable: true,
      description: 'What it has connected. Null until it is COMPLETED, and where that was removed since.',
      async resolve({ customerId, connectionId }, _args, context) {
        const customer = connectionId === null ? undefined : await context.loadCustomer(customerId);
        return customer?.connections.find(({ id }) => id === connectionId) ?? null;
      },
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was made.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Until when it can be followed.',
      resolve: ({ expiresAt }) => expiresAt.toISOString(),
    }),
  }),
});

builder.queryField('connectLink', (t) =>
  t.field({
    type: ConnectLinkType,
    nullable: true,
    description:
      'One connect link: its status says how far the customer has come. A customer token reads the links of its customer.',
    args: { id: t.arg.id({ required: true, description: 'The link’s id.' }) },
    resolve: (_root, { id }, context) => findConnectLink(context, { id }),
  }),
);
