import {
  type CONNECT_FAILURES,
  type CONNECT_LINK_STATUSES,
  type CONNECT_MODES,
  type ConnectLink,
  DEFAULT_LINK_SECONDS,
  MAX_LINK_SECONDS,
  MIN_LINK_SECONDS,
} from '../../domain/connect-link.ts';
import { cancelConnectLink, createConnectLink, findConnectLink } from '../../usecases/connect-link.ts';
import { confirmConnectLink } from '../../usecases/open-connect-page.ts';
import { builder } from '../builder.ts';
import { defineMutation } from '../mutation.ts';
import { NodeInterface } from './node.ts';
import { ConnectedProviderType, ProviderNameEnum } from './provider.ts';
import { toEnumValues } from './scalars.ts';

const ConnectModeEnum = builder.enumType('ConnectMode', {
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

const ConnectLinkType = builder.objectRef<ConnectLink>('ConnectLink').implement({
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

defineMutation('createConnectLink', {
  description:
    'A link by which one of your customers connects a CRM: you need no OAuth code of your own. It takes an API key.',
  input: {
    argument: 'Whom it is for.',
    description: 'Whom a link is for, what may be connected by it, and where it leads back to.',
    fields: (t) => ({
      customerId: t.id({ required: true, description: 'The customer, by your own id.' }),
      providers: t.field({
        type: [ProviderNameEnum],
        required: true,
        description: 'What the customer may connect: with several, they choose one.',
      }),
      returnUrl: t.string({
        required: true,
        description:
          'The page of yours that the customer comes back to, e.g. `https://app.example.com/connected`. Its origin has to be one of your application’s. `connect_link_id`, `status`, `error` and `code` are added to its query.',
      }),
      mode: t.field({
        type: ConnectModeEnum,
        defaultValue: 'REDIRECT',
        description: 'How the customer comes back.',
      }),
      confirm: t.boolean({
        defaultValue: true,
        description:
          'Is the connection only made when you have redeemed a one-time code in the session of the person who asked? `false` is for links that are sent by mail: then whoever has the link can connect an account of theirs to this customer.',
      }),
      expiresInSeconds: t.int({
        defaultValue: DEFAULT_LINK_SECONDS,
        description: `For how long it can be followed, ${MIN_LINK_SECONDS} to ${MAX_LINK_SECONDS} seconds (a day).`,
      }),
      loginUrl: t.string({
        description:
          'Where this customer logs in at the provider, where you know it, e.g. `https://acme.my.salesforce.com`. Otherwise they are asked. For a link to one provider.',
      }),
      optionalScopes: t.stringList({
        description: 'Scopes of the provider that are asked for beside those that are needed: at most 50.',
      }),
      allowAccountChange: t.boolean({
        defaultValue: false,
        description: 'May a customer who is connected already connect another account in its place?',
      }),
    }),
  },
  resolve: (request, context) => createConnectLink(context, request),
  payload: {
    description: 'A new link.',
    fields: (t) => ({
      link: t.expose('link', { type: ConnectLinkType, description: 'The link.' }),
      url: t.exposeString('url', {
        description:
          'Where to send the customer, shown this once. Whoever has it can use it: treat it as a secret.',
      }),
    }),
  },
});

defineMutation('confirmConnectLink', {
  description: 'Redeems the one-time code of a link: only now the connection is there. It takes an API key.',
  input: {
    argument: 'The link and its code.',
    description: 'Which link, and the proof that the person who agreed is the one whom you sent.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The link’s id.' }),
      code: t.string({
        required: true,
        description:
          'The one-time code that came with `returnUrl` or the window’s message. Redeem it in the session of the person who asked for the link, within ten minutes.',
      }),
    }),
  },
  resolve: (request, context) => confirmConnectLink(context, request),
  payload: {
    description: 'What was connected.',
    fields: (t) => ({
      link: t.expose('link', { type: ConnectLinkType, description: 'The link, which is COMPLETED now.' }),
      connection: t.expose('connection', { type: ConnectedProviderType, description: 'The connection.' }),
    }),
  },
});

defineMutation('cancelConnectLink', {
  description: 'Withdraws a link that has not ended yet. It takes an API key.',
  input: {
    argument: 'Which link.',
    description: 'The link to withdraw.',
    fields: (t) => ({ id: t.id({ required: true, description: 'The link’s id.' }) }),
  },
  resolve: async (request, context) => ({ link: await cancelConnectLink(context, request) }),
  payload: {
    description: 'The link that was withdrawn.',
    fields: (t) => ({
      link: t.expose('link', { type: ConnectLinkType, description: 'The link, which is CANCELED now.' }),
    }),
  },
});
