import { DEFAULT_LINK_SECONDS, MAX_LINK_SECONDS, MIN_LINK_SECONDS } from '../../domain/connect-link.ts';
import { type CreatedLink, createConnectLink } from '../../usecases/connect-link.ts';
import { builder, tagged } from '../builder.ts';
import { ConnectLinkType, ConnectModeEnum } from './connect-link.ts';
import { ProviderNameEnum } from './provider.ts';

const CreateConnectLinkInput = builder.inputType('CreateConnectLinkInput', {
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
    clientMutationId: t.string({ description: 'Comes back in the answer, as it is.' }),
  }),
});

const CreateConnectLinkPayload = builder.objectRef<CreateAnswer>('CreateConnectLinkPayload').implement({
  description: 'A new link.',
  fields: (t) => ({
    link: t.expose('link', { type: ConnectLinkType, description: 'The link.' }),
    url: t.exposeString('url', {
      description:
        'Where to send the customer, shown this once. Whoever has it can use it: treat it as a secret.',
    }),
    clientMutationId: t.exposeString('clientMutationId', {
      nullable: true,
      description: 'What the input said, as it is.',
    }),
  }),
});

builder.mutationField('createConnectLink', (t) =>
  t.field({
    ...tagged('api-key'),
    type: CreateConnectLinkPayload,
    nullable: true,
    description:
      'A link by which one of your customers connects a CRM: you need no OAuth code of your own. It takes an API key.',
    args: {
      input: t.arg({ type: CreateConnectLinkInput, required: true, description: 'Whom it is for.' }),
    },
    async resolve(_root, { input }, context) {
      const { clientMutationId, ...request } = input;
      return { ...(await createConnectLink(context, request)), clientMutationId: clientMutationId ?? null };
    },
  }),
);

interface CreateAnswer extends CreatedLink {
  readonly clientMutationId: string | null;
}
